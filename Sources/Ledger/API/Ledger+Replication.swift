extension Ledger {
    /// The tips of all chains, ascending; signs the own tail first where the ledger can be written.
    ///
    /// Costs one fsync if the tail is not signed.
    ///
    /// - Returns: one tip a chain; what is a prefix of another is left out.
    /// - Throws: `busy`, `noSpace`, `damaged`, `io`.
    public func tips() throws(LedgerError) -> [Tip] {
        try withCore { (core) throws(LedgerError) in
            try core.signTail()
            return try core.withSnapshot { () throws(LedgerError) in try core.tips() }
        }
    }

    /// SHA-256 over the state that merging is about: tips and missing payloads.
    ///
    /// Signs the own tail first, as ``tips()`` does.
    ///
    /// - Returns: equal on replicas that hold the same.
    /// - Throws: as ``tips()``.
    public func stateDigest() throws(LedgerError) -> Bytes32 {
        try withCore { (core) throws(LedgerError) in
            try core.signTail()
            return try core.withSnapshot { () throws(LedgerError) in try core.stateDigest() }
        }
    }

    /// Who writes a log; nil while the log is not here.
    ///
    /// - Parameter log: the log.
    /// - Returns: the replica that opened it.
    /// - Throws: `busy`, `damaged`, `io`.
    public func author(of log: LogID) throws(LedgerError) -> ReplicaID? {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot {
                core.rows.chains.indices(of: log).first.map { core.rows.chains.chains[$0].author }
            }
        }
    }

    /// Sequences of a tip's chain whose payloads are missing for another reason than erasure.
    ///
    /// - Parameter tip: the chain, as ``tips()`` named it.
    /// - Returns: ascending; empty when all is here.
    /// - Throws: `notFound` when the chain is not here; `busy`, `damaged`, `io`.
    public func missingPayloads(of tip: Tip) throws(LedgerError) -> [UInt64] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.missingPayloads(of: tip) }
        }
    }

    /// The signed intervals of a chain from a sequence on.
    ///
    /// Other calls wait meanwhile: ask for about a mebibyte at a time.
    ///
    /// - Parameters:
    ///   - tip: the chain, as ``tips()`` named it.
    ///   - first: the sequence to begin at; moved back to the beginning of its interval.
    ///   - bytesMax: stop after the interval that passes this many bytes of events.
    /// - Returns: at least one interval, unless `first` is the end.
    /// - Throws: `notFound` when the chain is not here; `busy`, `damaged`, `io`.
    public func intervals(
        of tip: Tip, from first: UInt64, bytesMax: Int
    ) throws(LedgerError) -> [Interval] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                try core.intervals(of: tip, from: first, bytesMax: bytesMax)
            }
        }
    }

    /// Whether a prefix of one of the log's chains has this size and root.
    ///
    /// - Parameter tip: what another replica holds.
    /// - Returns: false when it is not known here, or lies on another branch.
    /// - Throws: `busy`, `damaged`, `io`.
    public func holds(_ tip: Tip) throws(LedgerError) -> Bool {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.holds(tip) }
        }
    }

    /// Takes intervals from another replica; each is verified and taken whole or not at all.
    ///
    /// Costs one fsync for all of them and one signature check each; other calls wait meanwhile.
    ///
    /// - Parameter intervals: in order of sequence within each log.
    /// - Returns: one result per interval; durable once this returns.
    /// - Throws: `busy`, `noSpace`, `readOnly`, `io`; then nothing of any interval was taken.
    public func ingest(
        _ intervals: [Interval]
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] {
        try withCore { (core) throws(LedgerError) in
            let results = try core.write { () throws(LedgerError) in
                let results = try core.ingest(intervals)
                try core.shareFolderSecrets()
                return results
            }
            // What was taken is durable; deferred work that fails now is tried again later.
            try? core.flushIfNeeded()
            return results
        }
    }

    /// The keys that drop-folder files of a generation may be sealed with: removals that were made
    /// apart from each other make more than one of a generation.
    ///
    /// - Parameter generation: 0 until a member was removed.
    /// - Returns: 32 bytes each, the one that this replica would write with first; empty where
    ///   none is here.
    /// - Throws: `closed`, `crypto`, `busy`, `io`.
    package func folderKeys(generation: UInt64) throws(LedgerError) -> [[UInt8]] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                try core.folderKeys(generation: generation)
            }
        }
    }

    /// The key that new drop-folder files are sealed with: of the newest generation that is here
    /// and that nobody knows who was removed.
    ///
    /// - Throws: `closed`, `crypto`, `busy`, `io`.
    package func newestFolderKey() throws(LedgerError) -> (generation: UInt64, key: [UInt8]) {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                guard let secret = try core.folderSecrets().last else {
                    throw LedgerError(.damaged, "No folder key is here; restore the ledger.")
                }
                return (secret.generation, try secret.key())
            }
        }
    }
}

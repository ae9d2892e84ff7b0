internal import Synchronization

extension Ledger {
    /// The tips of all chains, ascending; signs the own tail first where the ledger can be written.
    ///
    /// What they name of the own log is marked beside the database before this returns, so that a
    /// database put back later is noticed. Costs two or three fsyncs if the log has grown.
    ///
    /// - Returns: one tip a chain; what is a prefix of another is left out.
    /// - Throws: `busy`, `noSpace`, `damaged`, `io`.
    public func tips() throws(LedgerError) -> [Tip] {
        try withCore { (core) throws(LedgerError) in
            try core.letOut()
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
            try core.letOut()
            return try core.withSnapshot { () throws(LedgerError) in try core.stateDigest() }
        }
    }

    /// The state of all chains that changed since a stamp; signs the own tail first.
    ///
    /// - Parameter stamp: what an earlier call of this open ledger gave; 0 for all chains.
    /// - Returns: the states, ascending, some of which may be as they were; and the stamp of now.
    /// - Throws: as ``tips()``.
    package func tipStates(
        changedAfter stamp: UInt64
    ) throws(LedgerError) -> (states: [TipState], stamp: UInt64) {
        try withCore { (core) throws(LedgerError) in
            try core.letOut()
            return try core.withSnapshot { () throws(LedgerError) in
                try core.tipStates(changedAfter: stamp)
            }
        }
    }

    /// How much of the longest chain of a log is held; 0 for none.
    package func heldSize(of log: LogID) throws(LedgerError) -> UInt64 {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot {
                core.rows.chains.indices(of: log).map { core.rows.chains.size($0) }.max() ?? 0
            }
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

    /// Hears what a peer holds.
    ///
    /// If that is more of this replica's own log than is here, its state was put back or copied:
    /// its next event then opens a new log. Call it with a peer's tips before anything else. Costs
    /// no fsync; a peer's bare word is taken at most 8 times until one is proven by ``ingest(_:)``.
    ///
    /// - Parameter tips: what the peer says it holds.
    /// - Throws: `busy`, `damaged`, `io`.
    public func note(peerTips tips: [Tip]) throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.note(peerTips: tips) }
        }
    }

    /// Takes intervals from another replica; each is verified and taken whole or not at all.
    ///
    /// Costs one fsync for all of them and one signature check each; other calls wait meanwhile.
    /// Events of this replica's own log that are not here were lost: they are taken back, and the
    /// replica goes on in a new log.
    ///
    /// - Parameter intervals: in order of sequence within each log.
    /// - Returns: one result per interval; durable once this returns.
    /// - Throws: `busy`, `noSpace`, `readOnly`, `io`; then nothing of any interval was taken.
    public func ingest(
        _ intervals: [Interval]
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] {
        try ingest(IntervalSource(intervals))
    }

    /// The same with intervals that are made meanwhile: making them must not call this ledger, but
    /// for ``subjectTag(of:)`` and ``eventIDs(at:of:)``.
    package func ingest(
        _ source: IntervalSource
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] {
        try withCore { (core) throws(LedgerError) in
            let results = try core.write { () throws(LedgerError) in
                let results = try core.ingest(source)
                try core.shareFolderSecrets()
                return results
            }
            // What was taken is durable; deferred work that fails now is tried again later.
            try? core.flushIfNeeded()
            if !core.newlyErased.isEmpty { _ = try? core.finishErasures() }
            return results
        }
    }

    /// The tag of a subject in this ledger; nil for a name that is none.
    ///
    /// Waits for no other call.
    package func subjectTag(of subject: String) throws(LedgerError) -> SubjectTag? {
        try tagger.withLock { (tagger) throws(LedgerError) in
            if tagger == nil { tagger = try SubjectTagger(ledgerKey: ledgerKey) }
            return try tagger?.tag(subject)
        }
    }

    /// The ids of a log's events at some sequences; nil for those that are not committed here.
    ///
    /// Waits for no other call.
    package func eventIDs(
        at sequences: [UInt64], of log: LogID
    ) throws(LedgerError) -> [EventID?] {
        try readers.withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                try core.eventIDs(at: sequences, of: log)
            }
        }
    }

    /// What changes with every commit of this process and of others; costs a look at 48 bytes.
    ///
    /// - Throws: `closed`.
    package func changeMark() throws(LedgerError) -> [UInt8] {
        try withCore { (core) throws(LedgerError) in core.changeMark }
    }

    /// Whether a replica is a member; nil where the ledger does not know it at all.
    ///
    /// - Throws: `busy`, `damaged`, `io`, `closed`.
    package func isMember(_ replica: ReplicaID) throws(LedgerError) -> Bool? {
        switch try standing(of: replica) {
        case .founder, .member: true
        case .removed, .known: false
        case .unknown: nil
        }
    }

    /// The replica whose state this is, also where its key was not read.
    ///
    /// - Throws: `closed`.
    package func ownReplica() throws(LedgerError) -> ReplicaID? {
        try withCore { (core) throws(LedgerError) in core.identity.replica }
    }

    /// Lends the replica's key to `body`, which must not keep it: to prove who this replica is.
    ///
    /// - Throws: `readOnly` where the key is not here.
    package func withSigningKey<R>(
        _ body: (SigningKey) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        let key = try withCore { (core) throws(LedgerError) in core.writer?.keys.signing }
        guard let key else {
            throw LedgerError(
                .readOnly, "The replica's key is not here; open the ledger where it was made.")
        }
        return try body(key)
    }

    /// Writes states down and forgets them where more than `max` are in memory, for who takes in
    /// much and asks little.
    ///
    /// - Parameter max: how many may stay; a state takes about a kilobyte.
    /// - Throws: `closed`, `busy`, `noSpace`, `readOnly`, `io`.
    package func releaseStates(above max: Int) throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in
            guard core.projector.cache.count > max else { return }
            try core.flush(all: true)
            // The next snapshot starts from what is on disk.
            core.projector.forget()
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

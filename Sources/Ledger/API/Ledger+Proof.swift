/// Proves to anyone who trusts a checkpoint that an event is in the log.
///
/// ```swift
/// let proof: InclusionProof = try ledger.inclusionProof(of: receipt.event.id)
/// let checkpoint: Checkpoint = proof.checkpoint
/// let author: ReplicaID = proof.author
/// let isInLog = MerkleTree.verifyInclusion(
///     proof.path, of: proof.event, at: proof.sequence, size: checkpoint.size,
///     root: checkpoint.root)
/// let isSigned = checkpoint.isSigned(by: author)
/// ```
public struct InclusionProof: Sendable, Hashable {
    /// The event.
    public let event: EventID
    /// Its header, whose leaf hash the id is.
    public let header: [UInt8]
    /// Its position.
    public let sequence: UInt64
    /// Sibling hashes, from the leaf up.
    public let path: [Bytes32]
    /// The signed size and root.
    public let checkpoint: Checkpoint
    /// Who signed.
    public let author: ReplicaID
}

extension Ledger {
    /// Signs the tail of the own log, if it is not signed yet.
    ///
    /// Waits for other calls; costs an Ed25519 signature and one fsync when there is something to
    /// sign. The log signs itself every 1,024 events or 1 MiB, and where others are to see it.
    ///
    /// - Returns: the newest checkpoint.
    /// - Throws: `readOnly` where the replica's key is not here, `notFound` when nothing was ever
    ///   signed in a ledger opened for reading, `busy`, `noSpace`, `io`.
    @discardableResult
    public func sign() throws(LedgerError) -> Checkpoint {
        try withCore { (core) throws(LedgerError) in
            try core.letOut()
            guard let log = core.writer?.log,
                let chain = core.rows.chains.indices(of: log).first
            else { throw LedgerError(.readOnly, "The replica's key is not here; nothing to sign.") }
            return try core.withSnapshot { () throws(LedgerError) in
                try core.newestCheckpoint(chain)
            }
        }
    }

    /// Proves that an event is in its log, against the newest checkpoint.
    ///
    /// Signs the own tail first where the ledger can be written, which costs one fsync if it is
    /// not signed; then reads on a connection of its own and keeps nobody waiting.
    ///
    /// - Parameter id: the event.
    /// - Returns: what any RFC 6962 verifier checks; a few hundred bytes.
    /// - Throws: `notFound` when it is not here or not signed; `busy`, `noSpace`, `damaged`, `io`.
    /// - Complexity: O(n) in the number of events, to find the one with this id.
    public func inclusionProof(of id: EventID) throws(LedgerError) -> InclusionProof {
        try withCore { (core) throws(LedgerError) in try core.letOut() }
        return try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.inclusionProof(of: id) }
        }
    }

    /// Proves that one size of a log is a prefix of another.
    ///
    /// Reads on a connection of its own and keeps nobody waiting.
    ///
    /// - Parameters:
    ///   - log: the log.
    ///   - old: the smaller size.
    ///   - size: the larger size.
    /// - Returns: the hashes, for ``MerkleTree/verifyConsistency(_:from:root:to:root:)``.
    /// - Throws: `notFound` when the log or the size is not here; `busy`, `damaged`, `io`.
    public func consistencyProof(
        of log: LogID, from old: UInt64, to size: UInt64
    ) throws(LedgerError) -> [Bytes32] {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                let chain = try core.chain(of: log, size: size)
                return try MerkleTree.consistencyProof(
                    from: old, to: size, core.rows.source(chain: chain), core.digester)
            }
        }
    }

    /// The root of a log at a size.
    ///
    /// Reads on a connection of its own and keeps nobody waiting.
    ///
    /// - Parameters:
    ///   - log: the log.
    ///   - size: the size.
    /// - Returns: the root of RFC 6962 section 2.1.
    /// - Throws: `notFound` when the log or the size is not here; `busy`, `damaged`, `io`.
    public func root(of log: LogID, size: UInt64) throws(LedgerError) -> Bytes32 {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                let chain = try core.chain(of: log, size: size)
                return try MerkleTree.root(
                    0..<size, core.rows.source(chain: chain), core.digester)
            }
        }
    }
}

extension Core {
    func newestCheckpoint(_ chain: Int) throws(LedgerError) -> Checkpoint {
        let known = rows.chains.chains[chain]
        guard
            let stored = try store.checkpoint(
                chain: known.number,
                atMost: min(rows.chains.size(chain), try leavingSize(of: known.log)))
        else {
            throw LedgerError(.notFound, "Log \(known.log) has no checkpoint yet; sign it first.")
        }
        return Checkpoint(
            log: known.log, size: stored.size, root: stored.root, signature: stored.signature)
    }

    /// The first chain of a log that has at least `size` events.
    func chain(of log: LogID, size: UInt64) throws(LedgerError) -> Int {
        let found = rows.chains.indices(of: log).first { rows.chains.size($0) >= size }
        guard let found else {
            throw LedgerError(.notFound, "Log \(log) has no \(size) events here.")
        }
        return found
    }

    func inclusionProof(of id: EventID) throws(LedgerError) -> InclusionProof {
        guard let entry = try event(id), let (chain, sequence) = rows.chains.locate(entry.position)
        else { throw LedgerError(.notFound, "Event \(id.short) is not here.") }
        let checkpoint = try newestCheckpoint(chain)
        guard sequence < checkpoint.size else {
            throw LedgerError(
                .notFound, "Event \(id.short) is not signed yet; sign with the replica's key first."
            )
        }
        return InclusionProof(
            event: id, header: entry.event.header.bytes, sequence: sequence,
            path: try MerkleTree.inclusionProof(
                of: sequence, size: checkpoint.size, rows.source(chain: chain), digester),
            checkpoint: checkpoint, author: entry.author)
    }
}

/// Reads stored rows as events.
///
/// Guarded by the lock of the ledger.
final class RowReader {
    let store: EventStore
    let digester: Digester
    var chains = ChainMap()

    init(store: EventStore) throws(LedgerError) {
        self.store = store
        digester = try Digester()
    }

    /// Takes note of rows, chains and pieces up to the snapshot's end.
    func refresh() throws(LedgerError) {
        let row = try store.maxRow()
        guard row != chains.maxRow || chains.chains.isEmpty else { return }
        let (lastRow, lastChain) = (chains.lastPieceRow, chains.lastChainNumber)
        for chain in try store.chains(after: lastChain) { chains.add(chain) }
        for piece in try store.pieces(afterRow: lastRow, orChain: lastChain) { chains.add(piece) }
        chains.maxRow = row
    }

    func event(
        _ row: Int64, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?
    ) throws(LedgerError) -> Event {
        guard let (chain, sequence) = chains.locate(row) else { throw store.damaged("row \(row)") }
        do {
            return try StoredRow.event(
                log: chains.chains[chain].log, sequence: sequence, head: head, body: body, digester)
        } catch {
            throw LedgerError(
                .damaged, "Event \(sequence) of log \(chains.chains[chain].log) is damaged.",
                cause: error.message)
        }
    }

    func event(_ row: Int64) throws(LedgerError) -> Event? {
        var event: Event?
        _ = try store.readEvent(row) { (head, body) throws(LedgerError) in
            event = try self.event(row, head, body)
        }
        return event
    }

    func fact(_ row: Int64) throws(LedgerError) -> Fact? {
        try event(row).map { Fact($0, row: row) }
    }

    /// The leaf hashes of a range of a chain.
    func leaves(
        chain: Int, _ sequences: Range<UInt64>
    ) throws(LedgerError) -> [Bytes32] {
        var leaves: [Bytes32] = []
        leaves.reserveCapacity(sequences.count)
        let log = chains.chains[chain].log
        for rows in chains.rows(chain, sequences) {
            try store.forEachEvent(rows) { (_, head, body) in
                let sequence = sequences.lowerBound + UInt64(leaves.count)
                let bytes = StoredRow.headerBytes(
                    log: log, sequence: sequence, head: head, body: body, digester)
                leaves.append(bytes.withUnsafeBytes { digester.leaf($0) })
                return true
            }
        }
        guard leaves.count == sequences.count else { throw store.damaged("log \(log) with a gap") }
        return leaves
    }

    /// What proofs over a chain are computed from.
    func source(chain: Int) -> MerkleTree.Source {
        let number = chains.chains[chain].number
        return MerkleTree.Source(
            leaves: { (range) throws(LedgerError) in try self.leaves(chain: chain, range) },
            subtree: { (place) throws(LedgerError) in
                try self.store.subtree(chain: number, place: place)
            })
    }
}

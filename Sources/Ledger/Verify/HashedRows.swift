/// Reads all rows of a snapshot in the order of arrival, restores and hashes their headers, and
/// has a second thread judge them meanwhile: hashing costs about as much as judging.
struct HashedRows {
    private let core: Core
    private let chains: ChainMap
    /// The trees of the logs, for who checks them.
    private(set) var tree: TreeCheck?

    init(_ core: Core, checking tree: TreeCheck? = nil) {
        self.core = core
        chains = core.rows.chains
        self.tree = tree
    }

    /// Goes through all rows.
    ///
    /// - Parameters:
    ///   - note: called with each row's number and stored header, on this thread.
    ///   - progress: told how many rows are read and how many there are.
    ///   - work: judges a batch, on the other thread; what it touches is the caller's again when
    ///     this returns or throws.
    /// - Throws: `damaged`, `io`, what `note` throws.
    mutating func forEachBatch(
        note: (Int64, UnsafeRawBufferPointer) throws(LedgerError) -> Void,
        progress: (Int64, Int64) -> Void, work: @escaping (RowBatch) -> Void
    ) throws(LedgerError) {
        let total = chains.maxRow
        guard total > 0 else { return }
        let worker = BatchWorker(work)
        defer { worker.finish() }
        var batch = worker.take()
        try core.store.forEachEvent(1...total) { (row, head, body) throws(LedgerError) in
            try note(row, head)
            try append(row, head, body, to: batch)
            if batch.isFull {
                worker.give(batch)
                progress(row, total)
                batch = worker.take()
            }
            return true
        }
        worker.give(batch)
    }

    private mutating func append(
        _ row: Int64, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?,
        to batch: RowBatch
    ) throws(LedgerError) {
        let place = chains.locate(row)
        let log = place.map { chains.chains[$0.chain].log }
        let core = core
        let id = try batch.append(
            row, place, log: log ?? LogID(raw: .zero), head: head, body: body, core.digester
        ) { (id) throws(LedgerError) in
            (try core.rows.isRepeated(id, row), try core.rows.isLimited(id, row))
        }
        guard let place, let problem = try tree?.append(place.chain, id) else { return }
        batch.add(problem)
    }
}

extension ChainMap.Chain {
    /// The first sequence of the chain's own rows: what comes before is shared with another chain.
    var ownStart: UInt64 { pieces.first { !$0.isShared }?.firstSequence ?? 0 }
}

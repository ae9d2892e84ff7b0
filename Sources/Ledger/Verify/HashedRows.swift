/// Reads all rows of a snapshot in the order of arrival, restores and hashes their headers, and
/// has a second thread judge them meanwhile: hashing costs about as much as judging.
struct HashedRows {
    private let core: Core
    /// Whether stored checkpoints and subtrees are read along, for who recomputes the tree.
    private let readsTree: Bool
    private var checkpoints: [StoredCheckpoint?] = []
    private var previousSizes: [UInt64] = []

    init(_ core: Core, readsTree: Bool) {
        self.core = core
        self.readsTree = readsTree
    }

    private var chains: ChainMap { core.rows.chains }

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
        for chain in chains.chains.indices { try begin(chain) }
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

    private mutating func begin(_ chain: Int) throws(LedgerError) {
        guard readsTree else { return }
        let start = chains.chains[chain].ownStart
        checkpoints.append(
            try core.store.checkpoint(chain: chains.chains[chain].number, above: start))
        previousSizes.append(
            try core.store.checkpoint(chain: chains.chains[chain].number, atMost: start)?.size ?? 0)
    }

    private mutating func append(
        _ row: Int64, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?,
        to batch: RowBatch
    ) throws(LedgerError) {
        let place = chains.locate(row)
        let log = place.map { chains.chains[$0.chain].log }
        let core = core
        try batch.append(
            row, place, log: log ?? LogID(raw: .zero), head: head, body: body, core.digester
        ) { (id) throws(LedgerError) in try core.rows.isRepeated(id, row) }
        guard readsTree, let place else { return }
        try mark(place.chain, size: place.sequence + 1, batch)
    }

    private mutating func mark(
        _ chain: Int, size: UInt64, _ batch: RowBatch
    ) throws(LedgerError) {
        let endsSubtree = size % MerkleTree.storedSubtreeSize == 0
        let isSigned = checkpoints[chain]?.size == size
        guard endsSubtree || isSigned else { return }
        let number = chains.chains[chain].number
        let subtree =
            endsSubtree
            ? try core.store.subtree(chain: number, place: size / MerkleTree.storedSubtreeSize - 1)
            : nil
        batch.mark(
            RowBatch.Mark(
                checkpoint: isSigned ? checkpoints[chain] : nil,
                previousSize: previousSizes[chain], subtree: subtree))
        guard isSigned else { return }
        previousSizes[chain] = size
        checkpoints[chain] = try core.store.checkpoint(chain: number, above: size)
    }
}

extension ChainMap.Chain {
    /// The first sequence of the chain's own rows: what comes before is shared with another chain.
    var ownStart: UInt64 { pieces.first { !$0.isShared }?.firstSequence ?? 0 }
}

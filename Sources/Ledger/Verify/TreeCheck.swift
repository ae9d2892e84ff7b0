/// Recomputes the logs' trees from the ids of their rows, and checks them against what is stored
/// and signed.
struct TreeCheck {
    private let core: Core
    private var chains: [Chain] = []

    private struct Chain {
        let number: Int64
        /// The right edge.
        var frontier: MerkleFrontier
        var next: StoredCheckpoint?
        var previousSize: UInt64
        /// Nothing after the first problem says anything.
        var isBroken = false
    }

    /// Inside a snapshot.
    init(_ core: Core) throws(LedgerError) {
        self.core = core
        for chain in core.rows.chains.chains.indices {
            // What a fork shares with another chain is checked there.
            let number = core.rows.chains.chains[chain].number
            let start = core.rows.chains.chains[chain].ownStart
            chains.append(
                Chain(
                    number: number,
                    frontier: start == 0
                        ? MerkleFrontier() : try core.frontier(of: chain, at: start),
                    next: try core.store.checkpoint(chain: number, above: start),
                    previousSize: try core.store.checkpoint(chain: number, atMost: start)?.size ?? 0
                ))
        }
    }

    /// The root over everything taken in.
    func root(_ chain: Int) -> Bytes32 { chains[chain].frontier.root(core.digester) }

    /// Takes in the next event of a chain.
    ///
    /// - Returns: the first event that may be wrong, and what is.
    mutating func append(
        _ chain: Int, _ id: EventID
    ) throws(LedgerError) -> RowBatch.Problem? {
        guard !chains[chain].isBroken else { return nil }
        chains[chain].frontier.append(id.raw, core.digester)
        let problem = try problem(chain)
        if problem != nil { chains[chain].isBroken = true }
        return problem
    }

    private mutating func problem(_ chain: Int) throws(LedgerError) -> RowBatch.Problem? {
        let size = chains[chain].frontier.size
        if let root = chains[chain].frontier.completedSubtree {
            let stored = try core.store.subtree(
                chain: chains[chain].number, place: size / MerkleTree.storedSubtreeSize - 1)
            guard stored == nil || stored == root else {
                return (size - 1, "ends a part of the tree whose stored root differs")
            }
        }
        guard let checkpoint = chains[chain].next, checkpoint.size == size else { return nil }
        let first = chains[chain].previousSize
        chains[chain].previousSize = size
        chains[chain].next = try core.store.checkpoint(chain: chains[chain].number, above: size)
        return problem(chain, checkpoint, after: first)
    }

    private func problem(
        _ chain: Int, _ stored: StoredCheckpoint, after first: UInt64
    ) -> RowBatch.Problem? {
        let frontier = chains[chain].frontier
        guard frontier.root(core.digester) == stored.root,
            frontier.subtrees == stored.frontier.subtrees
        else {
            return (
                first, "or a later one before \(stored.size) was changed: the signed root differs"
            )
        }
        let known = core.rows.chains.chains[chain]
        let checkpoint = Checkpoint(
            log: known.log, size: stored.size, root: stored.root, signature: stored.signature)
        guard checkpoint.isSigned(by: known.author) else {
            return (first, "begins an interval whose checkpoint is not signed by its author")
        }
        return nil
    }
}

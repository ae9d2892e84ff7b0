extension Core {
    /// All logs with their openings, by time.
    func epochs() throws(LedgerError) -> [Epoch] {
        var epochs: [Epoch] = []
        var seen: Set<LogID> = []
        for chain in rows.chains.chains where seen.insert(chain.log).inserted {
            let indices = rows.chains.indices(of: chain.log)
            guard let first = indices.first, let row = rows.chains.row(first, 0),
                let event = try rows.event(row), case .opening(let opening) = event.content
            else { continue }
            epochs.append(
                Epoch(
                    log: chain.log, size: indices.map { rows.chains.size($0) }.max() ?? 0,
                    openedAt: event.header.timestamp, opening: opening))
        }
        return epochs.sorted { ($0.openedAt, $0.log) < ($1.openedAt, $1.log) }
    }

    /// The logs of which more than one chain is here; what is a prefix of another is none.
    func forks() throws(LedgerError) -> [Fork] {
        guard rows.chains.hasBranches else { return [] }
        let continuations = try epochs()
        let arrivals = try ArrivalTimes(self)
        var forks: [Fork] = []
        for log in Set(rows.chains.chains.map(\.log)).sorted() {
            let chains = distinctChains(of: log)
            guard chains.count > 1, let first = chains.first else { continue }
            var branches: [Fork.Branch] = []
            for chain in chains {
                branches.append(try branch(chain, among: chains, continuations, arrivals))
            }
            let shared = chains.dropFirst().map { rows.chains.sharedSize(first, $0) }.min() ?? 0
            forks.append(
                Fork(
                    log: log, author: rows.chains.chains[first].author, sharedSize: shared,
                    branches: branches.sorted { $0.tip < $1.tip }))
        }
        return forks
    }

    /// The chains of a log that are not the beginning of another one.
    private func distinctChains(of log: LogID) -> [Int] {
        let all = rows.chains.indices(of: log)
        return all.filter { chain in
            !all.contains { other in
                other != chain && rows.chains.size(other) > rows.chains.size(chain)
                    && rows.chains.sharedSize(chain, other) == rows.chains.size(chain)
            }
        }
    }

    private func branch(
        _ chain: Int, among chains: [Int], _ epochs: [Epoch],
        _ arrivals: ArrivalTimes
    ) throws(LedgerError) -> Fork.Branch {
        let known = rows.chains.chains[chain]
        let size = rows.chains.size(chain)
        let shared =
            chains.filter { $0 != chain }.map { rows.chains.sharedSize(chain, $0) }.max() ?? 0
        let signed = try store.checkpoint(chain: known.number, atMost: size)
        let row = rows.chains.row(chain, shared)
        let first = try row.map { (row) throws(LedgerError) in try rows.event(row) } ?? nil
        var continuedIn: [LogID] = []
        for epoch in epochs {
            guard let past = epoch.opening.continues, past.log == known.log,
                epoch.opening.replica == known.author, past.size > shared, past.size <= size
            else { continue }
            let root = try MerkleTree.root(0..<past.size, rows.source(chain: chain), digester)
            if root == past.root { continuedIn.append(epoch.log) }
        }
        return Fork.Branch(
            tip: Tip(log: known.log, size: signed?.size ?? 0, root: signed?.root ?? .zero),
            sharedSize: shared, firstEvent: first?.id,
            firstTimestamp: first?.header.timestamp,
            arrival: row.flatMap { arrivals.fromPeer($0) }, continuedIn: continuedIn)
    }
}

/// What merging compares of each chain, so that it is computed once a change and not once a look.
struct TipBook {
    private struct Entry {
        /// Nil for a chain that nothing signed is held of.
        var state: TipState?
        var stamp: UInt64
    }

    /// By the chain's place in the map, which only grows.
    private var entries: [Entry] = []
    private var sorted: [TipState]?
    /// Grows with every change of a state.
    private(set) var stamp: UInt64 = 0
    /// What the database said of others' commits when everything was looked at last.
    var commitsOfOthers: Int64 = -1

    var count: Int { entries.count }

    /// Forgets chains that a failed transaction took back.
    mutating func shorten(to count: Int) {
        guard entries.count > count else { return }
        entries.removeLast(entries.count - count)
        sorted = nil
    }

    mutating func set(_ chain: Int, _ state: TipState?) {
        if chain < entries.count {
            guard entries[chain].state != state else { return }
            stamp += 1
            entries[chain] = Entry(state: state, stamp: stamp)
        } else {
            stamp += 1
            entries.append(Entry(state: state, stamp: stamp))
        }
        sorted = nil
    }

    /// All states, ascending; two chains of one tip are one.
    mutating func all() -> [TipState] {
        if let sorted { return sorted }
        let states = Self.ascending(entries.compactMap(\.state))
        sorted = states
        return states
    }

    func changed(after stamp: UInt64) -> [TipState] {
        Self.ascending(entries.filter { $0.stamp > stamp }.compactMap(\.state))
    }

    private static func ascending(_ states: [TipState]) -> [TipState] {
        var result: [TipState] = []
        for state in states.sorted(by: { $0.tip < $1.tip }) where state.tip != result.last?.tip {
            result.append(state)
        }
        return result
    }
}

extension Core {
    /// Brings the book up to this snapshot.
    private func readTips() throws(LedgerError) {
        let others = try store.commitsOfOthers()
        let changes = store.takeChainChanges()
        let chains = rows.chains.chains
        tipBook.shorten(to: chains.count)
        var stale = Set<Int>(tipBook.count..<chains.count)
        if others != tipBook.commitsOfOthers || changes.isAny {
            stale = Set(chains.indices)
        } else if !changes.numbers.isEmpty {
            stale.formUnion(chains.indices.filter { changes.numbers.contains(chains[$0].number) })
        }
        // The own log's tip moves with the mark, and what is a prefix depends on the other branches.
        if let own = identity.ownLog { stale.formUnion(rows.chains.indices(of: own)) }
        if rows.chains.hasBranches {
            for log in Set(stale.map { chains[$0].log }) {
                stale.formUnion(rows.chains.indices(of: log))
            }
        }
        for chain in stale.sorted() { tipBook.set(chain, try tipState(chain)) }
        tipBook.commitsOfOthers = others
    }

    private func tipState(_ chain: Int) throws(LedgerError) -> TipState? {
        guard let tip = try tip(chain), tip.size > 0, try !isPrefix(tip, chain) else { return nil }
        return TipState(tip, missing: try missingPayloads(chain, below: tip.size), digester)
    }

    private func tip(_ chain: Int) throws(LedgerError) -> Tip? {
        let known = rows.chains.chains[chain]
        let size = min(rows.chains.size(chain), try leavingSize(of: known.log))
        return try store.checkpoint(chain: known.number, atMost: size).map {
            Tip(log: known.log, size: $0.size, root: $0.root)
        }
    }

    /// Whether another chain of the log that is listed holds the same and more.
    private func isPrefix(_ tip: Tip, _ chain: Int) throws(LedgerError) -> Bool {
        guard rows.chains.hasBranches else { return false }
        for other in rows.chains.indices(of: tip.log) where other != chain {
            guard rows.chains.sharedSize(chain, other) >= tip.size else { continue }
            if let longer = try self.tip(other), longer.size > tip.size { return true }
        }
        return false
    }

    /// The newest signed size of each chain, ascending; what is a prefix of another is not listed.
    func tips() throws(LedgerError) -> [Tip] {
        try readTips()
        return tipBook.all().map(\.tip)
    }

    /// What changed since a stamp, 0 for everything, and the stamp of now.
    func tipStates(
        changedAfter stamp: UInt64
    ) throws(LedgerError) -> (states: [TipState], stamp: UInt64) {
        try readTips()
        return (stamp == 0 ? tipBook.all() : tipBook.changed(after: stamp), tipBook.stamp)
    }

    /// What merging is about, in 32 bytes: computed from what is stored, never taken over.
    func stateDigest() throws(LedgerError) -> Bytes32 {
        try readTips()
        return TipState.digest(of: tipBook.all(), digester)
    }
}

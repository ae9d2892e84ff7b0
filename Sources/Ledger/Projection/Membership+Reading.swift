extension RowReader {
    /// Takes note of members' events up to the snapshot's end.
    ///
    /// - Parameter anew: whether events that were read before may say something else now, because
    ///   their payloads came later.
    /// - Throws: `damaged`, `io`.
    func readMembers(anew: Bool = false) throws(LedgerError) {
        let known = anew ? Membership() : members
        let newRows = try store.memberRows(after: known.lastRow)
        guard anew || !newRows.isEmpty || known.isWaiting else { return }
        var entries = known.entries
        for row in newRows {
            if let entry = try memberEntry(row) { entries.append(entry) }
        }
        var next = try Membership(entries) { (point) throws(LedgerError) in
            try self.rows(before: point)
        }
        next.lastRow = newRows.last ?? known.lastRow
        members = next
    }

    private func memberEntry(_ row: Int64) throws(LedgerError) -> Membership.Entry? {
        guard let event = try event(row), let (chain, _) = chains.locate(row) else { return nil }
        let author = chains.chains[chain].author
        let content: Membership.Entry.Content
        switch event.content {
        case .opening(let opening):
            guard let founding = opening.founding, try founds(founding, by: author) else {
                return nil
            }
            content = .founding(founding)
        case .admission(let admission): content = .admission(admission)
        case .removal(let removal): content = .removal(removal)
        default: return nil
        }
        return Membership.Entry(
            id: event.id, row: row, author: author, timestamp: event.header.timestamp,
            content: content)
    }

    /// Whether an opening proves that its author made this ledger.
    func founds(
        _ founding: LogOpening.Founding, by replica: ReplicaID
    ) throws(LedgerError) -> Bool {
        try LedgerIdentity.ledgerID(
            founder: replica, recoveryKey: founding.recoveryKey, nonce: founding.nonce) == ledger
    }

    /// The rows of the prefix that a removal point names; nil while no chain here has it.
    private func rows(
        before point: MemberRemoval.Point
    ) throws(LedgerError) -> [ClosedRange<Int64>]? {
        if let found = prefixes.found[point] { return found }
        for chain in chains.indices(of: point.log) where chains.size(chain) >= point.size {
            let pair = PrefixSearch.Pair(point: point, chain: chains.chains[chain].number)
            guard !prefixes.refused.contains(pair) else { continue }
            guard try root(of: chain, at: point.size) == point.root else {
                prefixes.refused.insert(pair)
                continue
            }
            let rows = chains.rows(chain, 0..<point.size)
            prefixes.found[point] = rows
            return rows
        }
        return nil
    }

    private func root(of chain: Int, at size: UInt64) throws(LedgerError) -> Bytes32 {
        let number = chains.chains[chain].number
        if let checkpoint = try store.checkpoint(chain: number, atMost: size),
            checkpoint.size == size
        {
            return checkpoint.root
        }
        return try MerkleTree.root(0..<size, source(chain: chain), digester)
    }

    /// What the events about members in some of the rows imply.
    func members(
        from isKnown: (Int64) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> Membership {
        var entries: [Membership.Entry] = []
        for entry in members.entries where try isKnown(entry.row) { entries.append(entry) }
        return try Membership(entries) { (point) throws(LedgerError) in
            try self.rows(before: point)
        }
    }

    /// Leaves of a fact what its author's standing allows.
    func limit(_ fact: inout Fact) throws(LedgerError) {
        guard hasLimits else { return }
        try limit(&fact, by: members)
    }

    /// Leaves of a fact what its author's standing by `members` allows.
    func limit(_ fact: inout Fact, by members: Membership) throws(LedgerError) {
        if try isLimited(fact.id, fact.row, by: members) { fact.limit() }
    }

    /// Whether an event counts only in part.
    func isLimited(_ id: EventID, _ row: Int64) throws(LedgerError) -> Bool {
        try isLimited(id, row, by: members)
    }

    private func isLimited(
        _ id: EventID, _ row: Int64, by members: Membership
    ) throws(LedgerError) -> Bool {
        guard !members.limits.isEmpty, let (chain, sequence) = chains.locate(row),
            let limit = members.limits[chains.chains[chain].author]
        else { return false }
        return !limit.admits([row] + (try others(id, chain, sequence)))
    }

    /// The rows that two states of the membership judge differently, ascending.
    func rows(judgedAnewSince before: Membership) -> [Int64] {
        let authors = Set(before.limits.keys).union(members.limits.keys).filter {
            before.limits[$0] != members.limits[$0]
        }
        guard !authors.isEmpty else { return [] }
        var found: Set<Int64> = []
        for (index, chain) in chains.chains.enumerated() where authors.contains(chain.author) {
            // Where branches hold the same event, its other row decides with it.
            let isForked = chains.indices(of: chain.log).count > 1
            let (old, new) = (before.limits[chain.author], members.limits[chain.author])
            for run in chains.rows(index, 0..<chains.size(index)) {
                for row in run {
                    let (was, isNow) = (old?.admits([row]) ?? true, new?.admits([row]) ?? true)
                    if isForked || was != isNow { found.insert(row) }
                }
            }
        }
        return found.sorted()
    }
}

/// Which chains have the prefixes that removals name; what was found stays so, since chains only
/// grow.
struct PrefixSearch: Sendable {
    struct Pair: Sendable, Hashable {
        let point: MemberRemoval.Point
        let chain: Int64
    }
    var found: [MemberRemoval.Point: [ClosedRange<Int64>]] = [:]
    var refused: Set<Pair> = []
}

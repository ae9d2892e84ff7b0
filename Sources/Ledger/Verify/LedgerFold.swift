/// Folds all events of a ledger into the states of their keys, from nothing and in memory.
///
/// `@unchecked Sendable`: belongs to the thread that judges rows until that has ended, then to the
/// caller who waited for it.
final class LedgerFold: @unchecked Sendable {
    /// A key's state while it is folded.
    final class Entry {
        fileprivate(set) var state = KeyState()
        /// The state depends on events that are no longer at hand; it is folded in a second pass.
        fileprivate(set) var isUnordered = false
    }

    private(set) var states: [StateKey: Entry] = [:]
    private(set) var blockers: [SubjectTag: [EventID]] = [:]
    private(set) var hasUnordered = false
    /// The blockers' rows, which are stored with them.
    private(set) var blockerRows: [(tag: SubjectTag, id: EventID, row: Int64)] = []

    /// Takes in the fact of the next row.
    func add(_ fact: Fact) {
        if case .blocks = fact.role {
            blockers[fact.tag, default: []].insertSorted(fact.id)
            blockerRows.append((fact.tag, fact.id, fact.row))
        }
        guard let key = fact.key else { return }
        let entry: Entry
        if let known = states[key] {
            entry = known
        } else {
            entry = Entry()
            states[key] = entry
        }
        guard !entry.isUnordered else { return }
        let blocking = blockers.isEmpty ? [] : blockers[fact.tag] ?? []
        if !entry.state.apply(fact, blockers: blocking) {
            entry.isUnordered = true
            hasUnordered = true
        }
    }

    /// Folds keys whose events did not come in an order in which each can be folded as it comes;
    /// their facts are read again.
    func finish(_ core: Core) throws(LedgerError) {
        guard hasUnordered else { return }
        var facts: [StateKey: [Fact]] = [:]
        try core.store.forEachEvent(1...core.rows.chains.maxRow) {
            (row, head, body) throws(LedgerError) in
            guard let fact = try? core.rows.fact(row, head, body), let key = fact.key,
                states[key]?.isUnordered == true
            else { return true }
            facts[key, default: []].append(fact)
            return true
        }
        for (key, facts) in facts { states[key]?.state = KeyState.fold(facts) }
        hasUnordered = false
    }
}

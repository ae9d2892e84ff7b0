/// Folds all events of a ledger into the states of their keys, from nothing and in memory.
///
/// `@unchecked Sendable`: belongs to the thread that judges rows until that has ended, then to the
/// caller who waited for it.
final class LedgerFold: @unchecked Sendable {
    /// A key's state while it is folded.
    final class Entry {
        let key: StateKey
        fileprivate(set) var state = KeyState()
        /// The state depends on events that are no longer at hand; it is folded in a second pass.
        fileprivate(set) var isUnordered = false
        /// The subject's name as it was last given, once it was found to be right for the tag.
        var subject: KeyDigest?

        fileprivate init(_ key: StateKey) { self.key = key }
    }

    /// The last row that is folded; of later ones only the unreadable events are noted.
    private let through: Int64
    /// By the digests of their keys, which are at hand without fetching the keys.
    private(set) var states: [KeyDigest: Entry] = [:]
    private(set) var blockers: [SubjectTag: [EventID]] = [:]
    private(set) var hasUnordered = false
    /// The blockers' rows, which are stored with them.
    private(set) var blockerRows: [(tag: SubjectTag, id: EventID, row: Int64)] = []

    /// The `erased` events, ascending by row.
    private(set) var erasures: [EventStore.ErasureRow] = []

    init(through: Int64) { self.through = through }

    /// The entry of the fact's key.
    func entry(of fact: Fact) -> Entry? {
        guard let key = fact.key, fact.row <= through else { return nil }
        if let known = states[key.digest] { return known }
        let entry = Entry(key)
        states[key.digest] = entry
        return entry
    }

    /// Takes in the fact of the next row, whose key has this entry.
    func add(_ fact: Fact, to entry: Entry?) {
        if case .erases = fact.role {
            erasures.append(EventStore.ErasureRow(tag: fact.tag, id: fact.id, row: fact.row))
        }
        if case .blocks = fact.role {
            blockers[fact.tag, default: []].insertSorted(fact.id)
            blockerRows.append((fact.tag, fact.id, fact.row))
        }
        guard let entry, !entry.isUnordered else { return }
        let blocking = blockers.isEmpty ? [] : blockers[fact.tag] ?? []
        if !entry.state.apply(fact, blockers: blocking) {
            entry.isUnordered = true
            hasUnordered = true
        }
    }

    /// Folds keys whose events did not come in an order in which each can be folded as it comes;
    /// their facts are read again.
    func finish(_ core: Core) throws(LedgerError) {
        guard hasUnordered, through > 0 else { return }
        var facts: [KeyDigest: [Fact]] = [:]
        try core.store.forEachEvent(1...through) {
            (row, head, body) throws(LedgerError) in
            guard let fact = try? core.rows.fact(row, head, body), let key = fact.key,
                states[key.digest]?.isUnordered == true
            else { return true }
            facts[key.digest, default: []].append(fact)
            return true
        }
        for (digest, facts) in facts { states[digest]?.state = KeyState.fold(facts) }
        hasUnordered = false
    }
}

/// Folds rows after the watermark onto projected states, each row decoded once.
struct TailFold {
    private let projector: Projector
    /// Keys whose state already holds the whole tail.
    private var complete: Set<StateKey> = []
    private(set) var entries: [StateKey: Projector.Entry] = [:]

    init(_ projector: Projector) { self.projector = projector }

    /// Starts a key from what is projected of it.
    mutating func begin(
        _ key: StateKey, _ stored: EventStore.Projected
    ) throws(LedgerError) {
        if let cached = projector.cache[key] {
            // What is cached has been kept current row by row.
            entries[key] = cached
            complete.insert(key)
            return
        }
        switch stored {
        case .nothing: entries[key] = Projector.Entry(KeyState())
        case .state(let state): entries[key] = Projector.Entry(state)
        case .unreadable: try refold(key)
        }
    }

    /// Takes in the next row of the tail.
    mutating func add(_ fact: Fact) throws(LedgerError) {
        guard let key = fact.key else { return }
        if entries[key] == nil { try begin(key, try projector.store.projectedState(key)) }
        guard !complete.contains(key), let entry = entries[key] else { return }
        let blocking = projector.blockers[fact.tag] ?? []
        if !entry.state.apply(fact, blockers: blocking) { try refold(key) }
    }

    private mutating func refold(_ key: StateKey) throws(LedgerError) {
        entries[key] = Projector.Entry(try projector.refold(key))
        complete.insert(key)
    }
}

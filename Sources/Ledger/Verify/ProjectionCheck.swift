/// Builds the projection from the events alone and compares it with what is kept.
struct ProjectionCheck {
    private let core: Core
    private var states: [StateKey: Projector.Entry] = [:]
    /// Keys that cannot be built event by event; their facts are collected in a second pass.
    private var unordered: Set<StateKey> = []
    private var blockers: [SubjectTag: [EventID]] = [:]
    private var erasures: [SubjectTag: Set<EventID>] = [:]
    private var index = IndexDigest()

    init(_ core: Core) { self.core = core }

    mutating func add(_ event: Event, _ row: Int64) throws(LedgerError) {
        let fact = try core.rows.fact(event, row)
        if fact.tag != .none, row <= core.projector.indexedThrough {
            index.add(IndexRun.Entry(tag: fact.tag.raw.a, row: row))
        }
        if case .erases = fact.role { erasures[fact.tag, default: []].insert(fact.id) }
        if case .blocks = fact.role { blockers[fact.tag, default: []].insertSorted(fact.id) }
        guard let key = fact.key, !unordered.contains(key) else { return }
        let entry = states[key] ?? Projector.Entry(KeyState())
        states[key] = entry
        if !entry.state.apply(fact, blockers: blockers[fact.tag] ?? []) { unordered.insert(key) }
    }

    /// What differs, in words without names.
    mutating func compare() throws(LedgerError) -> [String] {
        var findings: [String] = []
        try foldUnordered()
        var differing = 0
        var seen = 0
        try core.projector.loadTail()
        try core.store.forEachState(prefix: []) { (key, stored) throws(LedgerError) in
            seen += 1
            var kept = core.projector.cached(key)?.state
            if kept == nil, case .state(let state) = stored { kept = state }
            if states[key]?.state.storedBytes != kept?.storedBytes { differing += 1 }
            return true
        }
        for key in core.projector.dirtyKeys {
            guard case .nothing = try core.store.projectedState(key) else { continue }
            seen += 1
            let kept = try core.projector.entry(key).state
            if states[key]?.state.storedBytes != kept.storedBytes { differing += 1 }
        }
        if differing > 0 || seen != states.count {
            findings.append(
                "The projection differs from its events in \(max(differing, abs(seen - states.count)))"
                    + " keys; rebuild it.")
        }
        if !core.projector.hasSoundMarks {
            findings.append("The projection is about rows that are not there; rebuild it.")
        }
        if blockers != core.projector.blockers {
            findings.append("The list of unreadable events differs from the events; rebuild it.")
        }
        if erasures != core.projector.erasures.mapValues({ Set($0.map(\.id)) }) {
            findings.append("The list of erased subjects differs from the events; rebuild it.")
        }
        if try !indexMatches() {
            findings.append("The index differs from the events; rebuild it.")
        }
        return findings
    }

    private mutating func foldUnordered() throws(LedgerError) {
        guard !unordered.isEmpty, core.rows.chains.maxRow > 0 else { return }
        var facts: [StateKey: [Fact]] = [:]
        try core.store.forEachEvent(1...core.rows.chains.maxRow) {
            (row, head, body) throws(LedgerError) in
            guard let event = try? core.rows.event(row, head, body) else { return true }
            let fact = try core.rows.fact(event, row)
            if let key = fact.key, unordered.contains(key) { facts[key, default: []].append(fact) }
            return true
        }
        for (key, facts) in facts { states[key]?.state = KeyState.fold(facts) }
    }

    private func indexMatches() throws(LedgerError) -> Bool {
        var stored = IndexDigest()
        for run in core.projector.runs {
            try core.store.forEachEntry(of: run, pages: 0..<run.fences.count) { stored.add($0) }
        }
        return stored == index
    }
}

/// A sum over index entries in any order; finds damage, not malice, which the tree finds.
private struct IndexDigest: Equatable {
    private var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ entry: IndexRun.Entry) {
        count += 1
        var mixed = entry.prefix ^ (UInt64(bitPattern: entry.row) &* 0x9E37_79B9_7F4A_7C15)
        mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
        sum = sum &+ (mixed ^ (mixed >> 32))
    }
}

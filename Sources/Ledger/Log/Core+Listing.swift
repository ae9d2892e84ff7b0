extension Core {
    /// Goes through the statuses of all keys, ascending; inside a snapshot.
    ///
    /// Keys that changed after the watermark are folded in memory and merged with the table.
    func statuses(
        _ query: StatusQuery, _ body: (StatusEntry) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        try projector.loadTail()
        var changed = projector.dirtyKeys.sorted()[...]
        var isStopped = false
        var past: PastFacts?
        try store.forEachState { (key, state) throws(LedgerError) in
            while let first = changed.first, first < key {
                changed.removeFirst()
                guard try list(first, nil, query, &past, body) else {
                    isStopped = true
                    return false
                }
            }
            let isChanged = changed.first == key
            if isChanged { changed.removeFirst() }
            var stored: KeyState?
            if !isChanged, case .state(let state) = state { stored = state }
            guard try list(key, stored, query, &past, body) else {
                isStopped = true
                return false
            }
            return true
        }
        guard !isStopped else { return }
        for key in changed {
            guard try list(key, nil, query, &past, body) else { return }
        }
    }

    // `past` is read once for all keys of a subject, which follow each other.
    private func list(
        _ key: StateKey, _ stored: KeyState?, _ query: StatusQuery, _ past: inout PastFacts?,
        _ body: (StatusEntry) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> Bool {
        if query.moment != .now {
            if past?.tag != key.tag { past = try PastFacts(self, of: key.tag, query.moment) }
            guard past?.holds(key) == true else { return true }
        }
        var state = KeyState()
        if let stored { state = stored } else { state = try projector.entry(key).state }
        let payload = try rows.event(state.sampleRow)?.payload
        var query = query
        query.resource = payload?.resource ?? key.resource
        query.place = key.place.flatMap { $0 == .everywhere ? nil : $0 }.map {
            Place(device: payload?.device ?? $0.device, install: payload?.install ?? $0.install)
        }
        let status =
            past?.status(of: key, query, self) ?? status(state, key.tag, query, lastInstall: nil)
        return try body(
            StatusEntry(
                subject: payload?.subject, resource: query.resource, place: query.place,
                status: status))
    }
}

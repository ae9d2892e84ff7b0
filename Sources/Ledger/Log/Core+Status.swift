extension Core {
    /// The key a query is about.
    func key(_ query: StatusQuery) throws(LedgerError) -> StateKey {
        let tag = try tags.tag(query.subject)
        // Of an erased subject only bare denials are left, which name no place.
        let place =
            projector.isErased(tag) ? query.place.map { _ in Place.everywhere } : query.place
        return StateKey(tag: tag, resource: query.resource, place: place)
    }

    func status(_ query: StatusQuery) throws(LedgerError) -> Status {
        guard case .now = query.moment else {
            return try withSnapshot { () throws(LedgerError) in
                let key = try self.key(query)
                return try PastFacts(self, of: key.tag, query.moment).status(of: key, query, self)
            }
        }
        let key = try key(query)
        if isCurrent, let entry = projector.cached(key),
            query.place == nil || entry.knowsLastInstall(at: projector.changeCount)
        {
            return status(entry, key, query, lastInstall: entry.lastInstall?.state)
        }
        return try withSnapshot { () throws(LedgerError) in
            let key = try self.key(query)
            let entry = try projector.entry(key)
            let count = projector.changeCount
            if !entry.knowsLastInstall(at: count) {
                entry.lastInstall = (count, try lastInstall(before: key))
            }
            return status(entry, key, query, lastInstall: entry.lastInstall?.state)
        }
    }

    /// The status of a cached state; what depends on the state alone is computed once.
    func status(
        _ entry: Projector.Entry, _ key: StateKey, _ query: StatusQuery, lastInstall last: KeyState?
    ) -> Status {
        guard projector.blockers.isEmpty else {
            return status(entry.state, key, query, lastInstall: last)
        }
        var status = entry.base ?? StatusReader.base(entry.state, blockers: [])
        if entry.base == nil { entry.base = status }
        let wall = environment.wallClock()
        StatusReader.finish(
            &status, entry.state,
            StatusReader.Context(
                query: query, now: max(wall, floor), wall: wall, blockers: [], lastInstall: last,
                isErased: projector.isErased(key.tag)))
        return status
    }

    func status(
        _ state: KeyState, _ key: StateKey, _ query: StatusQuery, lastInstall: KeyState?
    ) -> Status {
        StatusReader.status(
            state,
            StatusReader.Context(
                query: query, now: now, wall: environment.wallClock(),
                blockers: projector.blockers.isEmpty ? [] : projector.blockers[key.tag] ?? [],
                lastInstall: lastInstall, isErased: projector.isErased(key.tag)))
    }

    /// The state of the same device's other install on which the person acted last.
    private func lastInstall(before key: StateKey) throws(LedgerError) -> KeyState? {
        guard let prefix = key.devicePrefix else { return nil }
        var last: KeyState?
        for other in try projector.keys(of: key.tag)
        where other != key && other.bytes.starts(with: prefix) {
            let state = try projector.entry(other).state
            if let act = state.lastAct, act.isLater(than: last?.lastAct) { last = state }
        }
        return last
    }
}

extension Core {
    /// The key a query is about.
    func key(_ query: StatusQuery) throws(LedgerError) -> StateKey {
        let tag = try tags.tag(query.subject)
        return StateKey(tag: tag, resource: query.resource, place: place(query, tag))
    }

    /// Of an erased subject only bare denials are left, which name no place.
    private func place(_ query: StatusQuery, _ tag: SubjectTag) -> Place? {
        projector.isErased(tag) ? query.place.map { _ in .everywhere } : query.place
    }

    func status(_ query: StatusQuery) throws(LedgerError) -> Status {
        guard case .now = query.moment else {
            return try withSnapshot { () throws(LedgerError) in
                let key = try self.key(query)
                return try PastFacts(self, of: key.tag, query.moment).status(of: key, query, self)
            }
        }
        if isCurrent {
            let tag = try tags.tag(query.subject)
            if let entry = cachedEntry(query, tag),
                query.place == nil || entry.knowsLastInstall(at: projector.changeCount)
            {
                return status(entry, tag, query, lastInstall: entry.lastInstall)
            }
        }
        return try withSnapshot { () throws(LedgerError) in
            let key = try self.key(query)
            let entry = try projector.entry(key)
            let count = projector.changeCount
            if !entry.knowsLastInstall(at: count) {
                entry.setLastInstall(try lastInstall(before: key), at: count)
            }
            return status(entry, key.tag, query, lastInstall: entry.lastInstall)
        }
    }

    /// The entry of a query's key, nil if it is not at hand without reading.
    func cachedEntry(_ query: StatusQuery, _ tag: SubjectTag) -> Projector.Entry? {
        let place = place(query, tag)
        let digest = StateKey.digest(
            tag: tag, resource: query.resource, device: place?.device, install: place?.install,
            in: &keyScratch)
        return projector.cached(digest)
    }

    /// The status of a cached state; what depends on the state alone is computed once.
    func status(
        _ entry: Projector.Entry, _ tag: SubjectTag, _ query: StatusQuery,
        lastInstall last: Projector.Entry?
    ) -> Status {
        guard projector.blockers.isEmpty, !projector.isErased(tag) else {
            return status(entry.state, tag, query, lastInstall: last?.state)
        }
        let base = entry.readBase()
        let wall = environment.wallClock()
        if base.isTimeless, last == nil, query.platform == nil, query.currentRevision == nil,
            base.newest <= wall + HybridClock.aheadMillisecondsMax
        {
            return base.status
        }
        var status = base.status
        StatusReader.finish(
            &status, entry.state,
            StatusReader.Context(
                query: query, now: max(wall, floor), wall: wall, blockers: [],
                lastInstall: last?.state, isErased: projector.isErased(tag)))
        return status
    }

    func status(
        _ state: KeyState, _ tag: SubjectTag, _ query: StatusQuery, lastInstall: KeyState?
    ) -> Status {
        StatusReader.status(
            state,
            StatusReader.Context(
                query: query, now: now, wall: environment.wallClock(),
                blockers: projector.blockers.isEmpty ? [] : projector.blockers[tag] ?? [],
                lastInstall: lastInstall, isErased: projector.isErased(tag)))
    }

    /// The same device's other install on which the person acted last.
    private func lastInstall(before key: StateKey) throws(LedgerError) -> Projector.Entry? {
        guard let prefix = key.devicePrefix else { return nil }
        var last: Projector.Entry?
        for other in try projector.keys(of: key.tag)
        where other != key && other.bytes.starts(with: prefix) {
            let entry = try projector.entry(other)
            if let act = entry.state.lastAct, act.isLater(than: last?.state.lastAct) {
                last = entry
            }
        }
        return last
    }
}

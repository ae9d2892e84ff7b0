extension Core {
    /// The key a query is about.
    func key(_ query: StatusQuery) throws(LedgerError) -> StateKey {
        StateKey(
            tag: try tags.tag(query.subject), resource: query.resource, place: query.place)
    }

    func status(_ query: StatusQuery) throws(LedgerError) -> Status {
        guard case .now = query.moment else {
            return try withSnapshot { () throws(LedgerError) in try pastStatus(query) }
        }
        let key = try key(query)
        if isCurrent, let entry = projector.cached(key),
            query.place == nil || entry.knowsLastInstall(at: projector.changeCount)
        {
            return status(entry, key, query, lastInstall: entry.lastInstall?.state)
        }
        return try withSnapshot { () throws(LedgerError) in
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
                query: query, now: max(wall, floor), wall: wall, blockers: [], lastInstall: last))
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
                lastInstall: lastInstall))
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

    /// A status from part of the events: those recorded, or those that had arrived, by a time.
    private func pastStatus(_ query: StatusQuery) throws(LedgerError) -> Status {
        let key = try key(query)
        var facts: [StateKey: [Fact]] = [:]
        var blocking: [EventID] = []
        let arrivals = try ArrivalTimes(self)
        for row in try projector.eventRows(of: key.tag, after: 0) {
            guard let event = try rows.event(row), isKnown(event, row, query.moment, arrivals)
            else { continue }
            let fact = Fact(event, row: row)
            if case .blocks = fact.role { blocking.append(fact.id) }
            if let key = fact.key { facts[key, default: []].append(fact) }
        }
        let state = KeyState.fold(facts[key] ?? [])
        var last: KeyState?
        if state.lastAct == nil, let prefix = key.devicePrefix {
            for (other, facts) in facts where other.bytes.starts(with: prefix) && other != key {
                let state = KeyState.fold(facts)
                if let act = state.lastAct, act.isLater(than: last?.lastAct) { last = state }
            }
        }
        return StatusReader.status(
            state,
            StatusReader.Context(
                query: query, now: query.moment.time ?? now, wall: environment.wallClock(),
                blockers: blocking.sorted(), lastInstall: last))
    }

    private func isKnown(
        _ event: Event, _ row: Int64, _ moment: StatusQuery.Moment, _ arrivals: ArrivalTimes
    ) -> Bool {
        switch moment {
        case .now: true
        case .asOf(let time): event.header.timestamp.milliseconds <= time
        case .asKnownHere(let time): arrivals.time(of: event, row) <= time
        }
    }
}

extension StatusQuery.Moment {
    fileprivate var time: Int64? {
        switch self {
        case .asOf(let time), .asKnownHere(let time): time
        case .now: nil
        }
    }
}

/// When events arrived here: own ones when they were written, others with their range.
struct ArrivalTimes {
    private let ranges: [(firstRow: Int64, milliseconds: Int64)]
    private let ownLog: LogID?

    init(_ core: Core) throws(LedgerError) {
        ranges = try core.store.arrivals()
        ownLog = core.identity.ownLog
    }

    func time(of event: Event, _ row: Int64) -> Int64 {
        if event.header.log == ownLog {
            return event.payload?.wall ?? event.header.timestamp.milliseconds
        }
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].firstRow <= row { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? ranges[low - 1].milliseconds : event.header.timestamp.milliseconds
    }
}

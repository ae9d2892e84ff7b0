/// What was known about one subject at a moment: part of the events, by their times or by their
/// arrival here.
struct PastFacts {
    let tag: SubjectTag
    private var facts: [StateKey: [Fact]] = [:]
    private var blocking: [EventID] = []

    /// Reads all events of the subject; inside a snapshot.
    init(
        _ core: Core, of tag: SubjectTag, _ moment: StatusQuery.Moment
    ) throws(LedgerError) {
        self.tag = tag
        let arrivals = try ArrivalTimes(core)
        let members = try Self.members(core, moment, arrivals)
        for row in try core.projector.eventRows(of: tag, after: 0) {
            guard let event = try core.rows.event(row),
                Self.isKnown(event, row, moment, arrivals)
            else { continue }
            var fact = Fact(event, row: row)
            try core.rows.limit(&fact, by: members)
            if case .blocks = fact.role { blocking.append(fact.id) }
            if let key = fact.key { facts[key, default: []].append(fact) }
        }
        blocking.sort()
    }

    // As known here at a time, authors are judged by what had arrived then. As of a time they are
    // judged by what is known now: the clock of a removed device proves nothing.
    private static func members(
        _ core: Core, _ moment: StatusQuery.Moment, _ arrivals: ArrivalTimes
    ) throws(LedgerError) -> Membership {
        guard case .asKnownHere(let time) = moment, core.rows.members.hasRemovals else {
            return core.rows.members
        }
        return try core.rows.members { (row) throws(LedgerError) in
            guard let event = try core.rows.event(row) else { return false }
            return arrivals.time(of: event, row) <= time
        }
    }

    private static func isKnown(
        _ event: Event, _ row: Int64, _ moment: StatusQuery.Moment, _ arrivals: ArrivalTimes
    ) -> Bool {
        switch moment {
        case .now: true
        case .asOf(let time): event.header.timestamp.milliseconds <= time
        case .asKnownHere(let time): arrivals.time(of: event, row) <= time
        }
    }

    /// Whether anything was known about the key.
    func holds(_ key: StateKey) -> Bool { facts[key] != nil }

    /// The status that these events come to.
    func status(of key: StateKey, _ query: StatusQuery, _ core: Core) -> Status {
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
                query: query, now: query.moment.time ?? core.now,
                wall: core.environment.wallClock(), blockers: blocking, lastInstall: last,
                isErased: core.projector.isErased(tag)))
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

/// When events arrived here: those that were written here at that time, others with their range.
struct ArrivalTimes {
    private let ranges: [EventStore.Arrival]
    private let chains: ChainMap
    private let replica: ReplicaID?

    init(_ core: Core) throws(LedgerError) {
        ranges = try core.store.arrivals()
        chains = core.rows.chains
        replica = core.identity.replica
    }

    func time(of event: Event, _ row: Int64) -> Int64 {
        fromPeer(row) ?? event.payload?.wall ?? event.header.timestamp.milliseconds
    }

    /// When a row came from a peer; nil for one that was written here.
    func fromPeer(_ row: Int64) -> Int64? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].firstRow <= row { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let range = ranges[low - 1]
        if let last = range.lastRow { return row <= last ? range.milliseconds : nil }
        // An older version took no own events from peers.
        let author = chains.locate(row).map { chains.chains[$0.chain].author }
        return author != nil && author == replica ? nil : range.milliseconds
    }
}

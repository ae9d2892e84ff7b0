/// Turns a key's state into the status that holds at a moment.
struct StatusReader {
    /// What the events in force come to.
    struct Reading: Sendable, Hashable {
        var status: PermissionStatus = .notDetermined
        var extent: Extent = .full
        var authority: Authority = .unknown
        var end: Int64?
        var evidence: [EventID] = []
        var reason: Status.Reason = .nothingRecorded
        var revision: Revision?
        var isConflicting = false
        var isDoubtful = false
    }

    /// The most restrictive of the events in force holds; extents meet at their intersection and
    /// ends at the earliest.
    static func inForce(_ state: KeyState, blockers: [EventID]) -> Reading {
        guard let first = state.inForce.first else { return unreadable(blockers) }
        var reading = Reading()
        var chosen = first.decision
        reading.extent = first.decision.extent
        reading.end = first.decision.end
        for entry in state.inForce.dropFirst() {
            let decision = entry.decision
            if decision.status != first.decision.status || decision.extent != first.decision.extent
            {
                reading.isConflicting = true
            }
            if decision.status < chosen.status { chosen = decision }
            reading.extent = reading.extent.intersection(decision.extent)
            if let end = decision.end { reading.end = min(reading.end ?? end, end) }
        }
        reading.status = chosen.status
        reading.authority = authority(state.inForce, chosen)
        reading.evidence = state.inForce.map(\.id)
        reading.reason = state.inForce.count == 1 ? .inForce : .mostRestrictive
        reading.isDoubtful = state.inForce.contains { $0.decision.isDoubtful }
        if reading.status.isGranting {
            let revisions = state.inForce.map(\.decision.revision)
            reading.revision = revisions.contains(nil) ? nil : revisions.compactMap(\.self).min()
        } else {
            reading.end = nil
            reading.extent = .full
        }
        if !blockers.isEmpty || state.inForce.contains(where: { $0.decision.isUndecodable }) {
            reading.weigh(blockers)
        }
        return reading
    }

    private static func unreadable(_ blockers: [EventID]) -> Reading {
        var reading = Reading()
        if !blockers.isEmpty { reading.weigh(blockers) }
        return reading
    }

    /// The person's only if all are; else that of the lowest id that is as restrictive.
    private static func authority(
        _ entries: [KeyState.InForce], _ chosen: Fact.Decision
    ) -> Authority {
        guard chosen.authority == .person else { return chosen.authority }
        return entries.first { $0.decision.authority != .person }?.decision.authority ?? .person
    }
}

extension StatusReader.Reading {
    /// What cannot be read counts as not granted.
    fileprivate mutating func weigh(_ blockers: [EventID]) {
        reason = .undecodable
        evidence = (evidence + blockers).sorted()
        guard status > .notDetermined else { return }
        status = .notDetermined
        extent = .full
        end = nil
        revision = nil
    }
}

extension StatusReader {
    /// What a status is read from and under which conditions.
    struct Context {
        let query: StatusQuery
        let now: Int64
        let wall: Int64
        /// Undecodable events that may be about the key.
        let blockers: [EventID]
        /// The state of the device's last other install, for what the person consented to there.
        let lastInstall: KeyState?
        let isErased: Bool
    }

    static func status(_ state: KeyState, _ context: Context) -> Status {
        let blockers = context.blockers.filter { !state.awaited.contains(sorted: $0) }
        var status = base(state, blockers: blockers)
        finish(&status, state, context)
        return status
    }

    /// What depends on the state alone.
    static func base(_ state: KeyState, blockers: [EventID]) -> Status {
        let reading = inForce(state, blockers: blockers)
        var status = Status()
        status.status = reading.status
        status.extent = reading.extent
        status.authority = reading.authority
        status.end = reading.end
        status.evidence = reading.evidence
        status.reason = reading.reason
        status.revision = reading.revision
        status.isConflicting = reading.isConflicting
        status.hasDoubtfulClock = reading.isDoubtful
        status.primersShown = state.primersShown
        status.promptsAsked = state.promptsAsked
        status.promptsUndecided = state.asks.reduce(0) { $0 + $1.undecided }
        status.isPending = !state.openAsks.isEmpty
        if let act = state.lastAct { status.lastAct = Status.Act(act) }
        return status
    }

    /// What depends on the moment and the conditions of the query.
    static func finish(_ status: inout Status, _ state: KeyState, _ context: Context) {
        let revision = status.revision
        if context.isErased, status.reason == .nothingRecorded { status.reason = .erased }
        if let end = status.end, context.now >= end {
            status.status = .notDetermined
            status.isExpired = true
            status.reason = .expired
        }
        if let current = context.query.currentRevision, status.status.isGranting {
            // The system grants without words; a person's consent without them is of no known age.
            status.isOutdated = revision.map { $0 < current } ?? (context.query.place == nil)
        }
        if isAhead(state, context.wall) { status.hasDoubtfulClock = true }
        let isHere = status.lastAct != nil
        if !isHere, let act = context.lastInstall?.lastAct { status.lastAct = Status.Act(act) }
        setConsent(
            &status, isHere ? state : context.lastInstall ?? state, isHere: isHere, context.now)
        if context.query.platform != nil { setAskability(&status, state, context) }
    }

    /// What the person's acts come to, beside the status.
    ///
    /// `acting` is the state of the install on which the person acted last; `isHere`, whether that
    /// is the one whose status it is.
    static func setConsent(
        _ status: inout Status, _ acting: KeyState, isHere: Bool, _ now: Int64
    ) {
        guard let act = status.lastAct else { return }
        status.isConsented = acting.isConsented(at: now)
        status.changedWithoutPerson =
            isHere && (act.outcome == .allowed) != status.status.isGranting
            && !status.isExpired && acting.inForce.contains { !$0.decision.isAct }
    }

    private static func isAhead(_ state: KeyState, _ wall: Int64) -> Bool {
        state.inForce.contains {
            $0.timestamp.milliseconds > wall + HybridClock.aheadMillisecondsMax
        }
    }

    /// Whether the question was refused after all that is in force.
    private static func isRefused(_ asks: KeyState.Asks, _ state: KeyState) -> Bool {
        guard let refusal = asks.lastRefusal else { return false }
        return state.inForce.allSatisfy { $0.timestamp < refusal }
    }

    private static func setAskability(
        _ status: inout Status, _ state: KeyState, _ context: Context
    ) {
        status.canAsk = Askability.rule(
            platform: context.query.platform,
            Askability.Situation(
                status: status.status, extent: status.extent, authority: status.authority,
                asks: state.asks.map {
                    AskRecord(
                        variant: $0.variant, decided: $0.decided, denied: $0.denied,
                        undecided: $0.undecided,
                        isRefused: isRefused($0, state))
                },
                wanted: context.query.askedExtent ?? .full,
                isTracking: (context.query.systemPermission ?? context.query.resource)
                    == "tracking",
                isAppActive: context.query.isAppActive))
    }
}

extension Status.Act {
    fileprivate init(_ mark: KeyState.Mark) {
        self.init(event: mark.id, timestamp: mark.timestamp, outcome: mark.outcome)
    }
}

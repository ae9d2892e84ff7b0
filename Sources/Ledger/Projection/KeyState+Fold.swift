extension KeyState {
    /// Folds all facts of a key, in any order and with repetitions.
    static func fold(_ facts: [Fact]) -> KeyState {
        var state = KeyState()
        var seen: Set<EventID> = []
        var deciding: [EventID: (fact: Fact, decision: Fact.Decision)] = [:]
        var asked: [EventID: Fact] = [:]
        var closed: Set<EventID> = []
        for fact in facts where seen.insert(fact.id).inserted {
            if case .decides(let decision) = fact.role { deciding[fact.id] = (fact, decision) }
            if case .promptAsked = fact.role { asked[fact.id] = fact }
            if let ask = fact.closesAsk { closed.insert(ask) }
            state.tally(fact)
        }
        for (id, ask) in asked where !closed.contains(id) { state.open(ask) }
        state.awaitedAsks = closed.filter { asked[$0] == nil }.sorted()
        state.setInForce(deciding)
        return state
    }

    private mutating func setInForce(
        _ deciding: [EventID: (fact: Fact, decision: Fact.Decision)]
    ) {
        let named = Set(deciding.values.flatMap(\.fact.replaces))
        awaited = named.filter { deciding[$0] == nil }.sorted()
        var revised: [EventID: Fact.Decision] = [:]
        let superseded = Self.superseded(deciding)
        func entry(_ id: EventID) -> InForce? {
            Self.revise(id, deciding, &revised)
            guard let decision = revised[id], let fact = deciding[id]?.fact else { return nil }
            return InForce(
                id: id, timestamp: fact.timestamp, decision: decision,
                agreed: deciding[id]?.decision.revision,
                earlierActs: decision.isAct ? [] : Self.acts(below: id, deciding, superseded))
        }
        inForce = deciding.keys.filter { !named.contains($0) }.sorted().compactMap(entry)
        setShown(deciding.values.map(\.fact), entry)
    }

    /// What acts replace, directly or through observations.
    private static func superseded(
        _ deciding: [EventID: (fact: Fact, decision: Fact.Decision)]
    ) -> Set<EventID> {
        var open = deciding.values.filter(\.decision.isAct).flatMap(\.fact.replaces)
        var seen: Set<EventID> = []
        while let id = open.popLast() {
            // What an act replaces is in the list from the start.
            guard seen.insert(id).inserted, let next = deciding[id], !next.decision.isAct
            else { continue }
            open += next.fact.replaces
        }
        return seen
    }

    /// The acts that an observation stands on, without those that a later act replaces.
    private static func acts(
        below start: EventID, _ deciding: [EventID: (fact: Fact, decision: Fact.Decision)],
        _ superseded: Set<EventID>
    ) -> [Mark] {
        var open = [start]
        var seen: Set<EventID> = []
        var acts: [Mark] = []
        while let id = open.popLast() {
            guard seen.insert(id).inserted, let (fact, decision) = deciding[id] else { continue }
            if !decision.isAct {
                open += fact.replaces
            } else if !superseded.contains(id) {
                acts.insert(sorted: Mark(act: id, fact.timestamp, decision, decision.revision))
            }
        }
        return acts
    }

    /// Carries revisions along the edges, depth first without recursion: chains may be long.
    ///
    /// An id commits to the ids it replaces, so there is no cycle.
    private static func revise(
        _ start: EventID, _ deciding: [EventID: (fact: Fact, decision: Fact.Decision)],
        _ revised: inout [EventID: Fact.Decision]
    ) {
        var stack = [start]
        while let id = stack.last {
            guard revised[id] == nil, let (fact, decision) = deciding[id] else {
                stack.removeLast()
                continue
            }
            let known = fact.replaces.filter { deciding[$0] != nil }
            let open = known.filter { revised[$0] == nil }
            if open.isEmpty || !decision.status.isGranting {
                var decision = decision
                decision.carryRevision(from: known.compactMap { revised[$0] })
                revised[id] = decision
                stack.removeLast()
            } else {
                stack += open
            }
        }
    }
}

extension Fact.Decision {
    /// A grant keeps the highest revision agreed among the grants it replaces; a denial among
    /// them ends what was agreed before.
    mutating func carryRevision(from replaced: Fact.Decision) {
        guard status.isGranting, replaced.status.isGranting, let agreed = replaced.revision else {
            return
        }
        revision = revision.map { max($0, agreed) } ?? agreed
    }

    mutating func carryRevision(from replaced: [Fact.Decision]) {
        guard status.isGranting, !replaced.contains(where: { !$0.status.isGranting }) else {
            return
        }
        for decision in replaced { carryRevision(from: decision) }
    }
}

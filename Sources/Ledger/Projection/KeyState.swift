/// All the projection keeps about one key; a pure function of the key's events.
struct KeyState: Sendable, Hashable {
    /// A deciding event that no event of the same key replaces.
    struct InForce: Sendable, Hashable {
        let id: EventID
        let timestamp: Timestamp
        /// With the highest revision agreed among the grants it replaces.
        var decision: Fact.Decision
        /// The revision in the event itself, before any is carried over from what it replaces.
        var agreed: Revision?
        /// For an observation, the person's acts that it stands on and that no later act replaces,
        /// by id; an act stands on itself.
        var earlierActs: [Mark] = []
    }

    /// How prompts for one variant of the resource ended.
    struct Asks: Sendable, Hashable {
        let variant: Extent
        var decided = 0
        var denied = 0
        var undecided = 0
        /// When the system last refused to put the question.
        var lastRefusal: Timestamp?
    }

    struct Mark: Sendable, Hashable {
        let id: EventID
        let timestamp: Timestamp
        let outcome: Outcome
        /// The revision of the words that were answered.
        var revision: Revision?
        /// The identity the app was signed with.
        var signingIdentity: String?
        /// When what was granted ends.
        var end: Int64?

        func isLater(than other: Mark?) -> Bool {
            guard let other else { return true }
            return (timestamp, id) > (other.timestamp, other.id)
        }
    }

    /// Ascending by id.
    var inForce: [InForce] = []
    /// Ids that the key's events replace and that are not deciding events of the key, ascending.
    var awaited: [EventID] = []
    /// Prompts without an answer, ascending.
    var openAsks: [EventID] = []
    /// Ids that the key's answers name and that are not prompts of the key here, ascending.
    var awaitedAsks: [EventID] = []
    var primersShown = 0
    var promptsAsked = 0
    /// Ascending by the variant's code.
    var asks: [Asks] = []
    /// Units whose way on was taken, ascending.
    var continued: [Bytes32] = []
    /// The last primer whose way on was taken.
    var lastContinued: Mark? {
        get { continuedMark?.value }
        set { continuedMark = newValue.map(Boxed.init) }
    }
    /// The last primer that was declined or closed.
    var lastSkip: Mark? {
        get { skipMark?.value }
        set { skipMark = newValue.map(Boxed.init) }
    }

    // Few keys have primers, and the states of all of them are what lookups fetch from memory.
    private var continuedMark: Boxed<Mark>?
    private var skipMark: Boxed<Mark>?

    // What follows depends on the order of arrival here and is no part of the canonical bytes.

    /// A row of the key, from which the names as given can be read.
    var sampleRow: Int64 = 0
    /// How `openAsks` opened here, in their order.
    var opened: [Opened] = []
}

extension KeyState {
    /// Takes in one more fact of the key.
    ///
    /// - Returns: false when the result depends on events that this state no longer lists; then
    ///   the key must be folded anew, and the state is unchanged.
    mutating func apply(_ fact: Fact, blockers: [EventID]) -> Bool {
        let closes = fact.closesAsk
        if let closes, !openAsks.contains(sorted: closes) { return false }
        switch fact.role {
        case .decides(let decision):
            guard applyDecision(decision, fact, blockers, shown(at: closes)) else { return false }
        case .promptAsked:
            if !awaitedAsks.remove(fact.id) { open(fact) }
        default: break
        }
        if let closes { close(closes) }
        tally(fact)
        return true
    }

    /// `shown` was in force when the question opened that is answered.
    private mutating func applyDecision(
        _ decision: Fact.Decision, _ fact: Fact, _ blockers: [EventID], _ shown: [InForce]
    ) -> Bool {
        guard !awaited.contains(sorted: fact.id) else { return false }
        let agreed = decision.revision
        var decision = decision
        if inForce.count == fact.replaces.count, inForce.count <= 1, blockers.isEmpty,
            inForce.first?.id == fact.replaces.first
        {
            // The common case, without copies: it replaces what is in force.
            if let replaced = inForce.first?.decision { decision.carryRevision(from: replaced) }
            keepShown(besides: fact.closesAsk)
            if decision.isAct, let replaced = inForce.first { supersede(replaced.acts) }
            let entry = InForce(
                id: fact.id, timestamp: fact.timestamp, decision: decision, agreed: agreed,
                earlierActs: decision.isAct ? [] : inForce.first?.acts ?? [])
            if inForce.isEmpty { inForce.append(entry) } else { inForce[0] = entry }
            return true
        }
        var kept = inForce
        var named: [EventID] = []
        var replaced: [InForce] = []
        for id in fact.replaces {
            if let index = kept.firstIndex(where: { $0.id == id }) {
                replaced.append(kept.remove(at: index))
            } else if decision.isAct, let index = shown.firstIndex(where: { $0.id == id }) {
                // Another event replaced it meanwhile. (An observation would have to know whether
                // that was an act.)
                replaced.append(shown[index])
            } else if blockers.contains(id) {
                named.append(id)
            } else {
                return false
            }
        }
        decision.carryRevision(from: replaced.map(\.decision))
        keepShown(besides: fact.closesAsk)
        var acts: [Mark] = []
        for mark in replaced.flatMap(\.acts) { acts.insert(sorted: mark) }
        if decision.isAct {
            let past = Set(acts.map(\.id))
            for index in kept.indices { kept[index].earlierActs.removeAll { past.contains($0.id) } }
            supersede(acts)
            acts = []
        }
        let index = kept.firstIndex { $0.id > fact.id } ?? kept.count
        kept.insert(
            InForce(
                id: fact.id, timestamp: fact.timestamp, decision: decision, agreed: agreed,
                earlierActs: acts),
            at: index)
        inForce = kept
        for id in named { awaited.insertSorted(id) }
        return true
    }

    /// Counts and marks: what a fact adds whatever else is known.
    mutating func tally(_ fact: Fact) {
        switch fact.role {
        case .decides(let decision): tally(decision, fact)
        case .primerShown: primersShown += 1
        case .promptAsked: promptsAsked += 1
        case .primerAnswered(let outcome, let unit): tally(outcome, unit, fact)
        case .undecided(let variant, let isRefusal):
            count(variant) {
                $0.undecided += 1
                if isRefusal {
                    $0.lastRefusal = max($0.lastRefusal ?? fact.timestamp, fact.timestamp)
                }
            }
        case .blocks, .erases, .nothing: return
        }
        sampleRow = max(sampleRow, fact.row)
    }

    private mutating func tally(_ outcome: Outcome, _ unit: Bytes32?, _ fact: Fact) {
        let mark = Mark(id: fact.id, timestamp: fact.timestamp, outcome: outcome)
        if outcome == .continued {
            if let unit { continued.insertSorted(unit) }
            if mark.isLater(than: lastContinued) { lastContinued = mark }
        } else if mark.isLater(than: lastSkip) {
            lastSkip = mark
        }
    }

    private mutating func tally(_ decision: Fact.Decision, _ fact: Fact) {
        guard decision.isAct else { return }
        count(fact.variant) {
            $0.decided += 1
            if decision.status == .denied { $0.denied += 1 }
        }
    }

    private mutating func count(_ variant: Extent, _ change: (inout Asks) -> Void) {
        if let index = asks.firstIndex(where: { $0.variant == variant }) {
            change(&asks[index])
            return
        }
        var new = Asks(variant: variant)
        change(&new)
        asks.insert(new, at: asks.firstIndex { $0.variant.code > variant.code } ?? asks.count)
    }
}

extension Fact {
    /// The question that this fact answers or closes.
    var closesAsk: EventID? {
        switch role {
        case .decides, .undecided: answers
        default: nil
        }
    }
}

extension KeyState {
    /// The person's acts on the key that no later act replaces, most often one.
    ///
    /// What an act replaces tells that it came later; no clock does, so that a fast one cannot
    /// bring back what was withdrawn.
    private var acts: [Mark] {
        guard inForce.count > 1 else { return inForce.first?.acts ?? [] }
        var acts: [Mark] = []
        for mark in inForce.flatMap(\.acts) { acts.insert(sorted: mark) }
        return acts
    }

    /// Whether the person acted on the key at all.
    var hasAct: Bool { inForce.contains { $0.decision.isAct || !$0.earlierActs.isEmpty } }

    /// The act that is shown as the last: a denial before a grant where neither replaces the other.
    var lastAct: Mark? {
        if let only { return only }
        let acts = acts
        guard acts.count > 1 else { return acts.first }
        let denials = acts.filter { $0.outcome == .denied }
        var last: Mark?
        for mark in denials.isEmpty ? acts : denials where mark.isLater(than: last) { last = mark }
        return last
    }

    /// Whether the person's acts allow it at a time.
    func isConsented(at now: Int64) -> Bool {
        if inForce.count == 1, let entry = inForce.first, entry.decision.isAct {
            return entry.decision.status.isGranting && entry.decision.end.map { now < $0 } ?? true
        }
        let acts = acts
        return !acts.isEmpty && acts.allSatisfy { $0.allows(at: now) }
    }

    /// The common case, without an array: the one event in force is an act.
    private var only: Mark? {
        guard inForce.count == 1, let entry = inForce.first, entry.decision.isAct else {
            return nil
        }
        return Mark(act: entry.id, entry.timestamp, entry.decision, entry.agreed)
    }
}

extension KeyState.InForce {
    /// The person's acts that it is or stands on and that no later act replaces, by id.
    var acts: [KeyState.Mark] {
        decision.isAct ? [KeyState.Mark(act: id, timestamp, decision, agreed)] : earlierActs
    }
}

extension KeyState.Mark {
    /// An act as it was said: with its own revision, not one carried over from what it replaces.
    init(
        act id: EventID, _ timestamp: Timestamp, _ decision: Fact.Decision, _ agreed: Revision?
    ) {
        self.init(
            id: id, timestamp: timestamp,
            outcome: decision.status == .denied ? .denied : .allowed, revision: agreed,
            signingIdentity: decision.signingIdentity, end: decision.end)
    }

    func allows(at now: Int64) -> Bool {
        outcome == .allowed && end.map { now < $0 } ?? true
    }
}

extension [KeyState.Mark] {
    /// Keeps them ascending by id, each once.
    mutating func insert(sorted mark: KeyState.Mark) {
        let index = firstIndex { $0.id >= mark.id } ?? count
        if index == count || self[index].id != mark.id { insert(mark, at: index) }
    }
}

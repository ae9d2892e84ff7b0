/// What of a key was replaced lately, so that an answer to a question that opened before can still
/// be folded in without reading the key's events again.
///
/// An answer replaces what was in force when its question opened. Where the system's status was
/// observed in between, that is no longer in force, and the state alone cannot tell it from an
/// event that has not arrived.
struct KeyHistory {
    /// What is left of a deciding event that was replaced.
    fileprivate struct Past {
        let id: EventID
        let isGranting: Bool
        let revision: Revision?
        /// The person's act that it is or stands on.
        let act: EventID?
    }

    /// Answers come soon after their questions; what is older is read again.
    private static let pastsMax = 4

    fileprivate private(set) var pasts: [Past] = []

    fileprivate func past(_ id: EventID) -> Past? { pasts.last { $0.id == id } }

    /// Remembers what the fact is about to replace.
    fileprivate mutating func note(_ fact: Fact, in state: KeyState) {
        // Only an answer names what is no longer in force, and only while its question is open.
        guard !state.openAsks.isEmpty else {
            if !pasts.isEmpty { pasts = [] }
            return
        }
        for entry in state.inForce where fact.replaces.contains(entry.id) {
            // One that stands on several acts is rare enough to be read again.
            guard entry.decision.isAct || entry.earlierActs.count <= 1 else { continue }
            if pasts.count >= Self.pastsMax { pasts.removeFirst() }
            pasts.append(
                Past(
                    id: entry.id, isGranting: entry.decision.status.isGranting,
                    revision: entry.decision.revision,
                    act: entry.decision.isAct ? entry.id : entry.earlierActs.first?.id))
        }
    }
}

extension KeyState {
    /// Takes in one more fact of the key, as ``apply(_:blockers:)`` does, and where that cannot,
    /// with what is remembered.
    ///
    /// - Returns: false when the key must be folded anew; the state is unchanged then.
    mutating func apply(
        _ fact: Fact, blockers: [EventID], history: inout KeyHistory
    ) -> Bool {
        guard case .decides(let decision) = fact.role else {
            return apply(fact, blockers: blockers)
        }
        history.note(fact, in: self)
        return apply(fact, blockers: blockers) || applyLate(decision, fact, blockers, history)
    }

    /// An act that replaces what other events have replaced meanwhile.
    private mutating func applyLate(
        _ decision: Fact.Decision, _ fact: Fact, _ blockers: [EventID], _ history: KeyHistory
    ) -> Bool {
        guard decision.isAct, !awaited.contains(sorted: fact.id), canClose(fact.closesAsk) else {
            return false
        }
        var late = Late(decision)
        var kept = inForce
        for id in fact.replaces {
            if let index = kept.firstIndex(where: { $0.id == id }) {
                let entry = kept.remove(at: index)
                late.carry(
                    entry.decision.status.isGranting, entry.decision.revision,
                    entry.acts.map(\.id))
            } else if let past = history.past(id) {
                late.carry(past.isGranting, past.revision, past.act.map { [$0] } ?? [])
            } else if blockers.contains(id) {
                late.named.append(id)
            } else {
                return false
            }
        }
        for index in kept.indices {
            kept[index].earlierActs.removeAll { late.acts.contains($0.id) }
        }
        kept.insert(
            InForce(
                id: fact.id, timestamp: fact.timestamp, decision: late.decision,
                agreed: decision.revision),
            at: kept.firstIndex { $0.id > fact.id } ?? kept.count)
        inForce = kept
        for id in late.named { awaited.insertSorted(id) }
        if let ask = fact.closesAsk { close(ask) }
        tally(fact)
        return true
    }

    private func canClose(_ ask: EventID?) -> Bool {
        ask.map { openAsks.contains(sorted: $0) } ?? true
    }

    /// An act while what it replaces is gathered.
    private struct Late {
        var named: [EventID] = []
        /// The acts that are past with it.
        var acts: [EventID] = []
        private var agreed: Revision?
        private var endsAgreement = false
        private let act: Fact.Decision

        init(_ decision: Fact.Decision) { act = decision }

        mutating func carry(_ isGranting: Bool, _ revision: Revision?, _ acts: [EventID]) {
            self.acts += acts
            if !isGranting {
                endsAgreement = true
            } else if let revision {
                agreed = agreed.map { max($0, revision) } ?? revision
            }
        }

        /// With the highest revision agreed among the grants it replaces; a denial among them ends
        /// what was agreed before.
        var decision: Fact.Decision {
            guard act.status.isGranting, !endsAgreement, let agreed else { return act }
            var decision = act
            decision.revision = act.revision.map { max($0, agreed) } ?? agreed
            return decision
        }
    }
}

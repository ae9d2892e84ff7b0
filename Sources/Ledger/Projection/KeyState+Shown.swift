/// What the person was shown: what was in force here when a question opened.
///
/// An answer replaces that, whatever was decided meanwhile. It is kept beside each open question,
/// since finding it again would take reading all events of the person.
extension KeyState {
    /// Where a question opened here, and what was in force then.
    struct Opened: Sendable, Hashable {
        let row: Int64
        var shown = Shown.current
    }

    enum Shown: Sendable, Hashable {
        /// What is in force now: nothing was decided since.
        case current
        /// Ascending by id.
        case entries([InForce])
        /// More than are kept; the events tell.
        case unlisted
    }

    /// Whoever writes many rivals and as many questions must not make the state grow by their
    /// product.
    static let shownMax = 4

    mutating func open(_ ask: Fact) {
        let index = openAsks.lowerBound(ask.id)
        openAsks.insert(ask.id, at: index)
        opened.insert(Opened(row: ask.row), at: index)
    }

    mutating func close(_ ask: EventID) {
        let index = openAsks.lowerBound(ask)
        guard index < openAsks.count, openAsks[index] == ask else { return }
        openAsks.remove(at: index)
        opened.remove(at: index)
    }

    /// The events that were in force when a question opened that is open still; nil where the
    /// state does not tell.
    func shownIDs(at ask: EventID) -> [EventID]? {
        guard let index = openIndex(ask) else { return nil }
        switch opened[index].shown {
        case .current: return inForce.map(\.id)
        case .entries(let entries): return entries.map(\.id)
        case .unlisted: return nil
        }
    }

    /// What was in force when a question opened and may be in force no longer.
    func shown(at ask: EventID?) -> [InForce] {
        guard let ask, let index = openIndex(ask), case .entries(let entries) = opened[index].shown
        else { return [] }
        return entries
    }

    private func openIndex(_ ask: EventID) -> Int? {
        let index = openAsks.lowerBound(ask)
        return index < openAsks.count && openAsks[index] == ask ? index : nil
    }

    /// Notes what is in force, before it changes, with the questions that stay open.
    mutating func keepShown(besides answered: EventID?) {
        guard opened.count > (answered == nil ? 0 : 1) else { return }
        let shown =
            inForce.count <= Self.shownMax ? Shown.entries(inForce) : .unlisted
        for index in opened.indices where opened[index].shown == .current {
            opened[index].shown = shown
        }
    }

    /// Takes acts that a later one replaced from under the observations that were shown.
    mutating func supersede(_ acts: [Mark]) {
        guard !acts.isEmpty else { return }
        for index in opened.indices {
            guard case .entries(var entries) = opened[index].shown,
                entries.contains(where: { !$0.earlierActs.isEmpty })
            else { continue }
            for place in entries.indices {
                entries[place].earlierActs.removeAll { mark in
                    acts.contains { $0.id == mark.id }
                }
            }
            opened[index].shown = .entries(entries)
        }
    }

    /// Finds what was shown from all deciding events of the key.
    ///
    /// - Parameters:
    ///   - deciding: the facts, in any order.
    ///   - entry: the event as it was in force, by its id.
    mutating func setShown(_ deciding: [Fact], _ entry: (EventID) -> InForce?) {
        guard !opened.isEmpty else { return }
        let ordered = deciding.sorted { $0.row < $1.row }
        var next = ordered.startIndex
        var named: Set<EventID> = []
        var live: Set<EventID> = []
        for index in opened.indices.sorted(by: { opened[$0].row < opened[$1].row }) {
            while next < ordered.endIndex, ordered[next].row < opened[index].row {
                let fact = ordered[next]
                if !named.contains(fact.id) { live.insert(fact.id) }
                for id in fact.replaces {
                    named.insert(id)
                    live.remove(id)
                }
                next += 1
            }
            guard next < ordered.endIndex else { return }
            opened[index].shown =
                live.count <= Self.shownMax
                ? .entries(live.sorted().compactMap(entry)) : .unlisted
        }
    }
}

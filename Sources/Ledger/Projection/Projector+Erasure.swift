extension Projector {
    func isErased(_ tag: SubjectTag) -> Bool { erasures[tag] != nil }

    func addErasure(_ fact: Fact, isStored: Bool) throws(LedgerError) {
        let row = EventStore.ErasureRow(tag: fact.tag, id: fact.id, row: fact.row)
        var known = erasures[fact.tag] ?? []
        guard !known.contains(where: { $0.id == fact.id }) else { return }
        known.append(row)
        known.sort { $0.id < $1.id }
        erasures[fact.tag] = known
        if !isStored { try store.insertErasure(row) }
    }

    /// Forgets what was projected of a subject whose bodies were erased; what is left of it is
    /// folded from `facts`.
    ///
    /// Everything must have been flushed: a tail would be folded in twice.
    func erase(_ tag: SubjectTag, keeping facts: [Fact]) throws(LedgerError) {
        try amend()
        try store.deleteStates(of: tag)
        try store.deleteBlockers(of: tag)
        blockers[tag] = nil
        var factsByKey: [StateKey: [Fact]] = [:]
        for fact in facts {
            if let key = fact.key { factsByKey[key, default: []].append(fact) }
        }
        var changes = StateBundle.Changes()
        for (key, facts) in factsByKey.sorted(by: { $0.key < $1.key }) {
            changes.append(key, KeyState.fold(facts))
        }
        _ = try store.putStates(changes)
        dropCache()
    }
}

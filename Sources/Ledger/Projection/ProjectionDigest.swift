extension Core {
    /// SHA-256 over all keys with their canonical states, and the unreadable events.
    ///
    /// Equal on replicas that hold the same events. Inside a snapshot.
    func projectionDigest() throws(LedgerError) -> Bytes32 {
        try projector.loadTail()
        var states: [StateKey: [UInt8]] = [:]
        try store.forEachState { (key, state) in
            if case .state(let state) = state { states[key] = state.canonicalBytes }
            return true
        }
        for key in projector.dirtyKeys {
            states[key] = try projector.entry(key).state.canonicalBytes
        }
        var writer = CBORWriter()
        for (key, state) in states.sorted(by: { $0.key < $1.key }) {
            writer.byteString(key.bytes)
            writer.byteString(state)
        }
        for (tag, ids) in projector.blockers.sorted(by: { $0.key < $1.key }) {
            writer.byteString(tag.bytes)
            for id in ids { writer.byteString(id.bytes) }
        }
        for (tag, erasures) in projector.erasures.sorted(by: { $0.key < $1.key }) {
            writer.byteString(tag.bytes)
            for erasure in erasures { writer.byteString(erasure.id.bytes) }
        }
        return digester.digest(writer.bytes)
    }
}

extension Ledger {
    /// A digest of all statuses' causes, for comparing replicas in tests and reports.
    package func projectionDigest() throws(LedgerError) -> Bytes32 {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.projectionDigest() }
        }
    }
}

extension Ledger {
    /// The status of one key.
    ///
    /// About now it is answered from memory where the key was read before and nothing was committed
    /// since. Another moment folds the person's events anew: O(n) in their number.
    ///
    /// - Parameter query: which key, and at which moment.
    /// - Returns: never older than the last commit, of this process or another.
    /// - Throws: `invalid` for a name against the rules, `busy`, `damaged`, `io`.
    public func status(_ query: StatusQuery) throws(LedgerError) -> Status {
        try withCore { (core) throws(LedgerError) in try core.status(query) }
    }

    /// Goes through the statuses of all keys, in the order of their keys.
    ///
    /// Reads one snapshot on a connection of its own: the ledger stays free for others meanwhile,
    /// and `body` may use it.
    ///
    /// - Parameters:
    ///   - query: the conditions under which each status is read; its subject, resource and place
    ///     are ignored. For a moment in the past, only keys of which something was known then.
    ///   - body: takes each entry; return false to stop.
    /// - Throws: what `body` throws, or as ``status(_:)``.
    public func statuses(
        _ query: StatusQuery, _ body: (StatusEntry) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.statuses(query, body) }
        }
    }

    /// Goes through events in constant memory.
    ///
    /// In the order of their timestamps, or of their arrival where
    /// ``HistoryFilter/afterPosition`` is set. The ledger stays free for others meanwhile, and
    /// `body` may use it.
    ///
    /// - Parameters:
    ///   - filter: which events.
    ///   - body: takes each event; return false to stop.
    /// - Throws: what `body` throws, or `busy`, `damaged`, `io`.
    public func history(
        _ filter: HistoryFilter, _ body: (HistoryEntry) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.history(filter, body) }
        }
    }

    /// The position of the last event that arrived, for ``HistoryFilter/afterPosition``.
    ///
    /// - Returns: 0 before the first event.
    /// - Throws: `busy`, `damaged`, `io`.
    public func lastPosition() throws(LedgerError) -> Int64 {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { core.rows.chains.maxRow }
        }
    }

    /// One event.
    ///
    /// - Parameter id: its id.
    /// - Returns: nil when it is not here.
    /// - Throws: `busy`, `damaged`, `io`.
    /// - Complexity: O(n) in the number of events, about 0.3 µs each; go by subject where you can.
    public func event(_ id: EventID) throws(LedgerError) -> HistoryEntry? {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.event(id) }
        }
    }

    /// The events whose ids begin with a text.
    ///
    /// - Parameter prefix: the beginning of the base32 form.
    /// - Returns: at most eight of them.
    /// - Throws: `invalid` for a text that is not base32; `busy`, `damaged`, `io`.
    /// - Complexity: O(n) in the number of events.
    public func events(withPrefix prefix: String) throws(LedgerError) -> [HistoryEntry] {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                try core.events(withPrefix: prefix)
            }
        }
    }

    /// The bytes of the published catalog unit with this digest.
    ///
    /// - Parameter digest: as in ``Payload/unit``.
    /// - Returns: nil when it was not published here.
    /// - Throws: `busy`, `damaged`, `io`.
    public func catalogUnit(_ digest: Bytes32) throws(LedgerError) -> [UInt8]? {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                guard let row = try core.store.unitRow(digest) else { return nil }
                guard let content = try core.rows.event(row)?.payload?.unitContent,
                    try CatalogUnit.digest(of: content) == digest
                else { throw core.store.damaged("catalog unit") }
                return content
            }
        }
    }
}

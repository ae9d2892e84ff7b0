/// Named values that there is one of.
enum MetaName: String {
    case ledger, ledgerKey, founder, recoveryKey, nonce
    case replica, ownLog, epoch
    /// How many logs were opened since a peer last proved what it claimed to hold of our own.
    case claimedEpochs
    /// Rows up to this one are in the projection table.
    case watermark
    /// Rows up to this one are in index runs.
    case indexedThrough
    /// How often rows were judged again, or all of them, so that other processes start anew.
    case amendments
    /// The logical clock, written where it moves without an own event.
    case clock
    /// The latest own wall time, written with every flush and wherever the wall is behind it.
    case floor
    /// Own events up to this row no longer count towards the floor.
    case floorReset
    /// How often bodies were erased here, and up to which of them no trace is left in the files.
    case erasureCount, scrubbedCount
    /// The invitation that this replica came with.
    case invitation
}

extension EventStore {
    func meta(_ name: MetaName) throws(LedgerError) -> [UInt8]? {
        let statement = try statement("SELECT value FROM meta WHERE name=?1")
        statement.bind(1, name.rawValue)
        defer { statement.reset() }
        return try statement.step() ? statement.bytes(0) : nil
    }

    func metaInteger(_ name: MetaName) throws(LedgerError) -> Int64 {
        let statement = try statement("SELECT value FROM meta WHERE name=?1")
        statement.bind(1, name.rawValue)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The numbers that tell what other processes did, in one query.
    struct Marks {
        var watermark: Int64 = 0
        var indexedThrough: Int64 = 0
        var amendments: Int64 = 0
        var floorReset: Int64 = 0
    }

    func marks() throws(LedgerError) -> Marks {
        let statement = try statement(
            """
            SELECT (SELECT value FROM meta WHERE name='watermark'),
                (SELECT value FROM meta WHERE name='indexedThrough'),
                (SELECT value FROM meta WHERE name='amendments'),
                (SELECT value FROM meta WHERE name='floorReset')
            """)
        defer { statement.reset() }
        guard try statement.step() else { return Marks() }
        return Marks(
            watermark: statement.integer(0), indexedThrough: statement.integer(1),
            amendments: statement.integer(2), floorReset: statement.integer(3))
    }

    func setMeta(_ name: MetaName, _ value: [UInt8]) throws(LedgerError) {
        let statement = try statement("INSERT OR REPLACE INTO meta VALUES(?1, ?2)")
        statement.bind(1, name.rawValue)
        statement.bind(2, value)
        try statement.run()
    }

    func setMeta(_ name: MetaName, _ value: Int64) throws(LedgerError) {
        let statement = try statement("INSERT OR REPLACE INTO meta VALUES(?1, ?2)")
        statement.bind(1, name.rawValue)
        statement.bind(2, value)
        try statement.run()
    }
}

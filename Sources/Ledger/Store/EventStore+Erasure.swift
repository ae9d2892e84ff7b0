extension EventStore {
    /// An `erased` event and where it is stored.
    struct ErasureRow {
        let tag: SubjectTag
        let id: EventID
        let row: Int64
    }

    func erasures() throws(LedgerError) -> [ErasureRow] {
        let statement = try statement("SELECT tag, id, row FROM erasure ORDER BY tag, id")
        var erasures: [ErasureRow] = []
        while try statement.step() {
            guard let tag = SubjectTag(bytes: statement.bytes(0)),
                let id = EventID(bytes: statement.bytes(1))
            else { throw damaged("erasure") }
            erasures.append(ErasureRow(tag: tag, id: id, row: statement.integer(2)))
        }
        return erasures
    }

    func insertErasure(_ erasure: ErasureRow) throws(LedgerError) {
        let statement = try statement("INSERT OR IGNORE INTO erasure VALUES(?1, ?2, ?3)")
        statement.bind(1, erasure.tag.bytes)
        statement.bind(2, erasure.id.bytes)
        statement.bind(3, erasure.row)
        try statement.run()
    }

    /// Drops an event's salt and payload; `head` is prepared for a row without a body.
    func eraseBody(row: Int64, head: [UInt8]) throws(LedgerError) {
        let statement = try statement("UPDATE event SET head=?2, body=zeroblob(0) WHERE row=?1")
        statement.bind(1, row)
        statement.bind(2, Array(head[StoredRow.headStart(hasBody: false)...]))
        try statement.run()
    }

    /// Forgets the calls that wrote these rows: their keyed digests are made from what was said.
    func deleteCalls(ofRows rows: Set<Int64>) throws(LedgerError) {
        let selection = try statement("SELECT key, row FROM call")
        var keys: [[UInt8]] = []
        while try selection.step() {
            if rows.contains(selection.integer(1)) { keys.append(selection.bytes(0)) }
        }
        let deletion = try statement("DELETE FROM call WHERE key=?1")
        for key in keys {
            deletion.bind(1, key)
            try deletion.run()
        }
    }

    func deleteStates(of tag: SubjectTag) throws(LedgerError) {
        // Another subject's tag may begin alike; of what does not decode nothing is kept.
        var rest: [UInt8] = []
        try withBundle(StateBundle.row(tag)) { items in
            for item in items ?? [] where StateKey(bytes: [UInt8](item.key)).tag != tag {
                StateBundle.append(item.key, item.state, to: &rest)
            }
        }
        try putBundle(StateBundle.row(tag), rest)
    }

    func deleteBlockers(of tag: SubjectTag) throws(LedgerError) {
        let statement = try statement("DELETE FROM blocker WHERE tag=?1")
        statement.bind(1, tag.bytes)
        try statement.run()
    }

    /// More than this is copied through a file instead of memory.
    private static let scrubInMemoryMax: Int64 = 64 << 20

    /// Writes the files anew, so that no deleted byte is left in them; outside of transactions.
    ///
    /// `secure_delete` is not enough: rebalanced pages keep copies of cells that have moved.
    ///
    /// - Returns: false while a reader still needs the old content; then try again later.
    func scrub() throws(LedgerError) -> Bool {
        let size = try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
        if size > Self.scrubInMemoryMax { try database.execute("PRAGMA temp_store=FILE") }
        defer { try? database.execute("PRAGMA temp_store=MEMORY") }
        try database.execute("VACUUM")
        return try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }
}

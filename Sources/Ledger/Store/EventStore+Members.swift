extension EventStore {
    /// The rows after a row that hold events about members.
    func memberRows(after row: Int64) throws(LedgerError) -> [Int64] {
        let statement = try statement("SELECT row FROM member_event WHERE row>?1 ORDER BY row")
        statement.bind(1, row)
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.integer(0)) }
        return rows
    }

    func isMemberRow(_ row: Int64) throws(LedgerError) -> Bool {
        let statement = try statement("SELECT 1 FROM member_event WHERE row=?1")
        statement.bind(1, row)
        defer { statement.reset() }
        return try statement.step()
    }

    func insertMemberRow(_ row: Int64) throws(LedgerError) {
        let statement = try statement("INSERT OR IGNORE INTO member_event VALUES(?1)")
        statement.bind(1, row)
        try statement.run()
    }

    // MARK: Folder secrets

    /// The secrets that came with an invitation.
    func folderSecrets() throws(LedgerError) -> [FolderSecret] {
        let statement = try statement(
            "SELECT removal, generation, secret FROM folder_secret ORDER BY removal")
        var secrets: [FolderSecret] = []
        while try statement.step() {
            guard let removal = EventID(bytes: statement.bytes(0)),
                let generation = Self.count(statement.integer(1))
            else { throw damaged("folder_secret") }
            secrets.append(
                FolderSecret(
                    generation: generation, removal: removal, bytes: statement.bytes(2)))
        }
        return secrets
    }

    func insertFolderSecret(_ secret: FolderSecret) throws(LedgerError) {
        let statement = try statement("INSERT OR IGNORE INTO folder_secret VALUES(?1, ?2, ?3)")
        statement.bind(1, secret.removal?.bytes ?? [])
        statement.bind(2, Int64(clamping: secret.generation))
        statement.bind(3, secret.bytes)
        try statement.run()
    }

    // MARK: Strangers

    /// A log that was offered and not taken, since its author is not known.
    struct StrangerRow {
        let author: ReplicaID
        let log: LogID
        let size: UInt64
        let milliseconds: Int64
    }

    func strangers() throws(LedgerError) -> [StrangerRow] {
        let statement = try statement(
            "SELECT author, log, size, milliseconds FROM stranger ORDER BY author, log")
        var rows: [StrangerRow] = []
        while try statement.step() {
            guard let author = ReplicaID(bytes: statement.bytes(0)),
                let log = LogID(bytes: statement.bytes(1)),
                let size = Self.count(statement.integer(2))
            else { throw damaged("stranger") }
            rows.append(
                StrangerRow(
                    author: author, log: log, size: size, milliseconds: statement.integer(3)))
        }
        return rows
    }

    /// Notes how much of a stranger's log was offered; anyone can make up strangers, so beyond
    /// `rowsMax` the oldest note gives way.
    func noteStranger(_ row: StrangerRow, rowsMax: Int) throws(LedgerError) {
        let statement = try statement(
            """
            INSERT INTO stranger VALUES(?1, ?2, ?3, ?4) ON CONFLICT(author, log) DO UPDATE
            SET size=max(size, excluded.size), milliseconds=excluded.milliseconds
            """)
        statement.bind(1, row.author.bytes)
        statement.bind(2, row.log.bytes)
        statement.bind(3, Int64(clamping: row.size))
        statement.bind(4, row.milliseconds)
        try statement.run()
        let surplus = try database.integer("SELECT count(*) FROM stranger") - Int64(rowsMax)
        guard surplus > 0 else { return }
        let deletion = try self.statement(
            """
            DELETE FROM stranger WHERE (author, log) IN
            (SELECT author, log FROM stranger ORDER BY milliseconds, author, log LIMIT ?1)
            """)
        deletion.bind(1, surplus)
        try deletion.run()
    }

    func forgetStranger(_ author: ReplicaID) throws(LedgerError) {
        let statement = try statement("DELETE FROM stranger WHERE author=?1")
        statement.bind(1, author.bytes)
        try statement.run()
    }
}

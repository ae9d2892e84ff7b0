extension EventStore {
    /// An invitation that was given out, by the digest of its token.
    struct InvitationRow {
        let digest: Bytes32
        let name: String?
        let created: Int64
        let expires: Int64
        /// The log this replica wrote then.
        let log: LogID
        let isRevoked: Bool
        /// Who came with it.
        let replica: ReplicaID?
    }

    /// The newest first.
    func invitations() throws(LedgerError) -> [InvitationRow] {
        let statement = try statement(
            """
            SELECT digest, name, created, expires, log, is_revoked, replica FROM invitation
            ORDER BY rowid DESC
            """)
        var rows: [InvitationRow] = []
        while try statement.step() { rows.append(try row(statement)) }
        return rows
    }

    func invitation(_ digest: Bytes32) throws(LedgerError) -> InvitationRow? {
        let statement = try statement(
            """
            SELECT digest, name, created, expires, log, is_revoked, replica FROM invitation
            WHERE digest=?1
            """)
        statement.bind(1, digest.bytes)
        defer { statement.reset() }
        return try statement.step() ? try row(statement) : nil
    }

    private func row(_ statement: Statement) throws(LedgerError) -> InvitationRow {
        guard let digest = Bytes32(statement.bytes(0)), let log = LogID(bytes: statement.bytes(4))
        else { throw damaged("invitation") }
        return InvitationRow(
            digest: digest, name: statement.isNull(1) ? nil : statement.text(1),
            created: statement.integer(2), expires: statement.integer(3), log: log,
            isRevoked: statement.integer(5) == 1, replica: ReplicaID(bytes: statement.bytes(6)))
    }

    func insertInvitation(_ row: InvitationRow) throws(LedgerError) {
        let statement = try statement(
            "INSERT INTO invitation VALUES(?1, ?2, ?3, ?4, ?5, 0, NULL)")
        statement.bind(1, row.digest.bytes)
        if let name = row.name { statement.bind(2, name) } else { statement.bindNull(2) }
        statement.bind(3, row.created)
        statement.bind(4, row.expires)
        statement.bind(5, row.log.bytes)
        try statement.run()
    }

    func setInvitation(
        _ digest: Bytes32, isRevoked: Bool, replica: ReplicaID?
    ) throws(LedgerError) {
        let statement = try statement(
            "UPDATE invitation SET is_revoked=?2, replica=?3 WHERE digest=?1")
        statement.bind(1, digest.bytes)
        statement.bind(2, isRevoked ? 1 : 0)
        if let replica { statement.bind(3, replica.bytes) } else { statement.bindNull(3) }
        try statement.run()
    }

    func deleteInvitation(_ digest: Bytes32) throws(LedgerError) {
        let statement = try statement("DELETE FROM invitation WHERE digest=?1")
        statement.bind(1, digest.bytes)
        try statement.run()
    }
}

/// The tables, and the steps from one version of them to the next.
enum Schema {
    /// "CLE1" as SQLite's application id, so that `file` and we know whose database it is.
    static let applicationID: Int64 = 0x434C_4531

    private static let makeStatesAnew = """
        DELETE FROM projection;
        UPDATE meta SET value=0 WHERE name='watermark';
        """

    /// Each step brings a database from its index to the next version, in one transaction.
    static let steps: [String] = [
        """
        CREATE TABLE meta(name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        CREATE TABLE chain(no INTEGER PRIMARY KEY, log BLOB NOT NULL, author BLOB NOT NULL);
        CREATE INDEX chain_log ON chain(log);
        CREATE TABLE piece(
            chain INTEGER NOT NULL, first_sequence INTEGER NOT NULL, first_row INTEGER NOT NULL,
            is_shared INTEGER NOT NULL, PRIMARY KEY(chain, first_sequence)) WITHOUT ROWID;
        CREATE TABLE event(row INTEGER PRIMARY KEY, head BLOB NOT NULL, body BLOB);
        CREATE INDEX event_missing ON event(row) WHERE body IS NULL;
        CREATE TABLE arrival(first_row INTEGER PRIMARY KEY, milliseconds INTEGER NOT NULL);
        CREATE TABLE checkpoint(
            chain INTEGER NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL,
            signature BLOB NOT NULL, frontier BLOB NOT NULL,
            PRIMARY KEY(chain, size)) WITHOUT ROWID;
        CREATE TABLE subtree(
            chain INTEGER NOT NULL, place INTEGER NOT NULL, root BLOB NOT NULL,
            PRIMARY KEY(chain, place)) WITHOUT ROWID;
        CREATE TABLE call(key BLOB PRIMARY KEY, row INTEGER NOT NULL, content BLOB NOT NULL)
            WITHOUT ROWID;
        CREATE TABLE projection(key BLOB PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE blocker(
            tag BLOB NOT NULL, id BLOB NOT NULL, row INTEGER NOT NULL,
            PRIMARY KEY(tag, id)) WITHOUT ROWID;
        CREATE TABLE unit(digest BLOB PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE run(
            no INTEGER PRIMARY KEY, level INTEGER NOT NULL, first_row INTEGER NOT NULL,
            last_row INTEGER NOT NULL, fences BLOB NOT NULL);
        CREATE TABLE run_page(place INTEGER PRIMARY KEY, entries BLOB NOT NULL);
        """,
        // States say what was in force when each open question opened.
        makeStatesAnew,
        """
        CREATE TABLE erasure(
            tag BLOB NOT NULL, id BLOB NOT NULL, row INTEGER NOT NULL,
            PRIMARY KEY(tag, id)) WITHOUT ROWID;
        """,
        // A row's head begins with 4 bytes of the id and 8 of the time; then comes the kind.
        """
        CREATE TABLE member_event(row INTEGER PRIMARY KEY);
        INSERT INTO member_event SELECT row FROM event
            WHERE substr(head, 13, 2) IN (x'0001', x'0007', x'0008');
        CREATE TABLE stranger(
            author BLOB NOT NULL, log BLOB NOT NULL, size INTEGER NOT NULL,
            milliseconds INTEGER NOT NULL, PRIMARY KEY(author, log)) WITHOUT ROWID;
        """,
        // A replica's own events come from peers too, once it lost some: rows tell them apart.
        "ALTER TABLE arrival ADD COLUMN last_row INTEGER",
        """
        CREATE TABLE invitation(
            digest BLOB PRIMARY KEY, name TEXT, created INTEGER NOT NULL, expires INTEGER NOT NULL,
            log BLOB NOT NULL, is_revoked INTEGER NOT NULL, replica BLOB);
        """,
        // States say when a question was last refused.
        makeStatesAnew,
        // A row for all keys of a subject.
        """
        DROP TABLE projection;
        CREATE TABLE projection(row INTEGER PRIMARY KEY, states BLOB NOT NULL);
        UPDATE meta SET value=0 WHERE name='watermark';
        """,
    ]

    /// Brings `database` to the newest version; refuses one that a newer version wrote.
    static func migrate(
        _ database: Database, steps: [String] = steps
    ) throws(LedgerError) {
        let version = try check(database, newest: steps.count)
        guard version < steps.count else { return }
        try database.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have migrated between the check and the lock.
            for step in steps.dropFirst(try check(database, newest: steps.count)) {
                try database.execute(step)
            }
            try database.execute("PRAGMA application_id=\(applicationID)")
            try database.execute("PRAGMA user_version=\(steps.count)")
            try database.execute("COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// The version found; 0 for an empty file.
    @discardableResult
    static func check(
        _ database: Database, newest: Int = steps.count
    ) throws(LedgerError) -> Int {
        let version = try database.integer("PRAGMA user_version")
        let application = try database.integer("PRAGMA application_id")
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
        guard application == applicationID || (application == 0 && tables == 0) else {
            throw LedgerError(.damaged, "\(database.path) is not a consent ledger's database.")
        }
        guard version <= newest else {
            throw LedgerError(
                .newerSchema,
                "\(database.path) has schema \(version), this version knows up to \(newest); "
                    + "install a newer ledgerd.")
        }
        return Int(version)
    }
}

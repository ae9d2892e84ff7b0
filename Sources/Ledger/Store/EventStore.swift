/// Every statement a ledger runs on its database.
///
/// Guarded by the lock of the ledger.
final class EventStore {
    let database: Database
    private var statements: [UnsafeRawPointer: Statement] = [:]
    private let insertion: Statement
    private var chainChanges = ChainChanges()
    private static let scan =
        "SELECT row, head, body FROM event WHERE row BETWEEN ?1 AND ?2 ORDER BY row"
    /// Where rows of states are put together, kept to save allocations.
    var bundleScratch: [UInt8] = []
    /// Prepared for the next scan; nil while one is under way.
    private var idleScan: Statement?

    init(database: Database) throws(LedgerError) {
        self.database = database
        insertion = try database.prepare("INSERT INTO event(row, head, body) VALUES(?1, ?2, ?3)")
    }

    /// Opens and, where it may be written, prepares the file for use by many processes.
    static func open(
        _ path: String, mode: Database.Mode, lockWaitMilliseconds: Int32
    ) throws(LedgerError) -> EventStore {
        let database = try Database(
            path: path, mode: mode, lockWaitMilliseconds: lockWaitMilliseconds)
        try database.execute("PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY")
        try database.execute("PRAGMA cache_size=-16384")
        if mode == .create || mode == .readWrite {
            try Schema.check(database)
            // A power cut must never lose an event that a peer may have received already.
            try database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
            try database.execute("PRAGMA wal_autocheckpoint=4000")
            try Schema.migrate(database)
        } else {
            guard try Schema.check(database) == Schema.steps.count else {
                throw LedgerError(
                    .readOnly,
                    "\(path) has an older schema; open it for writing once to migrate it.")
            }
            if mode == .queryOnly { try database.execute("PRAGMA query_only=ON") }
        }
        return try EventStore(database: database)
    }

    /// A statement prepared once; `sql` is a literal, whose address names it.
    func statement(_ sql: StaticString) throws(LedgerError) -> Statement {
        let name = UnsafeRawPointer(sql.utf8Start)
        if let statement = statements[name] { return statement }
        let statement = try database.prepare(sql.description)
        statements[name] = statement
        return statement
    }

    // MARK: Transactions

    func beginWrite() throws(LedgerError) { try statement("BEGIN IMMEDIATE").run() }
    func commit() throws(LedgerError) {
        do { try statement("COMMIT").run() } catch {
            rollback()
            throw error
        }
    }
    func rollback() {
        guard database.isInTransaction else { return }
        try? database.execute("ROLLBACK")
    }

    /// Runs `body` on one snapshot.
    func withSnapshot<R>(_ body: () throws(LedgerError) -> R) throws(LedgerError) -> R {
        if database.isInTransaction { return try body() }
        try statement("BEGIN").run()
        defer { try? statement("COMMIT").run() }
        return try body()
    }

    // MARK: Changes

    /// Which chains were changed through this connection since that was asked last.
    struct ChainChanges {
        var numbers: Set<Int64> = []
        /// Payloads came or went, of whatever chains.
        var isAny = false
    }

    /// Notes come before the commit: what is rolled back is looked at in vain, and that is all.
    func noteChange(of chain: Int64?) {
        if let chain { chainChanges.numbers.insert(chain) } else { chainChanges.isAny = true }
    }

    func takeChainChanges() -> ChainChanges {
        defer { chainChanges = ChainChanges() }
        return chainChanges
    }

    /// A number that differs after commits of other connections
    /// (https://sqlite.org/pragma.html#pragma_data_version).
    func commitsOfOthers() throws(LedgerError) -> Int64 {
        let statement = try statement("PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    // MARK: Events

    func maxRow() throws(LedgerError) -> Int64 {
        let statement = try statement("SELECT max(row) FROM event")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Stores an event; an empty body says that it was erased, nil that it is missing.
    func insertEvent(
        row: Int64, head: [UInt8], body: [UInt8]?
    ) throws(LedgerError) {
        insertion.bind(1, row)
        let start = StoredRow.headStart(hasBody: body?.isEmpty == false)
        let outcome = head.withUnsafeBytes { head -> Result<Void, LedgerError> in
            insertion.bindBorrowed(2, UnsafeRawBufferPointer(rebasing: head[start...]))
            guard let body, !body.isEmpty else {
                if body == nil { insertion.bindNull(3) } else { insertion.bind(3, []) }
                return Result { () throws(LedgerError) in try insertion.run() }
            }
            return body.withUnsafeBytes { body in
                insertion.bindBorrowed(3, body)
                return Result { () throws(LedgerError) in try insertion.run() }
            }
        }
        try outcome.get()
    }

    func isBodyMissing(_ row: Int64) throws(LedgerError) -> Bool {
        let statement = try statement("SELECT body IS NULL FROM event WHERE row=?1")
        statement.bind(1, row)
        defer { statement.reset() }
        return try statement.step() && statement.integer(0) == 1
    }

    /// How many bytes of headers and payloads a range of rows holds.
    func byteCount(_ rows: ClosedRange<Int64>) throws(LedgerError) -> Int {
        let statement = try statement(
            """
            SELECT sum(length(head) + coalesce(length(body), 0)) FROM event
            WHERE row BETWEEN ?1 AND ?2
            """)
        statement.bind(1, rows.lowerBound)
        statement.bind(2, rows.upperBound)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// The rows in a range whose payload never came.
    func missingBodies(_ rows: ClosedRange<Int64>) throws(LedgerError) -> [Int64] {
        let statement = try statement(
            "SELECT row FROM event WHERE body IS NULL AND row BETWEEN ?1 AND ?2 ORDER BY row")
        statement.bind(1, rows.lowerBound)
        statement.bind(2, rows.upperBound)
        var missing: [Int64] = []
        while try statement.step() { missing.append(statement.integer(0)) }
        return missing
    }

    /// Stores an event anew whose body came late; `head` is prepared for a row with a body.
    func replaceEvent(row: Int64, head: [UInt8], body: [UInt8]) throws(LedgerError) {
        noteChange(of: nil)
        let statement = try statement("UPDATE event SET head=?2, body=?3 WHERE row=?1")
        statement.bind(1, row)
        statement.bind(2, Array(head[StoredRow.headStart(hasBody: true)...]))
        statement.bind(3, body)
        try statement.run()
    }

    /// Goes through stored rows; the buffers are valid inside `body` only.
    ///
    /// - Parameters:
    ///   - rows: from where to where.
    ///   - body: takes row, head and body; return false to stop.
    /// - Throws: what `body` throws, `damaged`, `io`.
    func forEachEvent(
        _ rows: ClosedRange<Int64>,
        _ body: (Int64, UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        let statement: Statement
        if let idleScan {
            statement = idleScan
        } else {
            statement = try database.prepare(Self.scan)
        }
        // Not shared: `body` may ask for other rows meanwhile.
        idleScan = nil
        defer {
            statement.reset()
            idleScan = statement
        }
        statement.bind(1, rows.lowerBound)
        statement.bind(2, rows.upperBound)
        while try statement.step() {
            let payload = statement.isNull(2) ? nil : statement.borrowed(2)
            guard try body(statement.integer(0), statement.borrowed(1), payload) else { return }
        }
    }

    /// One stored row; false when it is not there.
    func readEvent(
        _ row: Int64,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(LedgerError) -> Void
    ) throws(LedgerError) -> Bool {
        let statement = try statement("SELECT head, body FROM event WHERE row=?1")
        statement.bind(1, row)
        defer { statement.reset() }
        guard try statement.step() else { return false }
        try body(statement.borrowed(0), statement.isNull(1) ? nil : statement.borrowed(1))
        return true
    }

    /// Rows that came from a peer together, and when.
    struct Arrival {
        let firstRow: Int64
        /// Nil where an older version did not note it.
        let lastRow: Int64?
        let milliseconds: Int64
    }

    func insertArrival(
        rows: ClosedRange<Int64>, milliseconds: Int64
    ) throws(LedgerError) {
        let statement = try statement("INSERT INTO arrival VALUES(?1, ?2, ?3)")
        statement.bind(1, rows.lowerBound)
        statement.bind(2, milliseconds)
        statement.bind(3, rows.upperBound)
        try statement.run()
    }

    /// When rows from peers arrived, ascending by row.
    func arrivals() throws(LedgerError) -> [Arrival] {
        let statement = try statement(
            "SELECT first_row, milliseconds, last_row FROM arrival ORDER BY 1")
        var arrivals: [Arrival] = []
        while try statement.step() {
            arrivals.append(
                Arrival(
                    firstRow: statement.integer(0),
                    lastRow: statement.isNull(2) ? nil : statement.integer(2),
                    milliseconds: statement.integer(1)))
        }
        return arrivals
    }

    /// Writes a consistent copy of the whole database while others write.
    func copy(to path: String) throws(LedgerError) {
        let statement = try database.prepare("VACUUM INTO ?1")
        statement.bind(1, path)
        do throws(LedgerError) { try statement.run() } catch { throw error.whileCopying(to: path) }
    }

    // MARK: Calls and units

    /// The row that a call with this key wrote, and the digest of what it said.
    func call(_ key: [UInt8]) throws(LedgerError) -> (row: Int64, content: [UInt8])? {
        let statement = try statement("SELECT row, content FROM call WHERE key=?1")
        statement.bind(1, key)
        defer { statement.reset() }
        return try statement.step() ? (statement.integer(0), statement.bytes(1)) : nil
    }

    func insertCall(_ key: [UInt8], row: Int64, content: [UInt8]) throws(LedgerError) {
        let statement = try statement("INSERT INTO call VALUES(?1, ?2, ?3)")
        statement.bind(1, key)
        statement.bind(2, row)
        statement.bind(3, content)
        try statement.run()
    }

    /// Notes a call whose event came back from a peer: what it said is read from the event.
    func insertReturnedCall(_ key: [UInt8], row: Int64) throws(LedgerError) {
        let statement = try statement("INSERT OR IGNORE INTO call VALUES(?1, ?2, x'')")
        statement.bind(1, key)
        statement.bind(2, row)
        try statement.run()
    }

    func unitRow(_ digest: Bytes32) throws(LedgerError) -> Int64? {
        let statement = try statement("SELECT row FROM unit WHERE digest=?1")
        statement.bind(1, digest.bytes)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    func insertUnit(_ digest: Bytes32, row: Int64) throws(LedgerError) {
        let statement = try statement("INSERT OR IGNORE INTO unit VALUES(?1, ?2)")
        statement.bind(1, digest.bytes)
        statement.bind(2, row)
        try statement.run()
    }
}

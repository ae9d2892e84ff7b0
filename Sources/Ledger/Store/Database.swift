internal import CSQLite

/// One SQLite connection and the failures it reports.
///
/// Opened with NOMUTEX: SQLite's multi-thread mode is safe because the lock of the ledger, or the
/// one call that opened it, admits one thread at a time (https://sqlite.org/threadsafe.html).
final class Database {
    /// How the file is opened.
    enum Mode {
        case create, readWrite, readOnly
        /// For reading alone, but with the right to tidy up: whoever closes last moves a
        /// write-ahead log that a killed process left into the file, which otherwise every reader
        /// would have to go through anew.
        case queryOnly
        /// For a file that nothing can change: SQLite then needs neither locks nor a wal-index.
        case immutable
    }

    let path: String
    private let handle: OpaquePointer
    private let lockWaitMilliseconds: Int32

    init(path: String, mode: Mode, lockWaitMilliseconds: Int32) throws(LedgerError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readWrite, .queryOnly: flags |= SQLITE_OPEN_READWRITE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
        let name = mode == .immutable ? "file:\(Self.uriEscaped(path))?immutable=1" : path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = LedgerError.sqlite(code, opened, path: path, waited: lockWaitMilliseconds)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        self.path = path
        self.lockWaitMilliseconds = lockWaitMilliseconds
        sqlite3_busy_timeout(opened, lockWaitMilliseconds)
        _ = csqlite_set_defensive(opened)
    }

    deinit { sqlite3_close_v2(handle) }

    private static func uriEscaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    func execute(_ sql: String) throws(LedgerError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    func prepare(_ sql: String) throws(LedgerError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else {
            // The statements are fixed, so one that does not compile lacks its table.
            throw error(code == SQLITE_ERROR ? SQLITE_CORRUPT : code)
        }
        return Statement(statement, self)
    }

    /// One integer from a query that yields one row.
    func integer(_ sql: String) throws(LedgerError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    func error(_ code: Int32) -> LedgerError {
        .sqlite(code, handle, path: path, waited: lockWaitMilliseconds)
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Where SQLite has mapped its wal-index; nil before the first read of a WAL database.
    var walIndex: UnsafeRawPointer? {
        csqlite_wal_index(handle)
    }
}

/// A prepared statement; bound bytes are copied unless the method says otherwise.
final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    fileprivate init(_ handle: OpaquePointer, _ database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
    func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }
    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                _ = csqlite_bind_text(handle, index, $0.baseAddress, CInt($0.count))
            }
        }
    }
    func bind(_ index: Int32, _ bytes: [UInt8]) {
        // A null pointer would bind NULL, and an empty array may have one.
        guard !bytes.isEmpty else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        _ = bytes.withUnsafeBytes {
            csqlite_bind_blob(handle, index, $0.baseAddress, CInt($0.count))
        }
    }
    /// The bytes must stay where they are until the statement was stepped.
    func bindBorrowed(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        csqlite_bind_blob_static(handle, index, bytes.baseAddress, CInt(bytes.count))
    }

    /// True when there is a row; at the end the statement is reset.
    func step() throws(LedgerError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let code:
            sqlite3_reset(handle)
            throw database.error(code)
        }
    }

    /// Steps a statement that yields no rows.
    func run() throws(LedgerError) { while try step() {} }

    /// Steps a statement that yields no rows, with a blob that is not copied.
    func run(_ index: Int32, borrowing bytes: [UInt8]) throws(LedgerError) {
        let outcome = bytes.withUnsafeBytes { bytes in
            bindBorrowed(index, bytes)
            return Result { () throws(LedgerError) in try run() }
        }
        try outcome.get()
    }

    func reset() { sqlite3_reset(handle) }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func text(_ column: Int32) -> String {
        guard let text = sqlite3_column_text(handle, column) else { return "" }
        return String(cString: text)
    }
    func bytes(_ column: Int32) -> [UInt8] { Array(borrowed(column)) }
    /// Valid until the next step or reset.
    func borrowed(_ column: Int32) -> UnsafeRawBufferPointer {
        let pointer = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: pointer, count: pointer == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }
}

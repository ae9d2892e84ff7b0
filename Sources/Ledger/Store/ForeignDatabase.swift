#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Someone else's SQLite database, read from a private copy.
///
/// Opening the file in place could write to it, and its newest rows may stand in the `-wal` beside
/// it (https://sqlite.org/wal.html), so both are copied, and the copy is deleted at the end.
final class ForeignDatabase {
    /// One value of a row.
    enum Cell: Sendable, Hashable {
        case null
        case integer(Int64)
        case text(String)
        case blob([UInt8])
        /// A fraction, or text that is not UTF-8.
        case other

        var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
        var text: String? { if case .text(let value) = self { value } else { nil } }
    }

    static let rowsMax = 1_000_000
    static let fileBytesMax: Int64 = 1 << 30
    /// Beside the database: what was committed last, and what a crash left to be rolled back.
    private static let companions = ["-wal", "-journal"]
    private static let copyAttemptsMax = 5

    private let path: String
    private let directory: String
    private var database: Database?

    /// - Parameter path: the file; it is only read.
    /// - Throws: `notFound`, `busy` when the file keeps changing, `noSpace`, `io`.
    init(copyOf path: String) throws(LedgerError) {
        self.path = path
        guard Files.size(path) ?? 0 <= Self.fileBytesMax else {
            throw LedgerError(.limit, "\(path) is larger than 1 GiB; no permission store is.")
        }
        directory = try Files.makeTemporaryDirectory()
        let copy = directory + "/copy.db"
        try Self.copy(path, to: copy)
        let opened = try Database(path: copy, mode: .readWrite, lockWaitMilliseconds: 0)
        // The schema may be made by someone hostile: its views and defaults may call no functions
        // (https://sqlite.org/security.html).
        try opened.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        database = opened
    }

    deinit {
        database = nil
        Self.removeFiles(directory + "/copy.db")
        Files.removeDirectory(directory)
    }

    private static func removeFiles(_ copy: String) {
        for suffix in ["", "-wal", "-journal", "-shm"] { Files.remove(copy + suffix) }
    }

    /// Copies again while the files change under our hands.
    private static func copy(_ path: String, to copy: String) throws(LedgerError) {
        for _ in 0..<copyAttemptsMax {
            let before = fingerprint(path)
            try Files.copy(path, to: copy)
            for suffix in companions where Files.exists(path + suffix) {
                try Files.copy(path + suffix, to: copy + suffix)
            }
            if fingerprint(path) == before { return }
            removeFiles(copy)
        }
        throw LedgerError(
            .busy,
            "\(path) changes faster than it can be copied; stop what writes to it, or copy it.")
    }

    private static func fingerprint(_ path: String) -> [Int64] {
        ([""] + companions).flatMap { suffix -> [Int64] in
            var status = stat()
            guard stat(path + suffix, &status) == 0 else { return [-1] }
            #if canImport(Glibc)
            let time = status.st_mtim
            #else
            let time = status.st_mtimespec
            #endif
            return [Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec)]
        }
    }

    /// The names of a table's columns; empty when there is no such table, or it is a view.
    func columns(of table: String) throws(LedgerError) -> [String] {
        try reading { (database) throws(LedgerError) in
            let kind = try database.prepare(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND rootpage > 0")
            kind.bind(1, table)
            guard try kind.step() else { return [] }
            kind.reset()
            let names = try database.prepare("SELECT name FROM pragma_table_info(?1)")
            names.bind(1, table)
            var columns: [String] = []
            while try names.step() { columns.append(names.text(0)) }
            return columns
        }
    }

    /// Goes through the rows of a table.
    ///
    /// - Parameters:
    ///   - table: one that ``columns(of:)`` knows.
    ///   - columns: the columns wanted, in order.
    ///   - body: takes the number of the row, from 1, and its cells.
    /// - Throws: what `body` throws, `malformed` when the file is damaged, `limit`.
    func rows(
        of table: String, _ columns: [String],
        _ body: (Int, [Cell]) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let list = columns.map { name in
            let quoted = Self.quoted(name)
            return "typeof(\(quoted)), CASE typeof(\(quoted)) WHEN 'text' THEN "
                + "CAST(\(quoted) AS BLOB) ELSE \(quoted) END"
        }.joined(separator: ", ")
        let sql = "SELECT \(list) FROM \(Self.quoted(table))"
        try reading { (database) throws(LedgerError) in
            let statement = try database.prepare(sql)
            var number = 0
            while try statement.step() {
                number += 1
                guard number <= Self.rowsMax else {
                    throw LedgerError(.limit, "\(path) has more than \(Self.rowsMax) rows.")
                }
                try body(number, columns.indices.map { Self.cell(statement, Int32($0)) })
            }
        }
    }

    private static func cell(_ statement: Statement, _ index: Int32) -> Cell {
        let column = 2 * index + 1
        switch statement.text(2 * index) {
        case "null": return .null
        case "integer": return .integer(statement.integer(column))
        case "blob": return .blob(statement.bytes(column))
        case "text":
            return String(validating: statement.borrowed(column), as: UTF8.self)
                .map(Cell.text) ?? .other
        default: return .other
        }
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }

    /// A failure here is about the foreign file, not about the ledger.
    private func reading<T>(
        _ body: (Database) throws(LedgerError) -> T
    ) throws(LedgerError) -> T {
        guard let database else {
            throw LedgerError(.closed, "\(path) was closed.")
        }
        do throws(LedgerError) {
            return try body(database)
        } catch  where error.code == .damaged {
            throw LedgerError(
                .malformed, "\(path) is a damaged SQLite database; nothing of it was taken.",
                cause: error.cause)
        }
    }
}

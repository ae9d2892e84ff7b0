import TestSupport
import Testing

@testable import Ledger

/// Files for one test, gone with it.
struct ImportScratchFolder {
    private let directory = TemporaryDirectory()

    func name(_ file: String) -> String { "\(directory.path)/\(file)" }

    func write(_ text: String, to file: String = "input") throws -> String {
        Files.remove(name(file))
        try Files.writeNew(Array(text.utf8), to: name(file))
        return name(file)
    }

    /// A database that stays open, so that its newest rows are in the `-wal` alone.
    func database(_ statements: [String], named file: String = "TCC.db") throws -> Database {
        let database = try Database(path: name(file), mode: .create, lockWaitMilliseconds: 100)
        for statement in statements { try database.execute(statement) }
        return database
    }
}

extension ImportOptions {
    /// 2026-01-31T12:00:00Z.
    static let testNow: Int64 = 1_769_860_800_000
    static let mac = ImportOptions(device: "mac", now: testNow)
}

import Testing

@testable import Ledger

/// A folder for one test, gone with it.
final class ImportScratchFolder {
    let path: String
    private var files: Set<String> = []

    init() throws { path = try Files.makeTemporaryDirectory() }

    deinit {
        for file in files {
            for suffix in ["", "-wal", "-shm", "-journal"] { Files.remove("\(file)\(suffix)") }
        }
        Files.removeDirectory(path)
    }

    func name(_ file: String) -> String {
        let full = "\(path)/\(file)"
        files.insert(full)
        return full
    }

    func write(_ text: String, to file: String = "input") throws -> String {
        let full = name(file)
        Files.remove(full)
        try Files.writeNew(Array(text.utf8), to: full)
        return full
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

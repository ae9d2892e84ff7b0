import TestSupport
import Testing

@testable import Ledger

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct VerifyTests {
    /// One way to tamper with a database, and the first event that must be named.
    struct Tampering: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        let sequence: UInt64?
        var testDescription: String { name }
    }

    static let tamperings = [
        Tampering(
            name: "a changed timestamp",
            sql: "UPDATE event SET head=\(patched("head", at: 12)) WHERE row=6", sequence: 5),
        Tampering(
            name: "a changed header with its check mended to another value",
            sql: "UPDATE event SET head=\(patched("head", at: 2)) WHERE row=6", sequence: 5),
        Tampering(
            name: "a changed payload",
            sql: "UPDATE event SET body=\(patched("body", at: 25)) WHERE row=8", sequence: 7),
        Tampering(
            name: "a changed salt",
            sql: "UPDATE event SET body=\(patched("body", at: 3)) WHERE row=8", sequence: 7),
        Tampering(name: "a dropped row", sql: "DELETE FROM event WHERE row=9", sequence: 8),
        Tampering(
            name: "two swapped rows",
            sql: """
                UPDATE event SET row=-4 WHERE row=4; UPDATE event SET row=4 WHERE row=5;
                UPDATE event SET row=5 WHERE row=-4
                """, sequence: 3),
        Tampering(
            name: "a log cut off below its signed size",
            sql: "DELETE FROM event WHERE row>15", sequence: 15),
        Tampering(
            name: "a forged checkpoint signature",
            sql: "UPDATE checkpoint SET signature=\(patched("signature", at: 9))", sequence: 0),
        Tampering(
            name: "a forged root",
            sql: "UPDATE checkpoint SET root=\(patched("root", at: 9))", sequence: 0),
        Tampering(
            name: "a changed status in the projection",
            sql: "UPDATE projection SET states=\(patched("states", at: 100))", sequence: nil),
        Tampering(
            name: "a dropped status in the projection",
            sql: "DELETE FROM projection WHERE row=(SELECT min(row) FROM projection)",
            sequence: nil),
        Tampering(
            name: "a dropped index page", sql: "UPDATE run_page SET entries=x''", sequence: nil),
    ]

    /// SQL that flips the bits of one byte, counted from 1.
    static func patched(_ column: String, at place: Int) -> String {
        """
        CAST(substr(\(column), 1, \(place - 1))
            || (CASE hex(substr(\(column), \(place), 1)) WHEN '01' THEN x'02' ELSE x'01' END)
            || substr(\(column), \(place + 1)) AS BLOB)
        """
    }

    private func filled() throws -> TestLedger {
        let test = try TestLedger()
        for index in 0..<20 {
            let subject = "person-\(index % 3)"
            try test.ledger.append(
                index % 2 == 0
                    ? .allowed(subject, resource: "camera", at: phone)
                    : .denied(subject, resource: "camera", at: phone))
        }
        try test.ledger.sign()
        try test.ledger.rebuild()
        try test.ledger.close()
        return test
    }

    @Test func `an untouched ledger is sound`() throws {
        let test = try filled()
        let report = try Ledger(openAt: test.path, access: .readOnly).verify()
        #expect(report.isSound)
        #expect(report.eventCount == 21)
        #expect(report.logs.first?.signedSize == 21)
    }

    @Test(arguments: tamperings)
    func `tampering is found and the first bad event named`(tampering: Tampering) throws {
        let test = try filled()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            try database.execute(tampering.sql)
        }
        let report = try Ledger(openAt: test.path, access: .readOnly).verify()
        #expect(!report.isSound)
        if let sequence = tampering.sequence {
            #expect(report.findings.first?.sequence == sequence)
        }
    }

    @Test func `a damaged database is reported and left as it is`() throws {
        let test = try filled()
        let path = test.path + "/ledger.db"
        var bytes = try #require(SmallFile.read(path, max: 1 << 24))
        for index in 0..<100 { bytes[index] = 0x5A }
        Files.remove(path)
        try Files.writeNew(bytes, to: path)
        let error = #expect(throws: LedgerError.self) { try Ledger(openAt: test.path) }
        #expect(error?.code == .damaged)
        #expect(SmallFile.read(path, max: 1 << 24) == bytes)
    }

    @Test func `no page is garbage in a ledger that verifies`() throws {
        let test = try filled()
        let path = test.path + "/ledger.db"
        let whole = StateFiles.read(path)
        let pageBytes = 4096
        for page in 0..<whole.count / pageBytes {
            var bytes = whole
            for index in 0..<64 { bytes[page * pageBytes + index] = 0x5A }
            StateFiles.write(bytes, to: path)
            do {
                let report = try Ledger(openAt: test.path, access: .readOnly).verify()
                #expect(!report.isSound, "page \(page + 1) of \(whole.count / pageBytes)")
            } catch {
                #expect(error.code == .damaged, "page \(page + 1): \(error)")
            }
            StateFiles.remove(path + "-wal")
            StateFiles.remove(path + "-shm")
        }
    }

    @Test func `a database of a newer version is refused by its number`() throws {
        let test = try filled()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            try database.execute("PRAGMA user_version=99")
        }
        let error = #expect(throws: LedgerError.self) { try Ledger(openAt: test.path) }
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("99") == true)
    }

    @Test func `an older schema is migrated in one transaction or not at all`() throws {
        let directory = TemporaryDirectory()
        let database = try Database(
            path: directory.path + "/a.db", mode: .create, lockWaitMilliseconds: 1000)
        try Schema.migrate(database, steps: ["CREATE TABLE one(x)"])
        let broken = ["CREATE TABLE one(x)", "CREATE TABLE two(x); CREATE TABLE one(x)"]
        #expect(throws: LedgerError.self) { try Schema.migrate(database, steps: broken) }
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 1)
        try Schema.migrate(database, steps: ["CREATE TABLE one(x)", "CREATE TABLE two(x)"])
        #expect(try database.integer("PRAGMA user_version") == 2)
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 2)
    }

    @Test func `the states that an older version projected are made anew`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try test.ledger.rebuild()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            #expect(try database.integer("SELECT count(*) FROM projection") > 0)
            try database.execute("UPDATE projection SET states=x'80'")
            try database.execute("PRAGMA user_version=\(Schema.steps.count - 1)")
        }
        let migrated = try Ledger(openAt: test.path, environment: test.clock.environment)
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try migrated.status(query).status == .authorized)
        #expect(try migrated.verify().isSound)
    }

    @Test func `a backup made while others write is whole and sound`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let file = test.directory.path + "/backup.db"
        try test.ledger.backup(to: file)
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        let copy = try Ledger(openCopy: file, environment: test.clock.environment)
        #expect(try copy.verify().isSound)
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try copy.status(query).status == .authorized)
        let error = #expect(throws: LedgerError.self) { try test.ledger.backup(to: file) }
        #expect(error?.code == .exists)
    }

    @Test func `a copy with a tail in its write-ahead log shows the tail`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let copy = test.directory.path + "/copy.db"
        try Files.copy(test.path + "/ledger.db", to: copy)
        try Files.copy(test.path + "/ledger.db-wal", to: copy + "-wal")
        let ledger = try Ledger(openCopy: copy, environment: test.clock.environment)
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try ledger.status(query).status == .authorized)
        #expect(Files.exists(copy + "-wal"))
        #expect(!Files.exists(copy + "-shm"))
    }

    @Test(arguments: [
        "UPDATE run_page SET entries=x'0102'", "DELETE FROM run_page",
        "UPDATE run_page SET entries=x''",
    ])
    func `a damaged index hides no event and a rebuild mends it`(sql: String) throws {
        let test = try filled()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            try database.execute(sql)
        }
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        var filter = HistoryFilter()
        filter.subject = "person-1"
        let error = #expect(throws: LedgerError.self) { try ledger.history(filter) { _ in true } }
        #expect(error?.code == .damaged)
        try ledger.rebuild()
        var count = 0
        try ledger.history(filter) { _ in
            count += 1
            return true
        }
        #expect(count == 7)
        #expect(try ledger.verify().isSound)
    }

    @Test func `a lost table is damage`() throws {
        let test = try filled()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            try database.execute("DROP TABLE projection")
        }
        let query = StatusQuery("person-1", resource: "camera", at: phone)
        let error = #expect(throws: LedgerError.self) {
            try Ledger(openAt: test.path, environment: test.clock.environment).status(query)
        }
        #expect(error?.code == .damaged)
    }

    @Test func `a damaged header is named where events leave`() throws {
        let test = try filled()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            try database.execute("UPDATE event SET head=x'00' WHERE row=6")
        }
        let ledger = try Ledger(openAt: test.path, access: .readOnly)
        let error = #expect(throws: LedgerError.self) {
            for tip in try ledger.tips() {
                _ = try ledger.intervals(of: tip, from: 0, bytesMax: 1 << 20)
            }
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("Event 5 ") == true)
    }

    @Test func `a backup is for its owner alone`() throws {
        let test = try filled()
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        let file = test.directory.path + "/backup.db"
        try ledger.backup(to: file)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
}

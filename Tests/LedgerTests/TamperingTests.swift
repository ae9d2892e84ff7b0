import TestSupport
import Testing

@testable import Ledger

/// Tampering that leaves every hash right where hashes alone are looked at.
@Suite struct TamperingTests {
    struct Tampering: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        var testDescription: String { name }
    }

    /// Row 1 opens the own log, row 2 admits a replica, and rows 3 to 5 are its log.
    static let tamperings = [
        Tampering(
            name: "another log without its signatures",
            sql: "DELETE FROM checkpoint WHERE chain=2"),
        Tampering(
            name: "the own log without its signatures",
            sql: "DELETE FROM checkpoint WHERE chain=1"),
        Tampering(
            name: "a stored part of a tree", sql: "UPDATE subtree SET root=zeroblob(32)"),
        Tampering(
            name: "a state that names the wrong rows",
            sql: """
                UPDATE projection
                SET states=CAST(substr(states, 1, length(states) - 1) || x'00' AS BLOB)
                WHERE length(states)=(SELECT min(length(states)) FROM projection)
                """),
    ]

    private func filled() throws -> TestLedger {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        try log.add(.allowed("me", resource: "camera", at: phone))
        try log.add(.denied("me", resource: "location", at: phone))
        _ = try test.ledger.ingest([log.interval()])
        try test.ledger.append(
            (0..<1100).map { .primerShown("person-\($0 % 10)", resource: "camera", at: phone) })
        try test.ledger.sign()
        try test.ledger.rebuild()
        return test
    }

    private func execute(_ sql: String, _ test: TestLedger) throws {
        let database = try Database(
            path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
        try database.execute(sql)
    }

    @Test(arguments: tamperings)
    func `tampering beside the hashes is found`(tampering: Tampering) throws {
        let test = try filled()
        try test.ledger.close()
        #expect(try Ledger(openAt: test.path, access: .readOnly).verify().findings == [])
        try execute(tampering.sql, test)
        #expect(try !Ledger(openAt: test.path, access: .readOnly).verify().isSound)
    }

    @Test(arguments: [(3, nil), (5, []), (8, nil)] as [(Int64, [UInt8]?)])
    func `content that is gone without an erasure is found`(row: Int64, body: [UInt8]?) throws {
        let test = try filled()
        var event: Event?
        try test.ledger.history(HistoryFilter()) { entry in
            if entry.position == row { event = entry.event }
            return event == nil
        }
        try test.ledger.close()
        let found = try #require(event)
        // A row as it would be had the content never come: its header hashes right.
        var head: [UInt8] = []
        StoredRow.encode(found.header, into: &head)
        StoredRow.prepare(&head, id: found.id, hasBody: false)
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            let update = try database.prepare("UPDATE event SET head=?2, body=?3 WHERE row=?1")
            update.bind(1, row)
            update.bind(2, Array(head[StoredRow.headStart(hasBody: false)...]))
            if let body { update.bind(3, body) } else { update.bindNull(3) }
            try update.run()
        }
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        try ledger.rebuild()
        let findings = try ledger.verify().findings
        #expect(findings.first?.sequence == (row == 8 ? 4 : UInt64(row) - 3))
    }

    @Test func `what is cached does not hide a changed status on disk`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(try test.ledger.verify().isSound)
        try test.ledger.withCore { (core) throws(LedgerError) in try core.flush(all: true) }
        #expect(try test.ledger.verify().isSound)
        try execute(
            "UPDATE projection SET states=\(VerifyTests.patched("states", at: 100))", test)
        #expect(try !test.ledger.verify().isSound)
    }

    @Test(arguments: [
        "UPDATE piece SET first_sequence=-1 WHERE chain=2",
        "UPDATE piece SET first_row=9223372036854775807",
        "UPDATE piece SET first_sequence=4503599627370496 WHERE chain=2",
        "UPDATE checkpoint SET size=-5 WHERE chain=2", "UPDATE run SET no=9223372036854775807",
        "UPDATE run SET first_row=-9223372036854775807",
        "UPDATE meta SET value=-9223372036854775807 WHERE name='watermark'",
        "UPDATE meta SET value=9223372036854775807 WHERE name IN ('watermark', 'indexedThrough')",
    ])
    func `numbers that make no sense are damage, not the end of the process`(sql: String) throws {
        let test = try filled()
        try test.ledger.close()
        try execute(sql, test)
        do {
            let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
            _ = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
            #expect(try !ledger.verify().isSound)
        } catch {
            #expect(error.code == .damaged)
        }
    }
}

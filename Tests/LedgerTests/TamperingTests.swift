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

    /// Row 1 opens the own log and rows 2 to 4 are another replica's log.
    static let tamperings = [
        Tampering(
            name: "another log without its signatures",
            sql: "DELETE FROM checkpoint WHERE chain=2"),
        Tampering(
            name: "a log whose first event lost its content",
            sql: "UPDATE event SET body=NULL WHERE row=2"),
        Tampering(
            name: "a content that was blanked", sql: "UPDATE event SET body=x'' WHERE row=4"),
        Tampering(
            name: "a content of the own log that was taken out",
            sql: "UPDATE event SET body=NULL WHERE row=7"),
        Tampering(
            name: "the own log without its signatures",
            sql: "DELETE FROM checkpoint WHERE chain=1"),
        Tampering(
            name: "a stored part of a tree", sql: "UPDATE subtree SET root=zeroblob(32)"),
        Tampering(
            name: "a state that names the wrong rows",
            sql: """
                UPDATE projection SET state=CAST(substr(state, 1, length(state) - 1) || x'00' AS BLOB)
                WHERE length(state)=(SELECT min(length(state)) FROM projection)
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

    @Test func `what is cached does not hide a changed status on disk`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(try test.ledger.verify().isSound)
        try test.ledger.withCore { (core) throws(LedgerError) in try core.flush(all: true) }
        #expect(try test.ledger.verify().isSound)
        try execute(
            "UPDATE projection SET state=\(VerifyTests.patched("state", at: 60))", test)
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

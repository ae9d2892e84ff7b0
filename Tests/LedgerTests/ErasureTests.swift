import TestSupport
import Testing

@testable import Ledger

/// Erasing a person: what goes, what stays, and what may be recorded afterwards.
@Suite struct ErasureTests {
    private let newsletter = "newsletter"

    /// A ledger in which much is recorded about ada and something about me.
    private func filled() throws -> TestLedger {
        let test = try TestLedger()
        let ledger = test.ledger
        try ledger.append(.primerShown("ada", resource: "camera", at: phone))
        let ask = try ledger.append(.promptAsked("ada", resource: "camera", at: phone))
        var answer = Draft.allowed("ada", resource: "camera", at: phone)
        answer.payload.answers = ask.event.id
        answer.payload.idempotencyKey = "ada-call"
        try ledger.append(answer)
        try ledger.append(form(.allowed("ada", resource: newsletter, at: nil)))
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        return test
    }

    private func form(_ draft: Draft) -> Draft {
        var draft = draft
        draft.payload.scope = .person
        return draft
    }

    private func camera(_ subject: String) -> StatusQuery {
        StatusQuery(subject, resource: "camera", at: phone)
    }

    private func contents(_ ledger: Ledger, of subject: String) throws -> [Event.Content] {
        var filter = HistoryFilter()
        filter.subject = subject
        var contents: [Event.Content] = []
        try ledger.history(filter) { entry in
            if entry.event.header.kind != .erased { contents.append(entry.event.content) }
            return true
        }
        return contents
    }

    @Test func `erasing drops the content, keeps the proofs and leaves others alone`() throws {
        let test = try filled()
        let before = try test.ledger.tips()
        let erasure = try test.ledger.erase("ada")
        #expect(erasure.isScrubbedHere)
        #expect(try contents(test.ledger, of: "ada") == Array(repeating: .erased, count: 4))
        let status = try test.ledger.status(camera("ada"))
        #expect(status.status == .notDetermined)
        #expect(status.reason == .erased)
        #expect(try test.ledger.status(camera("me")).status == .authorized)
        #expect(try test.ledger.verify().findings == [])
        #expect(try test.ledger.holds(before[0]))
        let digest = try test.ledger.projectionDigest()
        try test.ledger.rebuild()
        #expect(try test.ledger.projectionDigest() == digest)
    }

    @Test func `of an erased person only a denial is recorded, and nothing about the person`()
        throws
    {
        let test = try filled()
        try test.ledger.erase("ada")
        for draft in [
            Draft.allowed("ada", resource: "camera", at: phone),
            .primerShown("ada", resource: "camera", at: phone),
            .observed("ada", resource: "camera", at: phone, .denied),
        ] {
            #expect(throws: LedgerError.subjectErased) { try test.ledger.append(draft) }
        }
        var denial = Draft.denied("ada", resource: "camera", at: phone)
        denial.payload.note = "by letter"
        let receipt = try test.ledger.append(denial)
        #expect(receipt.event.payload == Payload.bareDenial(of: denial.payload))
        #expect(try test.ledger.status(camera("ada")).status == .denied)
        try test.ledger.append(form(.denied("ada", resource: newsletter, at: nil)))
        let query = StatusQuery("ada", resource: newsletter, at: nil)
        #expect(try test.ledger.status(query).status == .denied)
        #expect(try test.ledger.verify().findings == [])
        let digest = try test.ledger.projectionDigest()
        try test.ledger.rebuild()
        #expect(try test.ledger.projectionDigest() == digest)
    }

    @Test func `entering a feature for an erased person fails closed`() throws {
        let test = try filled()
        try test.ledger.erase("ada")
        let catalog = try GateFixture().catalog()
        let entry = FeatureEntry("scan", subject: "ada", at: phone)
        for live in [SystemStatus.reported(.authorized), .unsupported] {
            #expect(throws: LedgerError.subjectErased) {
                try test.ledger.enter(entry, catalog: catalog) { _ in live }
            }
        }
    }

    @Test func `what arrives late about an erased person is kept without its content`() throws {
        let test = try filled()
        let tablet = try test.joined()
        try Exchange.merge(test.ledger, tablet.ledger)
        try test.ledger.erase("ada")
        // Offline for a year, the tablet goes on.
        try tablet.ledger.append(.allowed("ada", resource: "location", at: phone))
        try tablet.ledger.append(form(.allowed("ada", resource: newsletter, at: nil)))
        try Exchange.pull(from: tablet.ledger, into: test.ledger)
        #expect(try contents(test.ledger, of: "ada") == Array(repeating: .erased, count: 6))
        try Exchange.pull(from: test.ledger, into: tablet.ledger)
        #expect(try contents(tablet.ledger, of: "ada") == Array(repeating: .erased, count: 6))
        #expect(try tablet.ledger.status(camera("ada")).reason == .erased)
        try Exchange.pull(from: tablet.ledger, into: test.ledger)
        #expect(try test.ledger.stateDigest() == tablet.ledger.stateDigest())
        #expect(try test.ledger.projectionDigest() == tablet.ledger.projectionDigest())
        for replica in [test, tablet] { #expect(try replica.ledger.verify().findings == []) }
    }

    @Test func `old intervals bring nothing back, and their denials stay out too`() throws {
        let test = try filled()
        let tablet = try test.joined()
        try tablet.ledger.append(form(.denied("ada", resource: newsletter, at: nil)))
        let old = try Exchange.intervals(of: test.ledger) + Exchange.intervals(of: tablet.ledger)
        try test.ledger.erase("ada")
        for result in try test.ledger.ingest(old) { _ = try result.get() }
        #expect(try contents(test.ledger, of: "ada") == Array(repeating: .erased, count: 5))
        let fresh = try test.joined()
        for result in try fresh.ledger.ingest(old) { _ = try result.get() }
        try Exchange.merge(test.ledger, fresh.ledger)
        #expect(try fresh.ledger.projectionDigest() == test.ledger.projectionDigest())
    }

    @Test func `each replica confirms once its files are clean, and the list says who has not`()
        throws
    {
        let test = try filled()
        let tablet = try test.joined()
        let server = try test.joined()
        for other in [tablet, server] { try Exchange.merge(test.ledger, other.ledger) }
        try Exchange.merge(test.ledger, tablet.ledger)
        let first = try test.ledger.erase("ada")
        #expect(Set(first.outstanding) == Set([tablet.ledger.replica, server.ledger.replica]))
        try Exchange.merge(test.ledger, tablet.ledger)
        let second = try #require(try test.ledger.erasure(of: "ada"))
        #expect(second.outstanding == [try #require(server.ledger.replica)])
        #expect(second.statements.last?.confirms == first.statements[0].event)
        try Exchange.merge(test.ledger, server.ledger)
        #expect(try test.ledger.erasure(of: "ada")?.outstanding == [])
        // Nobody answers a confirmation with another.
        for _ in 0..<3 {
            try Exchange.merge(test.ledger, tablet.ledger)
            try Exchange.merge(tablet.ledger, server.ledger)
        }
        #expect(try test.ledger.erasure(of: "ada")?.statements.count == 3)
    }

    @Test func `erasing twice adds nothing`() throws {
        let test = try filled()
        let first = try test.ledger.erase("ada")
        #expect(try test.ledger.erase("ada") == first)
    }

    @Test func `an erasure by another process is seen at once`() throws {
        let test = try filled()
        let other = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try other.status(camera("ada")).status == .authorized)
        try test.ledger.erase("ada")
        #expect(try other.status(camera("ada")).reason == .erased)
        #expect(throws: LedgerError.subjectErased) {
            try other.append(.allowed("ada", resource: "camera", at: phone))
        }
    }

    @Test func `verify finds content that an erasure left behind`() throws {
        let test = try filled()
        try test.ledger.append(form(.allowed("ada", resource: "x", at: nil)))
        try test.ledger.close()
        let database = try Database(
            path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
        try database.execute("CREATE TABLE kept AS SELECT * FROM event WHERE row=7")
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        try ledger.erase("ada")
        #expect(try ledger.verify().findings == [])
        try database.execute("INSERT OR REPLACE INTO event SELECT * FROM kept")
        #expect(try ledger.verify().findings.contains { $0.message.contains("was erased") })
    }

    /// A payload in an erasure could name the person whom it erases, for good.
    @Test func `an erasure that names the person counts, and its payload is not stored`() throws {
        let test = try filled()
        var log = try ForeignLog(joining: test.ledger)
        var payload = Payload()
        payload.subject = "ada"
        let tag = try log.tag("ada")
        try log.add(.erased, payload.encoded, tag: tag)
        for result in try test.ledger.ingest([log.interval()]) {
            #expect(try result.get().refusedPayloads == 1)
        }
        #expect(try test.ledger.status(camera("ada")).reason == .erased)
        #expect(try test.ledger.verify().findings == [])
    }
}

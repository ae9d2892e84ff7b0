import TestSupport
import Testing

@testable import Ledger

/// What outlives an erasure: each clause of it.
@Suite struct ErasureRuleTests {
    private let test: TestLedger

    init() throws { test = try TestLedger() }

    private func bodies(of log: LogID, in ledger: Ledger) throws -> [[UInt8]?] {
        let tip = try #require(try ledger.tips().first { $0.log == log })
        return try ledger.intervals(of: tip, from: 0, bytesMax: 1 << 20).flatMap { interval in
            interval.events.map { $0.body?.payload }
        }
    }

    @Test func `a bare denial outlives an erasure that comes later, and nothing more does`() throws
    {
        var log = try ForeignLog(joining: test.ledger)
        let tag = try log.tag("ada")
        var bare = Payload()
        (bare.resource, bare.scope, bare.outcome) = ("mail", .person, .denied)
        var allowed = bare
        allowed.outcome = .allowed
        var told = bare
        told.note = "told on the phone"
        var placed = bare
        (placed.device, placed.install, placed.scope) = ("her phone", "1", .device)
        for payload in [bare, allowed, told, placed] {
            try log.add(.answerGiven, payload.encoded, tag: tag)
        }
        _ = try #require(try test.ledger.ingest([log.interval()]).first).get()
        try test.ledger.erase("ada")
        let left = try bodies(of: log.log, in: test.ledger)
        #expect(left.map { $0 != nil } == [true, true, false, false, false])
        #expect(left[1] == bare.encoded)
        #expect(
            try test.ledger.status(StatusQuery("ada", resource: "mail", at: nil)).status == .denied)
        #expect(try test.ledger.verify().findings == [])
    }

    private static func bare(_ fill: (inout Payload) -> Void = { _ in }) -> [UInt8] {
        var payload = Payload()
        (payload.resource, payload.scope, payload.outcome) = ("mail", .person, .denied)
        fill(&payload)
        return payload.encoded
    }

    private static func erasure(_ fill: (inout Payload) -> Void = { _ in }) -> [UInt8] {
        var payload = Payload()
        fill(&payload)
        return payload.encoded
    }

    private static let kept: [(name: String, kind: EventKind, payload: [UInt8], isKept: Bool)] = [
        ("a bare denial", .answerGiven, bare(), true),
        ("of a device's resource", .answerGiven, bare { $0.scope = .device }, true),
        ("with the writer's clock", .answerGiven, bare { $0.wall = 7 }, true),
        ("allowed", .answerGiven, bare { $0.outcome = .allowed }, false),
        ("dismissed", .answerGiven, bare { $0.outcome = .dismissed }, false),
        ("no outcome", .answerGiven, bare { $0.outcome = nil }, false),
        ("no resource", .answerGiven, bare { $0.resource = nil }, false),
        ("a subject", .answerGiven, bare { $0.subject = "ada" }, false),
        ("a device", .answerGiven, bare { $0.device = "her phone" }, false),
        ("an install", .answerGiven, bare { $0.install = "1" }, false),
        ("words", .answerGiven, bare { $0.note = "told on the phone" }, false),
        ("a status", .answerGiven, bare { $0.status = .denied }, false),
        // Three bytes more, and the map's count: a field of a later version.
        (
            "an unknown field", .answerGiven,
            [bare()[0] + 1] + bare().dropFirst() + [0x18, 0xC8, 0x01], false
        ),
        ("as a question", .promptAsked, bare(), false),
        ("as an observation", .settingsChanged, bare(), false),
        ("nothing", .answerGiven, erasure(), false),
        ("an erasure", .erased, erasure(), true),
        ("a confirmation", .erased, erasure { $0.answers = EventID(raw: .zero) }, true),
        ("an erasure with a clock", .erased, erasure { $0.wall = 7 }, true),
        ("an erasure with words", .erased, erasure { $0.note = "on request" }, false),
        ("an erasure with a name", .erased, erasure { $0.subject = "ada" }, false),
        ("a denial as an erasure", .erased, bare(), false),
    ]

    @Test func `what outlives an erasure is the same by both ways of reading`() throws {
        for (name, kind, payload, isKept) in Self.kept {
            let content = Event.Content.payload(try Payload(encoded: payload))
            #expect(content.isKeptWhenErased(kind) == isKept, "\(name)")
            let body = [UInt8](repeating: 0, count: StoredRow.saltLength) + payload
            let scanned = body.withUnsafeBytes { ScannedBody(kind, $0).isKeptWhenErased(kind) }
            #expect(scanned == isKept, "\(name)")
        }
    }

    @Test func `who confirmed what is known on every replica`() throws {
        try test.ledger.append(.allowed("ada", resource: "camera", at: phone))
        let (desk, third) = (try test.joined(), try test.joined())
        let first = try #require(try test.ledger.erase("ada").statements.first)
        try Exchange.pull(from: test.ledger, into: desk.ledger)
        try desk.ledger.finishErasures()
        // Both logs come at once, so that the erasure is new when the confirmation is looked at.
        var intervals: [Interval] = []
        for log in [test.ledger.log, desk.ledger.log] {
            let tip = try #require(try desk.ledger.tips().first { $0.log == log })
            intervals += try desk.ledger.intervals(of: tip, from: 0, bytesMax: 1 << 20)
        }
        for result in try third.ledger.ingest(intervals) { _ = try result.get() }
        let erasure = try #require(try third.ledger.erasure(of: "ada"))
        let confirmed = erasure.statements.first { $0.replica == desk.ledger.replica }
        #expect(confirmed?.confirms == first.event)
        #expect(erasure.outstanding.isEmpty)
    }

    @Test func `a later erasure that names the person is stored without its payload`() throws {
        var log = try ForeignLog(joining: test.ledger)
        try test.ledger.erase("ada")
        var payload = Payload()
        payload.subject = "ada"
        try log.add(.erased, payload.encoded, tag: try log.tag("ada"))
        let receipt = try #require(try test.ledger.ingest([log.interval()]).first).get()
        #expect(receipt.refusedPayloads == 1)
        #expect(try bodies(of: log.log, in: test.ledger).map { $0 != nil } == [true, false])
    }
}

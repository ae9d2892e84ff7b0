import TestSupport
import Testing

@testable import Ledger

@Suite struct IngestTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)

    private func take(_ log: ForeignLog, _ ledger: Ledger) throws -> IngestReceipt {
        try #require(try ledger.ingest([log.interval()]).first).get()
    }

    private func refusal(_ interval: Interval, _ ledger: Ledger) throws -> LedgerError.Code? {
        let before = try (ledger.stateDigest(), ledger.projectionDigest())
        guard case .failure(let error) = try ledger.ingest([interval]).first else { return nil }
        let after = try (ledger.stateDigest(), ledger.projectionDigest())
        #expect(before == after)
        return error.code
    }

    @Test func `an unknown kind is kept, forwarded and without effect`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        let grant = try log.add(.allowed("me", resource: "camera", at: phone))
        try log.add(EventKind(code: 777), [0xA0], tag: try log.tag("me"))
        #expect(try take(log, test.ledger).newEvents == 3)
        #expect(try test.ledger.status(camera).evidence == [grant])
        let other = try test.joined()
        try Exchange.merge(test.ledger, other.ledger)
        #expect(try other.ledger.stateDigest() == test.ledger.stateDigest())
        #expect(try other.ledger.status(camera).status == .authorized)
    }

    @Test func `a critical event of an unknown kind means not granted until it is named`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        var log = try ForeignLog(joining: test.ledger)
        let unknown = try log.add(
            EventKind(code: 777), [0xA0], tag: try log.tag("me"), isCritical: true)
        _ = try take(log, test.ledger)
        let blocked = try test.ledger.status(camera)
        #expect(blocked.status == .notDetermined)
        #expect(blocked.reason == .undecodable)
        #expect(blocked.evidence.contains(unknown))
        let answer = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        #expect(answer.event.header.replaces.contains(unknown))
        #expect(try test.ledger.status(camera).status == .authorized)
        // For another key of the same person nothing has named it.
        try test.ledger.append(.observed("you", resource: "camera", at: phone, .authorized))
        let microphone = StatusQuery("me", resource: "microphone", at: phone)
        #expect(try test.ledger.status(microphone).reason == .undecodable)
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `a word of a later version in an answer counts against the grant`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        let grant = try log.add(.allowed("me", resource: "camera", at: phone))
        // outcome 200: canonical CBOR, and no outcome this version knows.
        var fields = FieldWriter()
        fields.text(1, "me")
        fields.text(2, "phone")
        fields.text(3, "1")
        fields.text(4, "camera")
        fields.number(6, 200)
        try log.add(
            .answerGiven, fields.finish(), tag: try log.tag("me"), replaces: [grant])
        _ = try take(log, test.ledger)
        #expect(try test.ledger.status(camera).status == .notDetermined)
        #expect(try test.ledger.status(camera).reason == .undecodable)
        // Its key can be read, so other keys are not weighed on.
        let microphone = StatusQuery("me", resource: "microphone", at: phone)
        #expect(try test.ledger.status(microphone).reason == .nothingRecorded)
    }

    @Test func `a deciding event without its payload blocks until the payload comes`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        let grant = try log.add(.allowed("me", resource: "camera", at: phone))
        let denial = try log.add(
            .denied("me", resource: "microphone", at: phone), hidesPayload: true)
        _ = try take(log, test.ledger)
        let tip = try #require(try test.ledger.tips().first { $0.log == log.log })
        #expect(try test.ledger.missingPayloads(of: tip) == [2])
        #expect(try test.ledger.status(camera).reason == .undecodable)
        #expect(try test.ledger.status(camera).evidence == [grant, denial].sorted())
        var whole = try ForeignLog(joining: test.ledger)
        try whole.add(.allowed("me", resource: "camera", at: phone))
        try whole.add(.denied("me", resource: "microphone", at: phone))
        #expect(try take(whole, test.ledger).newPayloads == 1)
        #expect(try test.ledger.status(camera).status == .authorized)
        let microphone = StatusQuery("me", resource: "microphone", at: phone)
        #expect(try test.ledger.status(microphone).status == .denied)
        #expect(try test.ledger.missingPayloads(of: tip) == [])
        #expect(try test.ledger.verify().findings == [])
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try again.status(camera).status == .authorized)
    }

    @Test func `a payload that does not match its header or tag is not stored`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        try log.add(.denied("me", resource: "camera", at: phone))
        let other = Draft.denied("someone else", resource: "camera", at: phone)
        try log.add(.answerGiven, other.payload.encoded, tag: try log.tag("me"))
        let real = log.events[1]
        let forged = Draft.allowed("me", resource: "camera", at: phone).payload.encoded
        log.change(
            1,
            StoredEvent(
                header: real.header,
                body: .init(salt: real.body?.salt ?? [], payload: forged)))
        #expect(try take(log, test.ledger).refusedPayloads == 2)
        #expect(try test.ledger.status(camera).status == .notDetermined)
    }

    @Test func `a void act has no effect`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        let denial = try log.add(.denied("me", resource: "camera", at: phone))
        var grant = Draft.allowed("me", resource: "camera", at: phone)
        grant.payload.authority = .system
        try log.add(grant, replaces: [denial])
        _ = try take(log, test.ledger)
        #expect(try test.ledger.status(camera).status == .denied)
    }

    @Test func `what does not verify leaves no trace`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        try log.add(.allowed("me", resource: "camera", at: phone))
        let good = try log.interval()
        let stranger = try SigningKey(seed: [UInt8](repeating: 9, count: 32))
        let forged = try Checkpoint.sign(
            log: log.log, size: good.checkpoint.size, root: good.checkpoint.root, with: stranger)
        #expect(
            try refusal(Interval(first: 0, events: good.events, checkpoint: forged), test.ledger)
                == .notVerified)
        let wrongRoot = try Checkpoint.sign(
            log: log.log, size: good.checkpoint.size, root: .zero, with: log.keys.signing)
        #expect(
            try refusal(Interval(first: 0, events: good.events, checkpoint: wrongRoot), test.ledger)
                == .notVerified)
        #expect(
            try refusal(
                Interval(first: 0, events: good.events.reversed(), checkpoint: good.checkpoint),
                test.ledger) == .notVerified)
        #expect(
            try refusal(
                Interval(first: 1, events: Array(good.events[1...]), checkpoint: good.checkpoint),
                test.ledger) == .unknownAuthor)
        #expect(
            try refusal(Interval(first: 0, events: [], checkpoint: good.checkpoint), test.ledger)
                == .limit)
        let stranger2 = try ForeignLog(joining: TestLedger().ledger)
        #expect(try refusal(stranger2.interval(), test.ledger) == .notVerified)
        #expect(try take(log, test.ledger).newEvents == 2)
    }

    @Test func `one bad interval does not keep the others out`() throws {
        let test = try TestLedger()
        let good = try ForeignLog(joining: test.ledger, seed: 1)
        let bad = try ForeignLog(joining: test.ledger, seed: 2)
        let cut = try bad.interval()
        let results = try test.ledger.ingest([
            Interval(first: 5, events: cut.events, checkpoint: cut.checkpoint), good.interval(),
        ])
        #expect(throws: LedgerError.self) { try results[0].get() }
        #expect(try results[1].get().newEvents == 1)
    }

    @Test(arguments: [false, true])
    func `two branches of a log are both kept and the stricter holds`(grantFirst: Bool) throws {
        let test = try TestLedger()
        var trunk = try ForeignLog(joining: test.ledger)
        try trunk.add(.allowed("me", resource: "camera", at: phone))
        _ = try take(trunk, test.ledger)
        var (left, right) = (trunk, trunk)
        try left.add(.allowed("me", resource: "microphone", at: phone))
        try left.add(.primerShown("me", resource: "microphone", at: phone))
        try right.add(.denied("me", resource: "microphone", at: phone))
        let order = grantFirst ? [left, right] : [right, left]
        #expect(try !take(order[0], test.ledger).isFork)
        #expect(try take(order[1], test.ledger).isFork)
        let microphone = StatusQuery("me", resource: "microphone", at: phone)
        #expect(try test.ledger.status(microphone).status == .denied)
        #expect(try test.ledger.status(microphone).evidence.count == 2)
        #expect(try test.ledger.tips().filter { $0.log == trunk.log }.count == 2)
        // Nothing is taken twice, and each branch goes on from its own tip.
        #expect(try take(left, test.ledger).newEvents == 0)
        try right.add(.denied("me", resource: "location", at: phone))
        let more = try test.ledger.ingest([try right.interval(from: 3)])
        #expect(try more[0].get().newEvents == 1)
        #expect(try test.ledger.verify().findings == [])
        let other = try test.joined()
        try Exchange.merge(test.ledger, other.ledger)
        try Exchange.merge(test.ledger, other.ledger)
        #expect(try other.ledger.stateDigest() == test.ledger.stateDigest())
        #expect(try other.ledger.projectionDigest() == test.ledger.projectionDigest())
        #expect(try other.ledger.verify().findings == [])
    }
}

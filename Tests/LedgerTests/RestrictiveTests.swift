import TestSupport
import Testing

@testable import Ledger

/// What may never make a status more permissive, nor keep a denial out.
@Suite struct RestrictiveTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)

    @Test func `a denial that was said before is recorded again once it no longer holds`() throws {
        let test = try TestLedger()
        let ask = try test.ledger.append(.promptAsked("me", resource: "camera", at: phone))
        var denial = Draft.denied("me", resource: "camera", at: phone)
        denial.payload.answers = ask.event.id
        try test.ledger.append(denial)
        #expect(try !test.ledger.append(denial).isNew)
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        #expect(try test.ledger.append(denial).isNew)
        #expect(try test.ledger.status(camera).status == .denied)
    }

    @Test func `an answer does not settle what could not be read after the question`() throws {
        let test = try TestLedger()
        let ask = try test.ledger.append(.promptAsked("me", resource: "camera", at: phone))
        var log = try ForeignLog(joining: test.ledger)
        try log.add(EventKind(code: 777), [0xA0], tag: try log.tag("me"), isCritical: true)
        _ = try test.ledger.ingest([log.interval()])
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = ask.event.id
        #expect(try test.ledger.append(answer).event.header.replaces == [])
        #expect(try test.ledger.status(camera).status == .notDetermined)
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        #expect(try test.ledger.status(camera).status == .authorized)
    }

    @Test func `more events in force than a header can name keep no answer out`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        for _ in 0..<1030 { try log.add(.allowed("me", resource: "camera", at: phone)) }
        _ = try test.ledger.ingest([log.interval()])
        #expect(try test.ledger.status(camera).status == .authorized)
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(try test.ledger.status(camera).status == .denied)
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        #expect(try test.ledger.status(camera).status == .authorized)
        #expect(try test.ledger.status(camera).evidence.count == 1)
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `an answer that allows and reports a denial grants nothing`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        var contradiction = Draft.allowed("me", resource: "camera", at: phone)
        contradiction.payload.status = .denied
        try log.add(contradiction)
        _ = try test.ledger.ingest([log.interval()])
        #expect(try test.ledger.status(camera).status == .notDetermined)
        #expect(try test.ledger.status(camera).reason == .undecodable)
    }

    @Test func `a repeated call that found its status in force stays without effect`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        var call = Draft.observed("me", resource: "camera", at: phone, .authorized)
        call.payload.idempotencyKey = "watch-1"
        #expect(try !test.ledger.append(call).isNew)
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(try !test.ledger.append(call).isNew)
        #expect(try test.ledger.status(camera).status == .denied)
        call.payload.status = .limited
        let error = #expect(throws: LedgerError.self) { try test.ledger.append(call) }
        #expect(error?.code == .conflict)
    }

    @Test func `a fast clock does not bring a withdrawn consent back`() throws {
        let test = try TestLedger()
        let tablet = try test.joined(clock: ManualClock(test.clock.milliseconds + 400 * 86_400_000))
        try tablet.ledger.append(.allowed("me", resource: "camera", at: phone))
        try Exchange.merge(test.ledger, tablet.ledger)
        let denial = try test.ledger.append(.denied("me", resource: "camera", at: phone))
        // What the system reports does not hide what the person said.
        for status in [PermissionStatus.authorized, .denied] {
            #expect(try test.ledger.status(camera).lastAct?.event == denial.event.id)
            #expect(try !test.ledger.status(camera).isConsented)
            try test.ledger.append(.observed("me", resource: "camera", at: phone, status))
        }
        try Exchange.merge(test.ledger, tablet.ledger)
        #expect(try !tablet.ledger.status(camera).isConsented)
        #expect(try tablet.ledger.projectionDigest() == test.ledger.projectionDigest())
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `a consent whose end has passed is none, whatever the system reports`() throws {
        let test = try TestLedger()
        var grant = Draft.allowed("me", resource: "camera", at: phone)
        grant.payload.end = test.clock.milliseconds + 1000
        try test.ledger.append(grant)
        try test.ledger.append(.observed("me", resource: "camera", at: phone, .authorized))
        #expect(try test.ledger.status(camera).isConsented)
        test.clock.advance(minutes: 1)
        #expect(try !test.ledger.status(camera).isConsented)
    }

    @Test func `the floor does not run back when the ledger is opened again`() throws {
        let test = try TestLedger()
        var grant = Draft.allowed("me", resource: "camera", at: phone)
        grant.payload.end = test.clock.milliseconds + 86_400_000
        try test.ledger.append(grant)
        test.clock.advance(days: 2)
        try test.ledger.append(.primerShown("me", resource: "location", at: phone))
        test.clock.advance(days: -2)
        try test.ledger.append(.primerShown("me", resource: "location", at: phone))
        #expect(try test.ledger.status(camera).isExpired)
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try again.status(camera).isExpired)
    }

    @Test func `the wall time in an event is the writer's own, not what a draft says`() throws {
        let test = try TestLedger()
        var draft = Draft.primerShown("me", resource: "camera", at: phone)
        draft.payload.wall = test.clock.milliseconds + 300 * 86_400_000
        #expect(try test.ledger.append(draft).event.payload?.wall == nil)
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try !again.clock().isFloorAhead)
    }
}

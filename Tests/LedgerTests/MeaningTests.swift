import TestSupport
import Testing

@testable import Ledger

/// What events mean: each test is a sentence about a status.
@Suite struct MeaningTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)

    private func status(_ test: TestLedger) throws -> Status { try test.ledger.status(camera) }

    @Test(arguments: [Outcome.dismissed, .timedOut, .notShown, .interrupted])
    func `a prompt that ends without a choice changes nothing and is counted`(
        outcome: Outcome
    ) throws {
        let test = try TestLedger()
        let ask = try test.ledger.append(.promptAsked("me", resource: "camera", at: phone))
        #expect(try status(test).isPending)
        var draft = Draft.answered("me", resource: "camera", at: phone, outcome)
        draft.payload.answers = ask.event.id
        try test.ledger.append(draft)
        let now = try status(test)
        #expect(now.status == .notDetermined)
        #expect(now.evidence.isEmpty)
        #expect(!now.isPending)
        #expect(now.promptsAsked == 1)
        #expect(now.promptsUndecided == 1)
        #expect(now.lastAct == nil)
    }

    @Test func `a question that Android refuses after a denial is not worth asking again`() throws {
        let test = try TestLedger()
        var query = camera
        query.platform = .android
        try test.ledger.append(.answered("me", resource: "camera", at: phone, .notShown))
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(try test.ledger.status(query).canAsk == .yes)
        try test.ledger.append(.answered("me", resource: "camera", at: phone, .notShown))
        #expect(try test.ledger.status(query).canAsk == .no)
        try test.ledger.rebuild()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try again.status(query).canAsk == .no)
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(try test.ledger.status(query).canAsk == .no)
    }

    @Test func `a late answer to a question that timed out counts`() throws {
        let test = try TestLedger()
        let ask = try test.ledger.append(.promptAsked("me", resource: "camera", at: phone))
        for outcome in [Outcome.timedOut, .allowed] {
            var draft = Draft.answered("me", resource: "camera", at: phone, outcome)
            draft.payload.answers = ask.event.id
            try test.ledger.append(draft)
        }
        #expect(try status(test).status == .authorized)
    }

    @Test func `an answer is recorded against what was shown, not what arrived meanwhile`() throws {
        let test = try TestLedger()
        var form = Draft.promptAsked("me", resource: "newsletter", at: nil)
        form.payload.scope = .person
        let ask = try test.ledger.append(form)
        let tablet = try test.joined()
        var denial = Draft.denied("me", resource: "newsletter", at: nil)
        denial.payload.scope = .person
        try tablet.ledger.append(denial)
        try Exchange.merge(test.ledger, tablet.ledger)
        var answer = Draft.allowed("me", resource: "newsletter", at: nil)
        answer.payload.scope = .person
        answer.payload.answers = ask.event.id
        try test.ledger.append(answer)
        let query = StatusQuery("me", resource: "newsletter", at: nil)
        let now = try test.ledger.status(query)
        #expect(now.status == .denied)
        #expect(now.isConflicting)
        #expect(now.reason == .mostRestrictive)
        // A bare record is written against everything in force, so it may overrule.
        answer.payload.answers = nil
        try test.ledger.append(answer)
        #expect(try test.ledger.status(query).status == .authorized)
    }

    @Test func `a yes to a question that is not known here overrules nothing`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        let unknown = try #require(EventID(bytes: [UInt8](repeating: 7, count: 32)))
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = unknown
        try test.ledger.append(answer)
        #expect(try status(test).status == .denied)
        answer.payload.outcome = .denied
        let denial = try test.ledger.append(answer)
        #expect(try status(test).evidence == [denial.event.id])
    }

    @Test func `expect makes a grant fail and never a denial`() throws {
        let test = try TestLedger()
        let grant = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        var wish = Draft.allowed("me", resource: "camera", at: phone)
        wish.expect = []
        let error = #expect(throws: LedgerError.self) { try test.ledger.append(wish) }
        #expect(error?.code == .expectation)
        wish.expect = [grant.event.id]
        try test.ledger.append(wish)
        var denial = Draft.denied("me", resource: "camera", at: phone)
        denial.expect = []
        try test.ledger.append(denial)
        #expect(try status(test).status == .denied)
    }

    @Test func `withdrawing what was never granted is valid, and so is saying it again`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        let again = try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(again.isNew)
        #expect(try status(test).evidence == [again.event.id])
    }

    @Test func `an observation is not an act`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try test.ledger.append(.observed("me", resource: "camera", at: phone, .denied))
        let now = try status(test)
        #expect(now.status == .denied)
        #expect(now.authority == .unknown)
        #expect(now.lastAct?.outcome == .allowed)
        #expect(now.isConsented)
        #expect(now.changedWithoutPerson)
    }

    @Test func `that a person did it is only a claim of an import`() throws {
        let test = try TestLedger()
        var seen = Draft.observed("me", resource: "camera", at: phone, .authorized)
        seen.payload.authority = .person
        seen.payload.source = "tcc:user"
        try test.ledger.append(seen)
        let now = try status(test)
        #expect(now.status == .authorized)
        #expect(now.authority == .unknown)
        #expect(now.lastAct == nil)
        #expect(!now.isConsented)
    }

    @Test func `an observation of what holds already adds nothing`() throws {
        let test = try TestLedger()
        let first = try test.ledger.append(
            .observed("me", resource: "camera", at: phone, .authorized))
        let second = try test.ledger.append(
            .observed("me", resource: "camera", at: phone, .authorized))
        #expect(first.isNew)
        #expect(!second.isNew)
        #expect(second.event.id == first.event.id)
    }

    @Test(arguments: [Authority.policy, .system, .default, .unknown])
    func `an answer by anyone but the person or a guardian is refused`(by: Authority) throws {
        let test = try TestLedger()
        var draft = Draft.allowed("me", resource: "camera", at: phone)
        draft.payload.authority = by
        let error = #expect(throws: LedgerError.self) { try test.ledger.append(draft) }
        #expect(error?.code == .invalid)
    }

    @Test func `an observation of a person-scoped consent can deny and never grant`() throws {
        let test = try TestLedger()
        let query = StatusQuery("me", resource: "newsletter", at: nil)
        var seen = Draft.observed("me", resource: "newsletter", at: nil, .authorized)
        seen.payload.scope = .person
        try test.ledger.append(seen)
        #expect(try test.ledger.status(query).status == .notDetermined)
        seen.payload.status = .denied
        try test.ledger.append(seen)
        #expect(try test.ledger.status(query).status == .denied)
    }

    @Test func `what happens on the phone allows and blocks nothing on the tablet`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        let tablet = Place(device: "tablet", install: "1")
        #expect(
            try test.ledger.status(StatusQuery("me", resource: "camera", at: tablet)).status
                == .notDetermined)
    }

    @Test func `a new install starts undecided and remembers what the person said`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let again = Place(device: "phone", install: "2")
        let now = try test.ledger.status(StatusQuery("me", resource: "camera", at: again))
        #expect(now.status == .notDetermined)
        #expect(now.isConsented)
        #expect(now.promptsAsked == 0)
    }

    @Test func `consent holds until the instant of its end and then reads expired`() throws {
        let test = try TestLedger()
        var grant = Draft.allowed("me", resource: "camera", at: phone)
        grant.payload.end = test.clock.milliseconds + 1000
        try test.ledger.append(grant)
        test.clock.advance(milliseconds: 999)
        #expect(try status(test).status == .authorized)
        test.clock.advance(milliseconds: 1)
        #expect(try status(test).status == .notDetermined)
        #expect(try status(test).isExpired)
        // A clock that is set back does not bring it to life again.
        try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        test.clock.advance(days: -30)
        #expect(try status(test).isExpired)
    }

    @Test func `a floor that ran ahead is reported and can be reset`() throws {
        let test = try TestLedger()
        let home = test.clock.milliseconds
        test.clock.advance(days: 300)
        try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        test.clock.milliseconds = home
        #expect(try test.ledger.clock().isFloorAhead)
        try test.ledger.resetClockFloor()
        #expect(try !test.ledger.clock().isFloorAhead)
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try !again.clock().isFloorAhead)
    }

    @Test func `a grant keeps the highest revision agreed back to the last denial`() throws {
        let test = try TestLedger()
        func grant(_ revision: String) throws {
            var draft = Draft.allowed("me", resource: "camera", at: phone)
            draft.payload.revision = Revision(revision)
            try test.ledger.append(draft)
        }
        try grant("1.10")
        try grant("1.9")
        #expect(try status(test).revision == Revision("1.10"))
        var query = camera
        query.currentRevision = Revision("1.10")
        #expect(try !test.ledger.status(query).isOutdated)
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        try grant("1.9")
        #expect(try status(test).revision == Revision("1.9"))
        #expect(try test.ledger.status(query).isOutdated)
    }

    @Test func `two names are the same when their composed forms are`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("Ame\u{301}lie", resource: "camera", at: phone))
        let query = StatusQuery("Am\u{E9}lie", resource: "camera", at: phone)
        #expect(try test.ledger.status(query).status == .denied)
        var filter = HistoryFilter()
        filter.subject = "Am\u{E9}lie"
        var names: [[UInt8]] = []
        try test.ledger.history(filter) { entry in
            names.append(Array(entry.event.payload?.subject?.utf8 ?? "".utf8))
            return true
        }
        #expect(names == [Array("Ame\u{301}lie".utf8)])
    }

    @Test func `status as of a time and as known here differ by when events arrived`() throws {
        let test = try TestLedger()
        let tablet = try test.joined()
        var denial = Draft.denied("me", resource: "newsletter", at: nil)
        denial.payload.scope = .person
        try tablet.ledger.append(denial)
        let recorded = test.clock.milliseconds
        test.clock.advance(days: 1)
        try Exchange.merge(test.ledger, tablet.ledger)
        var query = StatusQuery("me", resource: "newsletter", at: nil)
        query.moment = .asOf(recorded)
        #expect(try test.ledger.status(query).status == .denied)
        query.moment = .asKnownHere(recorded)
        #expect(try test.ledger.status(query).status == .notDetermined)
        query.moment = .asKnownHere(test.clock.milliseconds)
        #expect(try test.ledger.status(query).status == .denied)
    }

    @Test func `an observation that tells who changed it is another fact`() throws {
        let test = try TestLedger()
        var draft = Draft.observed("me", resource: "camera", at: phone, .denied)
        try test.ledger.append(draft)
        draft.payload.authority = .policy
        #expect(try test.ledger.append(draft).isNew)
        #expect(try test.ledger.append(draft).isNew == false)
        draft.payload.authority = nil
        #expect(try test.ledger.append(draft).isNew == false)
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try test.ledger.status(query).authority == .policy)
    }
}

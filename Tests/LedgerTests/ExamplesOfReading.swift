import Ledger
import TestSupport
import Testing

/// What an app reads back; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfReading {
    private let temporary = TemporaryDirectory()
    private let clock = ManualClock()
    private var directory: String { temporary.path + "/consent" }

    /// A ledger with one answer, whose clock stands still.
    private func makeLedger() throws -> Ledger {
        let clock = clock
        let environment = LedgerEnvironment(
            wallClock: { clock.milliseconds }, lockWaitMilliseconds: 250)
        let ledger = try Ledger.create(at: directory, environment: environment).ledger
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        return ledger
    }

    @Test func `a status says what holds, why, and who said so last`() throws {
        let ledger = try makeLedger()
        let status: Status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        let reason: Status.Reason = status.reason
        let act: Status.Act? = status.lastAct
        #expect(status.grants() && reason == .inForce)
        #expect(act?.outcome == .allowed && act.map { [$0.event] } == status.evidence)
        #expect(act?.timestamp.milliseconds == clock.milliseconds)
    }

    @Test func `a query names a platform to learn whether the system can still ask`() throws {
        let ledger = try makeLedger()
        try ledger.append(.denied("me", resource: "camera", at: phone))
        var query = StatusQuery("me", resource: "camera", at: phone)
        query.platform = Platform(rawValue: "ios")
        let canAsk: Status.Askability = try ledger.status(query).canAsk
        #expect(canAsk == .no)
        query.resource = "microphone"
        #expect(try ledger.status(query).canAsk == .yes)
    }

    @Test func `a query may go back to what was so, or known here, at a time`() throws {
        let ledger = try makeLedger()
        let noon = clock.milliseconds
        clock.advance(minutes: 60)
        try ledger.append(.denied("me", resource: "camera", at: phone))
        for moment: StatusQuery.Moment in [.asOf(noon), .asKnownHere(noon)] {
            var query = StatusQuery("me", resource: "camera", at: phone)
            query.moment = moment
            let then = try ledger.status(query)
            #expect(then.grants())
        }
        #expect(try !ledger.status(StatusQuery("me", resource: "camera", at: phone)).grants())
    }

    @Test func `a history is filtered, and followed from the last position on`() throws {
        let ledger = try makeLedger()
        var filter = HistoryFilter()
        filter.subject = "me"
        filter.kinds = [.promptAsked, .answerGiven]
        var entries: [HistoryEntry] = []
        try ledger.history(filter) { entry in
            entries.append(entry)
            return true
        }
        #expect(entries.map(\.event.header.kind) == [EventKind.answerGiven])
        #expect(entries.first?.author == ledger.replica)

        var news = HistoryFilter()
        news.afterPosition = try ledger.lastPosition()
        try ledger.append(.denied("me", resource: "camera", at: phone))
        try ledger.history(news) { entry in
            entries.append(entry)
            return true
        }
        #expect(entries.map(\.event.payload?.outcome) == [.allowed, .denied])
    }

    @Test func `what is granted to whom is one pass over all keys`() throws {
        let ledger = try makeLedger()
        try ledger.append(.denied("you", resource: "camera", at: phone))
        var granted: [StatusEntry] = []
        try ledger.statuses(StatusQuery("", resource: "", at: nil)) { entry in
            if entry.status.grants() { granted.append(entry) }
            return true
        }
        #expect(granted.map(\.subject) == ["me"])
        #expect(granted.first?.resource == "camera" && granted.first?.place == phone)
    }

    /// What a list of events shows of one.
    func words(_ content: Event.Content) -> String {
        switch content {
        case .payload(let payload): payload.resource ?? "an event"
        case .opening(let opening): "a log was opened (\(opening.reason))"
        case .admission(let admission): "\(admission.name ?? admission.replica.short) joined"
        case .removal(let removal): "\(removal.replica.short) was removed"
        case .undecodable, .missing: "cannot be read here"
        case .erased: "was erased"
        }
    }

    @Test func `an event is shown by its kind, its time and what it says`() throws {
        let ledger = try makeLedger()
        var lines: [String] = []
        try ledger.history(HistoryFilter()) { entry in
            let event: Event = entry.event
            let recorded: Timestamp = event.header.timestamp
            lines.append("\(recorded.milliseconds) \(event.header.kind) \(words(event.content))")
            return true
        }
        let time = clock.milliseconds
        #expect(
            lines == [
                "\(time) logOpened a log was opened (new)", "\(time) answerGiven camera",
            ])
    }

    @Test func `an event is found again by what people copied of its id`() throws {
        let ledger = try makeLedger()
        let receipt = try ledger.append(.denied("me", resource: "camera", at: phone))
        let id: EventID = receipt.event.id
        #expect(try ledger.events(withPrefix: id.short).map(\.event.id) == [id])
        let entry = try ledger.event(id)
        #expect(entry?.event == receipt.event)
        #expect(EventID(id.description) == id && EventID("not an id") == nil)
    }

    @Test func `a clock that ran ahead is noticed and its floor reset`() throws {
        let ledger = try makeLedger()
        clock.advance(days: 1)
        try ledger.append(.denied("me", resource: "camera", at: phone))
        clock.advance(days: -1)
        let report: ClockReport = try ledger.clock()
        if report.isFloorAhead { try ledger.resetClockFloor() }
        #expect(report.isFloorAhead && report.floor == report.wall + 86_400_000)
        #expect(report.logical > Timestamp(milliseconds: report.wall))
        #expect(try ledger.clock().floor == report.wall)
    }

    @Test func `the system's clock and generator are the defaults`() throws {
        let environment = LedgerEnvironment()
        let yesterday = SystemClock.milliseconds() - 86_400_000
        let nonce = Bytes16(try Crypto.random(16))
        #expect(yesterday < environment.wallClock())
        #expect(nonce != nil && nonce != .zero)
    }
}

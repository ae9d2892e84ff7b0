import Ledger
import TestSupport
import Testing

/// What an app records; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfRecording {
    private let temporary = TemporaryDirectory()
    private var directory: String { temporary.path + "/consent" }

    @Test func `a ledger is made once, then opened, and closed at the end`() throws {
        let (ledger, recoveryKey) = try Ledger.create(at: directory)
        let phone = Place(device: "phone", install: "1")
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        try ledger.close()

        let paper = recoveryKey.description
        #expect(status.grants())
        #expect(paper.count == 52)
        #expect(try Ledger(openAt: directory).id == ledger.id)
    }

    /// Opens the ledger, or makes it where there is none.
    private func openOrCreate(_ directory: String) throws(LedgerError) -> Ledger {
        do throws(LedgerError) {
            return try Ledger(openAt: directory)
        } catch {
            guard error.code == .notFound else { throw error }
            return try Ledger.create(at: directory).ledger
        }
    }

    @Test func `an error's code tells whether there is something to make or to try again`() throws {
        let first = try openOrCreate(directory)
        #expect(try openOrCreate(directory).id == first.id)

        let passing: Set<LedgerError.Code> = [.busy, .noSpace]
        let error = LedgerError(.noSpace, "The disk is full; make room and try again.")
        #expect(passing.contains(error.code))
        #expect(error.description == "noSpace: The disk is full; make room and try again.")
    }

    @Test func `a ledger that is opened for reading answers and refuses to record`() throws {
        try openOrCreate(directory).append(.allowed("me", resource: "camera", at: phone))
        let access: Ledger.Access = .readOnly
        let reader = try Ledger(openAt: directory, access: access)
        #expect(try reader.status(StatusQuery("me", resource: "camera", at: phone)).grants())
        #expect(throws: LedgerError(.readOnly, "")) {
            try reader.append(.denied("me", resource: "camera", at: phone))
        }
    }

    @Test func `an answer names the question, and what was in force when it was put`() throws {
        let ledger = try openOrCreate(directory)
        let before = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        let asked = try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = asked.event.id
        answer.expect = before.evidence
        let receipt = try ledger.append(answer)
        #expect(receipt.event.payload?.answers == asked.event.id)
        answer.payload.answers = nil
        let late = answer
        #expect(throws: LedgerError(.expectation, "")) { try ledger.append(late) }
    }

    @Test func `a call with an idempotency key may be repeated`() throws {
        let ledger = try openOrCreate(directory)
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.idempotencyKey = "form-17"
        let first: Receipt = try ledger.append(answer)
        let again: Receipt = try ledger.append(answer)
        let isSame = again.event.id == first.event.id && !again.isNew
        #expect(first.isNew && isSame)
    }

    @Test func `a payload says what has no shorthand`() throws {
        let ledger = try openOrCreate(directory)
        var payload = Payload()
        payload.subject = "me"
        payload.resource = "location"
        payload.device = phone.device
        payload.install = phone.install
        payload.outcome = .allowed
        payload.extent = Extent(time: .whenInUse, accuracy: .reduced)
        payload.surface = "onboarding"
        try ledger.append(Draft(.answerGiven, payload))
        let status = try ledger.status(StatusQuery("me", resource: "location", at: phone))
        #expect(status.extent == payload.extent)
        #expect(status.grants(Extent(time: .whenInUse)) && !status.grants(Extent(time: .always)))
    }

    @Test func `a guardian's answer to a form holds everywhere for two years`() throws {
        let ledger = try openOrCreate(directory)
        let now = SystemClock.milliseconds()
        var agreed = Draft.allowed("child", resource: "newsletter", at: nil)
        agreed.payload.scope = .person
        agreed.payload.authority = .guardian
        agreed.payload.revision = Revision("1.10")
        agreed.payload.end = Period("P2Y")?.end(from: now)
        try ledger.append(agreed)

        var query = StatusQuery("child", resource: "newsletter", at: nil)
        query.currentRevision = Revision("1.9")
        let status = try ledger.status(query)
        let decider: Authority = status.authority
        #expect(decider == .guardian && decider.mayAct)
        #expect(status.end == agreed.payload.end)
        #expect(!status.isOutdated && !status.isExpired)
    }

    @Test func `a dialog that was closed is neither a yes nor a no`() throws {
        let ledger = try openOrCreate(directory)
        let outcome = Outcome.dismissed
        let asked = try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        var closed = Draft.answered("me", resource: "camera", at: phone, outcome)
        closed.payload.answers = asked.event.id
        try ledger.append(closed)
        let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        #expect(!outcome.isDeciding)
        #expect(status.status == .notDetermined && status.promptsUndecided == 1)
    }

    @Test func `an observation is recorded as the system's and nobody's act`() throws {
        let ledger = try openOrCreate(directory)
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        try ledger.append(.observed("me", resource: "camera", at: phone, .denied))
        let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        #expect(status.status == PermissionStatus.denied)
        #expect(status.changedWithoutPerson && status.isConsented)
    }
}

import Ledger
import TestSupport
import Testing

@Suite struct AppendTests {
    @Test func `an answer is in the status at once`() throws {
        let test = try TestLedger()
        let receipt = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let status = try test.ledger.status(StatusQuery("me", resource: "camera", at: phone))
        #expect(receipt.isNew)
        #expect(status.status == .authorized)
        #expect(status.evidence == [receipt.event.id])
        #expect(status.isConsented)
    }

    @Test func `everything is there after opening again`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        let status = try again.status(StatusQuery("me", resource: "camera", at: phone))
        #expect(status.status == .denied)
        #expect(status.evidence.count == 1)
    }

    @Test func `many events across flushes keep every status`() throws {
        let test = try TestLedger()
        for batch in 0..<10 {
            try test.ledger.append(
                (0..<1000).map { index in
                    let subject = "person-\((batch * 1000 + index) % 777)"
                    return index % 3 == 0
                        ? .denied(subject, resource: "camera", at: phone)
                        : .allowed(subject, resource: "camera", at: phone)
                })
        }
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        for person in 0..<777 {
            let query = StatusQuery("person-\(person)", resource: "camera", at: phone)
            #expect(try again.status(query) == test.ledger.status(query))
        }
    }
}

@Suite struct RepeatedCallTests {
    @Test func `the same call again returns the first event`() throws {
        let test = try TestLedger()
        var draft = Draft.allowed("me", resource: "camera", at: phone)
        draft.payload.idempotencyKey = "form-7"
        let first = try test.ledger.append(draft)
        test.clock.advance(minutes: 5)
        let again = try test.ledger.append(draft)
        #expect(!again.isNew)
        #expect(again.event.id == first.event.id)
        draft.payload.outcome = .denied
        let error = #expect(throws: LedgerError.self) { try test.ledger.append(draft) }
        #expect(error?.code == .conflict)
        // Another replica's keys are its own.
        let tablet = try test.joined()
        try Exchange.merge(test.ledger, tablet.ledger)
        #expect(try tablet.ledger.append(draft).isNew)
    }

    @Test func `the same answer to the same question is recorded once`() throws {
        let test = try TestLedger()
        let ask = try test.ledger.append(.promptAsked("me", resource: "camera", at: phone))
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = ask.event.id
        let first = try test.ledger.append(answer)
        test.clock.advance(milliseconds: 150)
        let again = try test.ledger.append(answer)
        #expect(!again.isNew)
        #expect(again.event.id == first.event.id)
    }

    @Test func `two bare denials that look the same are two events`() throws {
        let test = try TestLedger()
        let first = try test.ledger.append(.denied("me", resource: "camera", at: phone))
        test.clock.advance(milliseconds: 1000)
        let second = try test.ledger.append(.denied("me", resource: "camera", at: phone))
        #expect(first.event.id != second.event.id)
        #expect(second.isNew)
    }

    @Test func `a batch with one bad draft records nothing and leaves the clock`() throws {
        let test = try TestLedger()
        try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        let before = try (test.ledger.lastPosition(), test.ledger.clock().logical)
        var wish = Draft.allowed("me", resource: "camera", at: phone)
        wish.expect = []
        test.clock.advance(minutes: 1)
        #expect(throws: LedgerError.self) {
            try test.ledger.append([
                .denied("me", resource: "camera", at: phone), wish,
            ])
        }
        #expect(try test.ledger.lastPosition() == before.0)
        #expect(try test.ledger.clock().logical == before.1)
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try test.ledger.status(query).status == .notDetermined)
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `two ledgers on one directory, as two processes, see each other at once`() throws {
        let test = try TestLedger()
        let other = try Ledger(openAt: test.path, environment: test.clock.environment)
        let query = StatusQuery("me", resource: "camera", at: phone)
        for round in 0..<50 {
            let writer = round % 2 == 0 ? test.ledger : other
            let reader = round % 2 == 0 ? other : test.ledger
            let draft =
                round % 3 == 0
                ? Draft.allowed("me", resource: "camera", at: phone)
                : .denied("me", resource: "camera", at: phone)
            let receipt = try writer.append(draft)
            #expect(try reader.status(query).evidence == [receipt.event.id])
        }
        #expect(try other.verify().findings == [])
        #expect(try test.ledger.verify().logs.count == 1)
    }
}

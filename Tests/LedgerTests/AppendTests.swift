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

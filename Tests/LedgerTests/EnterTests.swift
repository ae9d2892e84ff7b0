import Ledger
import TestSupport
import Testing

@Suite struct EnterTests {
    private let query = StatusQuery("me", resource: "shop-location", at: phone)

    private func enter(_ test: TestLedger, _ live: SystemStatus) throws -> Decision {
        let catalog = try Catalog(readFrom: SourceTree.root + "/Examples/sample/catalog.json")
        let entry = FeatureEntry("suggest-shop", subject: "me", at: phone)
        return try test.ledger.enter(entry, catalog: catalog) { _ in live }
    }

    @Test func `an entry records one change, and none when nothing changed`() throws {
        let test = try TestLedger()
        let start = try test.ledger.lastPosition()
        for _ in 0..<3 { _ = try enter(test, .reported(.denied)) }
        #expect(try test.ledger.lastPosition() == start + 1)
        #expect(try test.ledger.status(query).status == .denied)
        #expect(try test.ledger.status(query).lastAct == nil)
    }

    @Test func `a change in Settings after a denial lets the feature run`() throws {
        let test = try TestLedger()
        try test.ledger.append(.denied("me", resource: "shop-location", at: phone))
        let extent = Extent(time: .whenInUse, accuracy: .precise)
        #expect(try enter(test, .reported(.authorized, extent)).action == .proceed)
        #expect(try test.ledger.status(query).changedWithoutPerson)
    }

    @Test func `a report without an extent does not widen what is recorded`() throws {
        let test = try TestLedger()
        var grant = Draft.allowed("me", resource: "shop-location", at: phone)
        grant.payload.extent = Extent(time: .whenInUse, accuracy: .reduced)
        try test.ledger.append(grant)
        let before = try test.ledger.lastPosition()
        _ = try enter(test, .reported(.authorized))
        #expect(try test.ledger.lastPosition() == before)
        #expect(try test.ledger.status(query).extent == grant.payload.extent)
        let precise = Extent(time: .whenInUse, accuracy: .precise)
        _ = try enter(test, .reported(.authorized, precise))
        #expect(try test.ledger.status(query).extent == precise)
    }

    @Test(arguments: [
        SystemStatus.unsupported, .serviceOff("Location Services"), .unqueryable,
    ])
    func `what the system does not report is not recorded`(live: SystemStatus) throws {
        let test = try TestLedger()
        let start = try test.ledger.lastPosition()
        _ = try enter(test, live)
        #expect(try test.ledger.lastPosition() == start)
    }
}

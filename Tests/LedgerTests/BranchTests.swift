import TestSupport
import Testing

@testable import Ledger

/// What the author of a log can do by signing more than one past of it.
@Suite struct BranchTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)

    /// Two branches that part and then hold the very same event at the same place.
    private func branches(
        _ ledger: Ledger, hidesLeft: Bool = false
    ) throws -> (left: ForeignLog, right: ForeignLog, shared: EventID) {
        var left = try ForeignLog(joining: ledger)
        var right = left
        try left.add(.primerShown("me", resource: "location", at: phone))
        try right.add(.primerShown("me", resource: "microphone", at: phone))
        let denial = Draft.denied("me", resource: "camera", at: phone)
        let shared = try left.add(denial, hidesPayload: hidesLeft)
        #expect(try right.add(denial) == shared)
        for draft in [Draft.primerShown("me", resource: "camera", at: phone)] {
            try left.add(draft)
            try right.add(draft)
        }
        return (left, right, shared)
    }

    @Test(arguments: [false, true], [false, true])
    func `an event on two branches is one event`(leftFirst: Bool, hidesLeft: Bool) throws {
        let test = try TestLedger()
        let (left, right, shared) = try branches(test.ledger, hidesLeft: hidesLeft)
        for log in leftFirst ? [left, right] : [right, left] {
            _ = try #require(try test.ledger.ingest([log.interval()]).first).get()
        }
        let status = try test.ledger.status(camera)
        #expect(status.status == .denied)
        #expect(status.reason == .inForce)
        #expect(status.evidence == [shared])
        #expect(status.primersShown == 1)
        let answer = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        #expect(answer.event.header.replaces == [shared])
        #expect(try test.ledger.status(camera).status == .authorized)
        #expect(try test.ledger.verify().findings == [])
        let digest = try test.ledger.projectionDigest()
        try test.ledger.rebuild()
        #expect(try test.ledger.projectionDigest() == digest)
        let other = try test.joined()
        try Exchange.merge(test.ledger, other.ledger)
        #expect(try other.ledger.stateDigest() == test.ledger.stateDigest())
        #expect(try other.ledger.projectionDigest() == test.ledger.projectionDigest())
        #expect(try other.ledger.status(camera).status == .authorized)
    }

    @Test func `branches that part at the first event are both kept in any order`() throws {
        let test = try TestLedger()
        let other = try test.joined()
        var left = try ForeignLog(joining: test.ledger)
        var right = try ForeignLog(joining: test.ledger, from: 1_767_225_700_000)
        try left.add(.allowed("me", resource: "camera", at: phone))
        try right.add(.denied("me", resource: "camera", at: phone))
        // The other one hears first who may write.
        try Exchange.pull(from: test.ledger, into: other.ledger)
        for log in [left, right] {
            _ = try #require(try test.ledger.ingest([log.interval()]).first).get()
        }
        for log in [right, left] {
            _ = try #require(try other.ledger.ingest([log.interval()]).first).get()
        }
        #expect(try test.ledger.tips().filter { $0.log == left.log }.count == 2)
        #expect(try test.ledger.status(camera).status == .denied)
        #expect(try other.ledger.status(camera).status == .denied)
        #expect(try test.ledger.verify().findings == [])
        try Exchange.merge(test.ledger, other.ledger)
        #expect(try other.ledger.stateDigest() == test.ledger.stateDigest())
    }
}

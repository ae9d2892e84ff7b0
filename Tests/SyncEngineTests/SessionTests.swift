import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct SessionTests {
    /// Two replicas that each hold a log of their own and nothing of the other's.
    static func pair(_ left: Int = 5, _ right: Int = 3) throws -> (FakeLedger, FakeLedger) {
        let (a, b) = (try FakeLedger(seed: 11), try FakeLedger(seed: 22))
        try a.append(left)
        try b.append(right)
        return (a, b)
    }

    @Test func `two replicas end with the same state and say so`() throws {
        let (a, b) = try Self.pair()
        var link = Link(a, b)
        let outcome = try link.run()
        let left = try #require(outcome.initiator).get()
        let right = try #require(outcome.responder).get()
        #expect(left.isInSync && right.isInSync)
        #expect(try a.tips() == b.tips())
        #expect(try a.stateDigest() == b.stateDigest())
        #expect((left.eventsReceived, left.eventsSent) == (4, 6))
        #expect((right.eventsReceived, right.eventsSent) == (6, 4))
        #expect(left.peer == b.replica && right.peer == a.replica)
        #expect(left.bytesSent == right.bytesReceived && left.bytesReceived == right.bytesSent)
        #expect(left.rounds == 1 && left.setAside.isEmpty && left.forks.isEmpty)
    }

    @Test func `events arrive byte for byte`() throws {
        let (a, b) = try Self.pair(40, 0)
        try merge(a, b)
        let tip = try #require(try a.tips().first { $0.log == a.log })
        let sent = try a.intervals(of: tip, from: 0, bytesMax: .max).flatMap(\.events)
        let got = try b.intervals(of: tip, from: 0, bytesMax: .max).flatMap(\.events)
        #expect(sent == got)
        #expect(sent.map(\.header.bytes) == got.map(\.header.bytes))
    }

    @Test func `a second session moves nothing`() throws {
        let (a, b) = try Self.pair()
        try merge(a, b)
        let report = try merge(b, a)
        #expect(report.isInSync && report.rounds == 0 && report.eventsReceived == 0)
    }

    @Test func `a session cut at any byte is resumed by a new one`() throws {
        let (a, b) = try Self.pair(4, 2)
        var whole = Link(a.copy(), b.copy())
        let total = try whole.run().bytesDelivered
        #expect(total > 500)
        for cut in 0..<total {
            let (left, right) = (a.copy(), b.copy())
            var link = Link(left, right)
            _ = try link.run(cut: cut)
            let report = try merge(
                cut.isMultiple(of: 2) ? left : right,
                cut.isMultiple(of: 2) ? right : left)
            try #require(report.isInSync, "cut at byte \(cut)")
            try #require(try left.tips() == right.tips(), "cut at byte \(cut)")
            try #require(try left.tips().count == 2, "cut at byte \(cut)")
        }
    }

    @Test func `what was acknowledged before a cut is durable at the receiver`() throws {
        let (a, b) = try Self.pair(0, 0)
        for _ in 0..<30 {
            try a.append(20)
            try a.sign()
        }
        var options = SessionOptions()
        options.batchLength = 1
        for cut in stride(from: 500, to: 60_000, by: 2903) {
            let (left, right) = (a.copy(), b.copy())
            var link = Link(left, right, options: options)
            _ = try link.run(cut: cut)
            let sent = link.initiator.report.eventsSent
            let stored = try right.tips().first { $0.log == left.log }?.size ?? 0
            #expect(UInt64(sent) <= stored)
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `portions of any size make no difference`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let (a, b) = try Self.pair(Int.random(in: 0...60, using: &random), 7)
        var link = Link(a, b)
        let outcome = try link.run { _ in Int.random(in: 1...200, using: &random) }
        #expect(try succeeded(outcome.initiator), "seed \(seed)")
        #expect(try a.tips() == b.tips(), "seed \(seed)")
    }

    @Test func `equal digests are computed anew from what is stored, and not remembered`() throws {
        let (a, b) = try Self.pair(9, 4)
        try #require(try merge(a, b).isInSync)
        b.lose([2], of: a.log)
        // The peer still says what both had said: it is believed for itself alone.
        let report = try merge(b, a)
        #expect(report.rounds == 1 && report.transfers.map(\.payloadsReceived) == [1])
        #expect(try a.stateDigest() == b.stateDigest())
    }

    @Test func `only what is new travels`() throws {
        let (a, b) = try Self.pair(2000, 0)
        try merge(a, b)
        try a.append(1)
        let report = try merge(a, b)
        #expect(report.eventsSent == 1)
        #expect(report.bytesSent < 1500)
    }

    @Test func `three replicas converge through a middle one in any order`() throws {
        let (a, b) = try Self.pair()
        let c = try FakeLedger(seed: 33)
        try merge(a, b)
        try merge(c, b)
        try merge(a, b)
        #expect(try a.tips() == b.tips() && b.tips() == c.tips())
        #expect(try a.tips().count == 3)
    }

    @Test func `appends during a session are taken along or left for the next`() throws {
        let (a, b) = try Self.pair(50, 50)
        var link = Link(a, b)
        var appended = 0
        link.meanwhile = { _ in
            guard appended < 3 else { return }
            appended += 1
            try a.append(1)
        }
        let outcome = try link.run()
        #expect(try succeeded(outcome.initiator))
        #expect(try a.tips() == b.tips())
    }

    @Test func `replicas that never rest are left after a bounded number of rounds`() throws {
        let (a, b) = try Self.pair()
        var link = Link(a, b)
        link.meanwhile = { _ in
            try a.append(1)
            try b.append(1)
        }
        let report = try #require(link.run().responder).get()
        #expect(report.rounds == 8)
        #expect(!report.isInSync)
    }

    @Test func `a peer under the own id is told apart`() throws {
        let (a, _) = try Self.pair()
        try a.sign()
        let b = a.copy()
        try a.append(2)
        let report = try merge(a, b)
        #expect(report.isInSync && report.peerIsCopy)
    }
}

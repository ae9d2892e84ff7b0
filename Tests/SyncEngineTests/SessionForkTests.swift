import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct SessionForkTests {
    /// One replica and its copy, each of which went on by itself after `shared` events.
    static func clones(
        shared: Int, left: Int, right: Int, signingEvery step: Int = 50
    ) throws -> (FakeLedger, FakeLedger) {
        let a = try FakeLedger(seed: 5)
        func grow(_ ledger: FakeLedger, _ count: Int) throws {
            for done in stride(from: 0, to: count, by: step) {
                try ledger.append(min(step, count - done))
                try ledger.sign()
            }
        }
        try grow(a, shared)
        let b = a.copy()
        b.state.withLock { $0.random = SplitMix(seed: 99) }
        try grow(a, left)
        try grow(b, right)
        return (a, b)
    }

    @Test(arguments: [
        (0, 1, 1), (10, 3, 7), (120, 60, 1), (120, 1, 300), (120, 130, 300), (2400, 30, 1300),
        (300, 1400, 1500),
    ])
    func `both branches of a log are kept on both sides`(
        shared: Int, left: Int, right: Int
    ) throws {
        let (a, b) = try Self.clones(shared: shared, left: left, right: right)
        let report = try merge(a, b)
        #expect(report.isInSync)
        #expect(report.forks == [a.log])
        #expect(report.setAside.isEmpty)
        #expect(try a.tips() == b.tips())
        #expect(try a.tips().count == 2)
    }

    @Test func `forks travel on to a replica that has neither branch`() throws {
        let (a, b) = try Self.clones(shared: 10, left: 3, right: 4)
        try merge(a, b)
        let c = try FakeLedger(seed: 6)
        let report = try merge(c, a)
        #expect(report.isInSync && report.forks == [a.log])
        #expect(try c.tips() == a.tips())
    }

    @Test func `a branch that grows is followed`() throws {
        let (a, b) = try Self.clones(shared: 10, left: 3, right: 4)
        try merge(a, b)
        try a.append(5)
        #expect(try merge(b, a).isInSync)
        #expect(try a.tips() == b.tips() && a.tips().count == 2)
    }

    @Test func `payloads that are missing are fetched from who has them`() throws {
        let (a, b) = try SessionTests.pair(300, 0)
        try merge(a, b)
        b.lose([0, 7, 8, 250], of: a.log)
        let report = try merge(b, a)
        #expect(report.isInSync)
        #expect(report.transfers.map(\.payloadsReceived).reduce(0, +) == 4)
        #expect(report.eventsReceived == 0)
        let tip = try #require(try b.tips().first { $0.log == a.log })
        #expect(try b.missingPayloads(of: tip) == [])
    }

    @Test func `payloads that nobody has end the session without a loop`() throws {
        let (a, b) = try SessionTests.pair(20, 0)
        try merge(a, b)
        b.lose([3], of: a.log)
        a.lose([3, 5], of: a.log)
        let report = try merge(b, a)
        #expect(report.isInSync)
        #expect(report.rounds <= 2)
        let tip = try #require(try b.tips().first { $0.log == a.log })
        #expect(try b.missingPayloads(of: tip) == [3])
    }
}

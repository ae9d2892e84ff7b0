import Ledger
import TestSupport
import Testing

@testable import SyncEngine
@testable import ledgerd

/// How `ledgerd sync now` comes out for one peer or one folder.
@Suite struct SyncNowTests {
    private static let failure = SyncError(.notFound, "Nobody is there.")

    private func peer(_ change: (inout PeerState) -> Void = { _ in }) throws -> PeerState {
        var peer = PeerState(ReplicaID(raw: .zero))
        peer.address = try SocketAddress("tcp://127.0.0.1:9")
        (peer.comparisons, peer.failures) = (3, [.notFound: 2])
        change(&peer)
        return peer
    }

    private func outcome(_ change: (inout PeerState) -> Void) throws -> SyncNow.Outcome? {
        SyncNow.outcome(try peer(change), try peer())?.0
    }

    @Test func `a comparison that came after the question decides`() throws {
        let merged = try outcome {
            $0.comparisons = 4
            $0.isInSync = true
        }
        #expect(merged == .merged)
        let partial = try SyncNow.outcome(
            peer {
                $0.comparisons = 4
                $0.aside.add(SetAside(log: LogID(raw: .zero), reason: Self.failure))
            }, peer())
        #expect(partial?.0 == .partial && partial?.1 == Self.failure)
        // The one before was not asked for.
        #expect(try outcome { $0.isInSync = true } == nil)
        #expect(try SyncNow.outcome(peer { $0.isInSync = true }, nil)?.0 == .merged)
    }

    @Test func `who is connected is waited for, whatever failed before`() throws {
        let waiting = try outcome {
            $0.phase = .connected
            $0.failures = [.notFound: 3]
            $0.address = nil
        }
        #expect(waiting == nil)
    }

    @Test func `a failure counts that is new`() throws {
        #expect(try outcome { $0.failure = Self.failure } == nil)
        let failed = try SyncNow.outcome(
            peer {
                $0.failures = [.notFound: 2, .closed: 1]
                $0.failure = Self.failure
            }, peer())
        #expect(failed?.0 == .failed && failed?.1 == Self.failure)
    }

    @Test func `who only calls and is not here is away, and only that one`() throws {
        #expect(try outcome { $0.address = nil } == .away)
        #expect(try outcome { $0.phase = .calling } == nil)
    }

    @Test func `what was merged or is away is good, and nothing else`() {
        let good: [SyncNow.Outcome] = [.merged, .away]
        for outcome in [SyncNow.Outcome.merged, .partial, .failed, .away, .timedOut] {
            #expect(outcome.isGood == good.contains(outcome), "\(outcome)")
        }
    }

    @Test func `a folder's answer tells what was left, and why`() {
        var answer = FolderPart.Answer(path: "drop")
        var step = FolderStep()
        step.report = FolderReport()
        answer.add(step)
        #expect(answer.count == 1 && answer.outcome == .merged && answer.reason == nil)
        step.report?.publishFailure = Self.failure
        answer.add(step)
        #expect(answer.outcome == .partial && answer.reason == Self.failure)
        step.report = nil
        step.notices = [FolderNotice(.away, Self.failure)]
        answer.add(step)
        #expect(answer.count == 3 && answer.outcome == .failed && answer.reason == Self.failure)
    }
}

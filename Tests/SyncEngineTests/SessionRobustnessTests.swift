import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// A peer that misbehaves costs bounded memory and time and is dropped with a reason.
@Suite struct SessionRobustnessTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `rubbish ends the session and leaves the log as it was`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var attacked = try SessionProtocolTests.Attacked(greeted: seed.isMultiple(of: 2))
        let before = try attacked.ledger.tips()
        for _ in 0..<40 where attacked.error == nil {
            attacked.receive(random.bytes(Int(random.next() % 400)))
        }
        #expect(try attacked.ledger.tips() == before)
        #expect(attacked.session.splitter.pending <= WireLimits.frameLengthMax + 400)
    }

    @Test(arguments: [false, true])
    func `one byte a second is silence`(greeted: Bool) throws {
        var attacked = try SessionProtocolTests.Attacked(greeted: greeted)
        let frame = Message.setAside(
            Refusal(log: LogID(raw: .zero), size: 1, reason: String(repeating: "x", count: 500))
        ).encoded
        var seconds: Int64 = 0
        attacked.take(attacked.session.tick(0))
        for byte in frame where attacked.error == nil {
            seconds += 1
            attacked.receive([byte])
            attacked.take(attacked.session.tick(1000 * seconds))
        }
        #expect(attacked.error?.code == .timedOut)
        #expect(seconds == (greeted ? 91 : 11))
    }

    @Test func `whole frames do not delay the limit on the greeting`() throws {
        var attacked = try SessionProtocolTests.Attacked(greeted: false)
        for seconds in 0...11 where attacked.error == nil {
            attacked.receive([0, 0, 0, 2, 200, 0])
            attacked.take(attacked.session.tick(1000 * Int64(seconds)))
        }
        #expect(attacked.error?.code == .timedOut)
    }

    @Test func `a peer that never drains is sent nothing more than was asked for at once`() throws {
        var attacked = try SessionProtocolTests.Attacked()
        for _ in 0..<40 {
            try attacked.ledger.append(50)
            try attacked.ledger.sign()
        }
        let tip = try #require(try attacked.ledger.tips().first)
        let before = attacked.session.report.bytesSent
        attacked.send(
            .want(Want(stream: 1, tip: tip, first: 0, end: tip.size, credit: 1 << 40)))
        // Nothing has left: the session waits to be told that something did.
        #expect(attacked.session.report.bytesSent == before)
        attacked.take(attacked.session.drained())
        #expect(attacked.session.report.bytesSent - before < 8000)
        #expect(attacked.session.serving.intervals.count <= 40)
    }

    @Test func `questions are answered with as many bytes as they cost and no more`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let before = link.sides[0].report.bytesSent
        for _ in 0..<50 { link.inject(.ping(.zero), to: 0) }
        #expect(link.sides[0].report.bytesSent - before == 50 * 38)
        #expect(link.endings[0] == nil)
    }

    @Test func `a request that continues no stream ends the session`() throws {
        var attacked = try SessionProtocolTests.Attacked()
        let tip = try #require(try attacked.ledger.tips().first)
        var want = Want(stream: 1, tip: tip, first: 0, end: tip.size, credit: 1000)
        want.continues = true
        attacked.send(.want(want))
        #expect(attacked.error?.code == .malformed)
    }

    @Test func `an unfinished interval is bounded, whatever its parts say`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let tip = Tip(log: LogID(raw: Bytes16(a: 7, b: 7)), size: 9, root: .zero)
        _ = link.sides[0].receive(Message.news([TipEntry(tip: tip)]).encoded)
        let stream = try #require(link.sides[0].receiving.fetch?.stream)
        let part = Message.part(
            Part(stream: stream, isLast: false, bytes: [UInt8](repeating: 0, count: 1 << 19)))
        for _ in 0..<40 {
            _ = link.sides[0].receive(part.encoded)
            let kept = link.sides[0].receiving.fetch?.assembling.count ?? 0
            #expect(kept <= WireLimits.intervalLengthMax + 1 << 19)
        }
        // It was set aside with its reason; the line is given up only for more than the credit.
        #expect(link.sides[0].report.setAsideCount >= 1)
    }

    @Test func `a log that the peer cannot bring does not stop the others`() throws {
        let (victim, peer, attacked) = try HostilePeerTests.stage()
        let liar = Liar(
            base: peer,
            interval: { $0.checkpoint.log == attacked ? Tampering.wrongRoot.apply($0) : $0 })
        var link = LiveLink(victim, liar)
        try peer.append(4)
        link.changed(1)
        let log = peer.log
        let held = try victim.tips().first { $0.log == log }
        #expect(try held == peer.tips().first { $0.log == log })
        #expect(link.sides[0].report.setAside.map(\.log).allSatisfy { $0 == attacked })
        #expect(link.endings[0] == nil)
    }
}

import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct LiveSessionTests {
    @Test func `what is appended on either side passes at once`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        #expect(link.sides.allSatisfy { $0.report.isInSync && $0.phase == .live })
        for count in 1...5 {
            try a.append(count)
            link.changed(0)
            try b.append(1)
            link.changed(1)
            #expect(try a.tips() == b.tips())
        }
        #expect(link.endings[0] == nil && link.endings[1] == nil)
        #expect(link.sides[0].report.eventsReceived == 4 + 5)
        #expect(link.sides[1].report.eventsSent == 4 + 5)
    }

    @Test func `nothing is said when nothing changed, and no echo comes back`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        link.changed(0)
        link.changed(1)
        let before = link.bytes
        link.changed(0)
        #expect(link.bytes == before)
        try a.append(1)
        link.changed(0)
        let news = link.sent[1].count { if case .news = $0 { true } else { false } }
        link.changed(1)
        #expect(link.sent[1].count { if case .news = $0 { true } else { false } } == news)
    }

    @Test func `events travel on from a peer to the next`() throws {
        let (a, b) = try SessionTests.pair()
        let c = try FakeLedger(seed: 33)
        var (first, second) = (LiveLink(a, b), LiveLink(b, c))
        first.changed(1)
        try a.append(7)
        first.changed(0)
        second.changed(0)
        #expect(try c.tips() == a.tips())
    }

    @Test func `a session ends after the merge unless both sides would like to go on`() throws {
        let (a, b) = try SessionTests.pair()
        var open = SessionOptions()
        open.staysOpen = true
        let link = LiveLink(a, b, options: (open, SessionOptions()))
        #expect(try succeeded(link.endings[0]) && succeeded(link.endings[1]))
        let news = Message.news([TipEntry(tip: Tip(log: a.log, size: 1, root: .zero))])
        var attacked = try SessionProtocolTests.Attacked()
        attacked.send(news)
        #expect(attacked.error?.code == .malformed)
    }

    @Test func `who leaves says so, and both come to a good end`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        link.leave(0)
        #expect(try succeeded(link.endings[0]) && succeeded(link.endings[1]))
    }

    @Test func `a quiet line is tested by pings, and a dead one is given up`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        for _ in 0..<20 { link.pass(milliseconds: 30_000) }
        #expect(link.endings[0] == nil && link.endings[1] == nil)
        #expect(link.sent[0].contains { if case .ping = $0 { true } else { false } })
        var alone = link.sides[0]
        _ = alone.tick(link.now + 30_000)
        let ending = alone.tick(link.now + 121_000)
        guard case .failed(let error)? = ending.last else {
            Issue.record("the session goes on")
            return
        }
        #expect(error.code == .timedOut)
    }

    @Test func `a change that was never announced is found by the digests of a ping`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        try a.append(3)
        b.lose([1], of: a.log)
        link.pass(milliseconds: 31_000)
        #expect(try a.stateDigest() == b.stateDigest())
        #expect(link.sides.allSatisfy { $0.report.isInSync && $0.phase == .live })
    }

    @Test func `what cannot be made equal is not tried again and again`() throws {
        let (victim, peer, attacked) = try HostilePeerTests.stage()
        let liar = Liar(
            base: peer,
            interval: { $0.checkpoint.log == attacked ? Tampering.otherPayload.apply($0) : $0 })
        var link = LiveLink(victim, liar)
        #expect(link.sides[0].phase == .live && !link.sides[0].report.isInSync)
        let rounds = link.sides[0].report.rounds
        for _ in 0..<10 { link.pass(milliseconds: 31_000) }
        #expect(link.sides[0].report.rounds == rounds)
        #expect(link.endings[0] == nil)
    }

    @Test func `news of a log that is held or refused cost nothing`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let before = link.sent[0].count
        let tips = try b.tips()
        link.inject(.news(tips.map { TipEntry(tip: $0) }), to: 0)
        #expect(link.sent[0].count == before)
    }

    @Test func `a flood of news is bounded`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        for part in 0..<20 where link.endings[0] == nil {
            let entries = (0..<4096).map { number in
                let log = LogID(raw: Bytes16(a: UInt64(part + 1), b: UInt64(number)))
                return TipEntry(tip: Tip(log: log, size: 9, root: .zero))
            }
            // Nothing is delivered in between: the victim's requests wait.
            _ = link.sides[0].receive(Message.news(entries).encoded)
            #expect(link.sides[0].receiving.queue.count <= WireLimits.tipsMax)
        }
        #expect(link.sides[0].phase == .ended)
    }

    @Test func `a hundred new events cost little over what they say`() throws {
        let phone = try TestLedger()
        let tablet = try phone.joined()
        try RealLedgerTests.record(1000, in: phone.ledger)
        var link = LiveLink(phone.ledger, tablet.ledger)
        var costs: [Int] = []
        for round in 0..<5 {
            let before = link.bytes
            try RealLedgerTests.record(100, in: phone.ledger, from: 2000 + 100 * round)
            link.changed(0)
            costs.append((link.bytes - before) / 100)
        }
        #expect(costs.allSatisfy { $0 <= 75 }, "\(costs)")
        #expect(try phone.ledger.tips() == tablet.ledger.tips())
    }

    @Test(arguments: [5, 300]) func `equal replicas need one round trip of under 200 bytes`(
        logs: Int
    ) throws {
        let a = try FakeLedger(seed: 11)
        for _ in 1..<logs {
            try a.sign()
            try a.openLog()
        }
        let b = try FakeLedger(seed: 22)
        try merge(a, b)
        for open in [false, true] {
            var options = SessionOptions()
            options.staysOpen = open
            let link = LiveLink(a, b, options: (options, options))
            #expect(link.bytes <= 200)
            #expect(link.sent.map(\.count) == [1, 1])
            #expect(link.sides.allSatisfy { $0.report.isInSync && $0.report.rounds == 0 })
        }
    }
}

/// What a session does between two ticks, for a service that has others on the same thread.
@Suite struct SessionWorkTests {
    /// The sessions of two replicas that are live, the left one with little time.
    private func link() throws -> (LiveLink, FakeLedger) {
        let (a, b) = try SessionTests.pair()
        var open = SessionOptions()
        open.staysOpen = true
        var bounded = open
        bounded.workPerTick = SessionWork.batch
        return (LiveLink(a, b, options: (bounded, open)), a)
    }

    @Test func `what comes beyond a tick's work waits for the next`() throws {
        var (link, ledger) = try link()
        link.pass(milliseconds: 1)
        let ping = Message.ping(try ledger.stateDigest()).encoded
        func answers(_ actions: [SessionAction]) -> Int { actions.count }
        let first = answers(link.sides[0].receive((0..<50).flatMap { _ in ping }))
        #expect(first > 0 && first <= 4 && link.sides[0].hasWork)
        #expect(answers(link.sides[0].receive(ping)) == 0)
        var total = first
        for _ in 0..<60 where link.sides[0].hasWork { total += answers(link.sides[0].tick(2)) }
        #expect(total == 51 && !link.sides[0].hasWork)
    }

    @Test func `many changes are told once, when the line is free`() throws {
        var (link, ledger) = try link()
        for _ in 0..<1000 {
            try ledger.append(1)
            link.sides[0].noteLogChange()
        }
        let before = link.sent[0].count { if case .news = $0 { true } else { false } }
        link.settle()
        #expect(link.sent[0].count { if case .news = $0 { true } else { false } } == before + 1)
        #expect(link.sides[0].takeMerge()?.eventsSent ?? 0 >= 1000)
    }

    @Test func `each merge of an open session is told once, with what it moved`() throws {
        var (link, ledger) = try link()
        #expect(link.sides[0].takeMerge()?.eventsReceived == 4)
        #expect(link.sides[0].takeMerge() == nil)
        try ledger.append(5)
        link.changed(0)
        let merge = link.sides[0].takeMerge()
        #expect(merge?.eventsSent == 5 && merge?.eventsReceived == 0)
        #expect(merge?.isInSync == true)
        #expect(link.sides[1].takeMerge()?.eventsReceived == 6 + 5)
        #expect(link.sides[0].takeMerge() == nil)
    }
}

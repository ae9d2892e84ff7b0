import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// New events that leave with the news of them.
@Suite struct PushTests {
    private func pushes(_ messages: some Sequence<Message>) -> Int {
        messages.count { if case .push = $0 { true } else { false } }
    }

    private func wants(_ messages: some Sequence<Message>) -> Int {
        messages.count { if case .want = $0 { true } else { false } }
    }

    /// Encodes the newest interval of a ledger's own log as a push.
    private func push(
        _ ledger: FakeLedger, _ change: (Interval) -> Interval = { $0 }
    ) throws -> Message {
        let tip = try #require(try ledger.tips().first { $0.log == ledger.log })
        let interval = try #require(
            try ledger.intervals(of: tip, from: tip.size - 1, bytesMax: 1).first)
        var encoder = IntervalEncoder(host: ledger)
        return .push(Push(log: tip.log, bytes: try encoder.encode(change(interval))))
    }

    @Test func `a new event reaches the peer in one message and is acknowledged in one`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let before = link.sent.map(\.count)
        for _ in 0..<3 {
            try a.append(2)
            link.changed(0)
        }
        let (left, right) = (link.sent[0][before[0]...], link.sent[1][before[1]...])
        #expect(left.count == 3 && pushes(left) == 3)
        #expect(right.count == 3 && wants(right) == 0)
        #expect(try a.tips() == b.tips())
        #expect(link.sides[0].report.eventsSent == 6 + 6)
        #expect(link.sides[1].report.eventsReceived == 6 + 6)
        link.changed(1)
        #expect(link.sent[1].count == before[1] + 3, "what was pushed is not announced back")
    }

    @Test func `an older peer is told and asks`() throws {
        let (a, b) = try SessionTests.pair()
        var options = SessionOptions()
        options.staysOpen = true
        var old = options
        old.versions = 2...2
        var link = LiveLink(a, b, options: (options, old))
        try a.append(2)
        link.changed(0)
        #expect(pushes(link.sent[0]) == 0)
        #expect(try a.tips() == b.tips())
    }

    @Test(
        arguments: [(2...3, .narrow), (2...4, .wide), (3...9, .wide)]
            as [(ClosedRange<UInt64>, StreamMemory)])
    func `streams remember as much as the older side does`(
        versions: ClosedRange<UInt64>, memory: StreamMemory
    ) throws {
        let (a, b) = try SessionTests.pair()
        var options = SessionOptions()
        options.staysOpen = true
        var other = options
        other.versions = versions
        let link = LiveLink(a, b, options: (options, other))
        #expect(link.sides.map(\.memory) == [memory, memory])
        #expect(try a.tips() == b.tips())
    }

    @Test func `what is many or large is announced and fetched under credit`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        try a.append(65)
        link.changed(0)
        try a.append(1, payloadLength: 60_000)
        link.changed(0)
        #expect(pushes(link.sent[0]) == 0)
        #expect(try a.tips() == b.tips())
    }

    @Test func `while a push is unanswered, what is new is announced`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        for _ in 0..<4 {
            try a.append(1)
            link.changed(0, settles: false)
        }
        #expect(pushes(link.sent[0]) == 1)
        link.settle()
        #expect(try a.tips() == b.tips())
        try a.append(1)
        link.changed(0)
        #expect(try a.tips() == b.tips())
    }

    @Test func `while one log's push is unanswered, another log's news is announced`() throws {
        let (a, b) = try SessionTests.pair()
        let third = try FakeLedger(seed: 33)
        try merge(a, third)
        var link = LiveLink(a, b)
        try a.append(1)
        link.changed(0, settles: false)
        try third.append(1)
        try merge(a, third)
        link.changed(0, settles: false)
        #expect(pushes(link.sent[0]) == 1)
        link.settle()
        #expect(try a.tips() == b.tips())
        // Each push was answered, so what passed is known: of the peer's one event less.
        #expect(link.sides[0].live.pushed == nil)
        try third.append(1)
        try merge(a, third)
        link.changed(0)
        #expect(pushes(link.sent[0]) == 2)
    }

    enum Busy: CaseIterable { case merging, fetching, queued, serving, blocked }

    @Test(arguments: Busy.allCases)
    func `who is busy stores nothing that is pushed`(busy: Busy) throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        try a.append(1)
        let pushed = try push(a).encoded
        let tip = Tip(log: LogID(raw: Bytes16(a: 5, b: 5)), size: 9, root: .zero)
        switch busy {
        case .merging: link.sides[1].phase = .merging
        case .fetching: link.sides[1].receiving.fetch = Fetch(tip, from: 0, to: 9)
        case .queued: link.sides[1].receiving.queue = [Fetch(tip, from: 0, to: 9)]
        case .serving:
            link.sides[1].serving.want = Want(
                stream: 9, tip: tip, first: 0, end: 9, credit: 1, wholeIDs: false,
                continues: false)
        case .blocked: link.sides[1].receiving.blocked = SyncError(.ledger, "Full.")
        }
        let before = b.state.withLock { $0.ingestCalls }
        let held = try b.tips()
        _ = link.sides[1].receive(pushed)
        #expect(b.state.withLock { $0.ingestCalls } == before)
        #expect(try b.tips() == held)
    }

    @Test func `a push that does not continue what is held leads to asking`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        try a.append(3)
        try a.sign()
        try a.append(2)
        let before = link.sent[1].count
        link.inject(try push(a), to: 1)
        #expect(wants(link.sent[1][before...]) >= 1)
        link.changed(0)
        #expect(try a.tips() == b.tips())
        #expect(link.sides.allSatisfy { $0.phase == .live })
    }

    @Test func `a push of what is held already is acknowledged`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let before = link.sent[1].count
        link.inject(try push(a), to: 1)
        let answers = link.sent[1][before...]
        #expect(
            answers.contains {
                if case .taken(let taken) = $0 { taken.newEvents == 0 } else { false }
            })
    }

    @Test(arguments: [Tampering.otherPayload, .wrongRoot, .otherSignature])
    func `a push that lies leaves no trace and ends in a refusal`(_ lie: Tampering) throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let held = try b.tips()
        try a.append(3)
        let forged = try push(a) { lie.apply($0) }
        link.inject(forged, to: 1)
        // Asked for the same, the peer answers with what is true.
        let after = try b.tips()
        #expect(try after == held || after == a.tips())
        for _ in 0..<3 { link.inject(forged, to: 1) }
        #expect(link.sides[1].receiving.refused.count <= 1)
        link.changed(0)
        #expect(try a.tips() == b.tips())
    }

    @Test func `pushes take their turn like any other work`() throws {
        let (a, b) = try SessionTests.pair()
        var open = SessionOptions()
        open.staysOpen = true
        var bounded = open
        bounded.workPerTick = SessionWork.batch
        var link = LiveLink(a, b, options: (open, bounded))
        try a.append(1)
        let bytes = try push(a).encoded
        let before = b.state.withLock { $0.ingestCalls }
        link.pass(milliseconds: 1)
        _ = link.sides[1].receive((0..<50).flatMap { _ in bytes })
        #expect(link.sides[1].hasWork)
        #expect(b.state.withLock { $0.ingestCalls } - before <= 1)
    }

    @Test func `what is no interval, too long or out of turn ends the session`() throws {
        let (a, b) = try SessionTests.pair()
        let good = try push(a)
        let cases: [(Message, SyncError.Code)] = [
            (.push(Push(log: a.log, bytes: [1, 2, 3])), .malformed),
            (.push(Push(log: a.log, bytes: [UInt8](repeating: 0, count: 40_000))), .limit),
        ]
        for (message, code) in cases {
            var link = LiveLink(a, b)
            link.inject(message, to: 1)
            guard case .failure(let error)? = link.endings[1] else {
                Issue.record("the session goes on")
                continue
            }
            #expect(error.code == code)
        }
        var attacked = try SessionProtocolTests.Attacked()
        attacked.send(good)
        #expect(attacked.error?.code == .malformed)
    }

    @Test func `an acknowledgement of nothing is of no account`() throws {
        let (a, b) = try SessionTests.pair()
        var link = LiveLink(a, b)
        let sent = link.sides[0].report.eventsSent
        link.inject(.taken(Taken(log: a.log, size: 1 << 40, newEvents: 1 << 40)), to: 0)
        #expect(link.sides[0].report.eventsSent == sent && link.endings[0] == nil)
        try a.append(1)
        link.changed(0)
        #expect(try a.tips() == b.tips())
    }

    @Test func `real ledgers push, and the reader is current at once`() throws {
        let phone = try TestLedger()
        let tablet = try phone.joined()
        try RealLedgerTests.record(5, in: phone.ledger)
        var link = LiveLink(phone.ledger, tablet.ledger)
        for round in 0..<5 {
            try RealLedgerTests.record(1, in: phone.ledger, from: 100 + round)
            link.changed(0)
        }
        #expect(pushes(link.sent[0]) >= 4)
        #expect(try phone.ledger.tips() == tablet.ledger.tips())
        #expect(try phone.ledger.stateDigest() == tablet.ledger.stateDigest())
    }
}

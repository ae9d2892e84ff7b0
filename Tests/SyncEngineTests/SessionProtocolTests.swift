import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct SessionProtocolTests {
    /// A responder that has greeted a peer which then sends what a test gives it.
    struct Attacked {
        var session: Session
        let ledger: FakeLedger
        var replies: [Message] = []
        var error: SyncError?

        init(greeted: Bool = true, options: SessionOptions = SessionOptions()) throws {
            ledger = try FakeLedger(seed: 8)
            try ledger.append(5)
            session = Session(.responder, log: ledger, options: options)
            take(session.start())
            if greeted { receive(Self.hello(ledger.id).encoded) }
        }

        static func hello(_ ledger: LedgerID) -> Message {
            .hello(
                Hello(
                    versions: 2...2, ledger: ledger, replica: .zero, digest: .zero))
        }

        mutating func receive(_ bytes: [UInt8]) { take(session.receive(bytes)) }
        mutating func send(_ message: Message) { receive(message.encoded) }

        mutating func take(_ actions: [SessionAction]) {
            for case .failed(let failure) in actions { error = failure }
            for case .send(let bytes) in actions {
                var splitter = FrameSplitter()
                splitter.append(bytes)
                while let frame = try? splitter.next(), let reply = try? Message.decode(frame) {
                    replies.append(reply)
                }
            }
        }

        var farewell: Bye? {
            for case .bye(let bye) in replies { return bye }
            return nil
        }
    }

    @Test func `another ledger is refused before anything is said`() throws {
        var attacked = try Attacked(greeted: false)
        attacked.send(Attacked.hello(LedgerID(raw: Bytes16(a: 99, b: 0))))
        #expect(attacked.error?.code == .foreignLedger)
        #expect(attacked.farewell?.reason == .foreignLedger)
        #expect(attacked.replies.count == 1)
        let (a, other) = (try FakeLedger(seed: 1), try FakeLedger(ledger: 2, seed: 2))
        #expect(throws: SyncError(.foreignLedger, "")) { try merge(a, other) }
    }

    @Test func `a peer of no common version is refused with both ranges`() throws {
        var attacked = try Attacked(greeted: false)
        attacked.send(
            .hello(
                Hello(
                    versions: 7...9, ledger: attacked.ledger.id, replica: .zero,
                    digest: .zero)))
        #expect(attacked.error?.code == .version)
        #expect(attacked.farewell?.text.contains("7 to 9") == true)
    }

    @Test func `a newer peer that still speaks this version is welcome`() throws {
        var options = SessionOptions()
        options.versions = 2...5
        let (a, b) = try SessionTests.pair()
        var link = Link(a, b)
        link.initiator = Session(.initiator, log: a, options: options)
        #expect(try succeeded(link.run().initiator))
    }

    @Test func `unknown frames are skipped unless they must be understood`() throws {
        var attacked = try Attacked()
        attacked.receive([0, 0, 0, 5, 200, 0, 1, 2, 3])
        #expect(attacked.error == nil)
        attacked.receive([0, 0, 0, 2, 200, 1])
        #expect(attacked.error?.code == .version)
    }

    @Test(
        arguments: [[0, 16, 0, 1], [255, 255, 255, 255], [0, 0, 0, 1], [0, 0, 0, 0]] as [[UInt8]])
    func `a frame of a wrong length ends the session at once`(prefix: [UInt8]) throws {
        var attacked = try Attacked(greeted: false)
        attacked.receive(prefix)
        #expect(attacked.error?.code == .malformed)
    }

    @Test func `more than was asked for ends the session`() throws {
        var options = SessionOptions()
        options.window = 1000
        var attacked = try Attacked(options: options)
        let flood = Message.part(
            Part(stream: 4, isLast: false, bytes: [UInt8](repeating: 0, count: 1 << 19)))
        for _ in 0..<17 where attacked.error == nil { attacked.send(flood) }
        #expect(attacked.error?.code == .limit)
        #expect(attacked.session.splitter.pending == 0)
    }

    @Test func `more chains than a ledger can have end the session`() throws {
        var attacked = try Attacked()
        let entries = (0..<4096).map { index in
            TipEntry(
                tip: Tip(log: LogID(raw: Bytes16(a: 1, b: UInt64(index))), size: 1, root: .zero))
        }
        let ranges = [TipRange(end: nil, .list(entries))]
        for _ in 0..<17 where attacked.error == nil {
            attacked.send(.ranges(ranges, isLast: false))
        }
        #expect(attacked.error?.code == .limit)
    }

    @Test func `messages out of turn end the session`() throws {
        let tip = Tip(log: LogID(raw: .zero), size: 9, root: .zero)
        let messages: [Message] = [
            Attacked.hello(LedgerID(raw: .zero)),
            .digest(RoundEnd(round: 3, digest: .zero)),
            .want(Want(stream: 0, tip: tip, first: 0, end: 9, credit: 5)),
        ]
        for message in messages {
            var attacked = try Attacked()
            attacked.send(message)
            #expect(attacked.error?.code == .malformed)
        }
        var silent = try Attacked(greeted: false)
        silent.send(.ranges([TipRange(end: nil, .list([]))], isLast: true))
        #expect(silent.error?.code == .malformed)
    }

    @Test func `nothing is sent beyond the credit but the rest of an interval`() throws {
        var options = SessionOptions()
        options.window = 20_000
        options.batchLength = 5000
        let (a, b) = (try FakeLedger(seed: 1), try FakeLedger(seed: 2))
        for _ in 0..<40 {
            try a.append(20)
            try a.sign()
        }
        var link = Link(a, b, options: options)
        let outcome = try link.run { min($0, 700) }
        #expect(try succeeded(outcome.initiator))
        #expect(outcome.bytesWaitingMax < 20_000 + 6000)
    }

    @Test func `a peer that acknowledges nothing gets no more than it asked for`() throws {
        var attacked = try Attacked()
        for _ in 0..<50 {
            try attacked.ledger.append(10)
            try attacked.ledger.sign()
        }
        let tip = try #require(try attacked.ledger.tips().first)
        attacked.send(.want(Want(stream: 1, tip: tip, first: 0, end: tip.size, credit: 3000)))
        for _ in 0..<100 { attacked.take(attacked.session.drained()) }
        var sent = 0
        for case .part(let part) in attacked.replies { sent += part.bytes.count }
        #expect(sent >= 3000 && sent < 3000 + 2000)
        attacked.send(
            .acknowledge(Acknowledgement(stream: 1, size: 6, newEvents: 6, credit: 2000)))
        attacked.take(attacked.session.drained())
        #expect(attacked.replies.count { if case .part = $0 { true } else { false } } > sent / 2000)
        attacked.send(
            .acknowledge(Acknowledgement(stream: 1, size: 1 << 40, newEvents: 0, credit: 0)))
        #expect(attacked.error?.code == .malformed)
    }

    @Test func `a large interval travels in several frames`() throws {
        let (a, b) = (try FakeLedger(seed: 1), try FakeLedger(seed: 2))
        try a.append(40, payloadLength: 65_536)
        #expect(try merge(a, b).isInSync)
        #expect(try a.tips() == b.tips())
    }

    @Test func `a silent peer is given up, a slow one is not`() throws {
        var attacked = try Attacked()
        attacked.take(attacked.session.tick(1000))
        attacked.take(attacked.session.tick(90_999))
        #expect(attacked.error == nil)
        attacked.receive([0, 0, 0, 2, 200, 0])
        attacked.take(attacked.session.tick(170_000))
        attacked.take(attacked.session.tick(259_000))
        #expect(attacked.error == nil)
        attacked.take(attacked.session.tick(260_001))
        #expect(attacked.error?.code == .timedOut)
        var ungreeted = try Attacked(greeted: false)
        ungreeted.take(ungreeted.session.tick(0))
        ungreeted.take(ungreeted.session.tick(10_001))
        #expect(ungreeted.error?.code == .timedOut)
    }
}

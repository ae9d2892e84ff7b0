import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct TLSEngineTests {
    /// Two ends of a line in memory.
    struct Ends {
        let client: TLSEngine
        let server: TLSEngine
        let clientKey: SigningKey
        let serverKey: SigningKey

        init(seed: UInt64 = 1, wanting other: ReplicaID? = nil) throws {
            var random = SplitMix(seed: seed)
            clientKey = try SigningKey(seed: random.bytes(32))
            serverKey = try SigningKey(seed: random.bytes(32))
            let wanted = other ?? ReplicaID(raw: serverKey.publicKey)
            client = try TLSEngine(.client(wanted), TLSContext(clientKey))
            server = try TLSEngine(.server, TLSContext(serverKey))
        }

        /// Passes on what waits, in portions, until nothing does.
        func settle(portion: Int = 1 << 20) throws {
            try client.advance()
            while client.pending + server.pending > 0 {
                for (source, target) in [(client, server), (server, client)] {
                    while source.pending > 0 {
                        try target.receive(source.takeOutput(upTo: portion))
                    }
                }
            }
        }
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func `both ends prove their key, whatever the portions`(portion: Int) throws {
        let ends = try Ends()
        try ends.settle(portion: portion)
        #expect(ends.client.state == .open && ends.server.state == .open)
        #expect(ends.client.peer == ReplicaID(raw: ends.serverKey.publicKey))
        #expect(ends.server.peer == ReplicaID(raw: ends.clientKey.publicKey))
    }

    @Test func `what is said arrives, and after the goodbye nothing more`() throws {
        let ends = try Ends()
        try ends.settle()
        var random = SplitMix(seed: 2)
        let text = random.bytes(200_000)
        var sent = 0
        var heard: [UInt8] = []
        while sent < text.count {
            sent += try ends.server.write(text[sent...])
            try ends.client.receive(ends.server.takeOutput(upTo: 1 << 20))
            while let bytes = try ends.client.read(upTo: 5000) { heard += bytes }
        }
        #expect(heard == text)
        ends.server.close()
        try ends.client.receive(ends.server.takeOutput(upTo: 1 << 20))
        #expect(try ends.client.read(upTo: 100) == [])
    }

    @Test func `nothing follows the handshake before the server speaks`() throws {
        let ends = try Ends()
        try ends.client.advance()
        try ends.server.receive(ends.client.takeOutput(upTo: 1 << 20))
        try ends.client.receive(ends.server.takeOutput(upTo: 1 << 20))
        // The client is through before the server has seen its certificate: that is not "connected".
        #expect(ends.client.state == .open && ends.server.state == .handshaking)
        try ends.server.receive(ends.client.takeOutput(upTo: 1 << 20))
        #expect(ends.server.state == .open)
        #expect(ends.server.pending == 0, "a ticket")
    }

    @Test func `who calls shows its key to nobody but whom it wants to reach`() throws {
        let ends = try Ends(wanting: ReplicaID(raw: .zero))
        try ends.client.advance()
        try ends.server.receive(ends.client.takeOutput(upTo: 1 << 20))
        let flight = ends.server.takeOutput(upTo: 1 << 20)
        #expect(throws: SyncError(.refused, "")) { try ends.client.receive(flight) }
        #expect(ends.client.state == .failed && ends.client.pending == 0)
        #expect(try ends.client.write([1, 2, 3]) == 0)
        #expect(ends.client.pending == 0)
    }

    @Test func `a handshake that is too long is dropped without a word`() throws {
        let ends = try Ends()
        // A client hello that announces 64 KiB and keeps coming, in records that are well formed.
        let record: [UInt8] = [0x16, 3, 1, 0x10, 0] + [1, 0, 0xFF, 0xFF]
        var random = SplitMix(seed: 3)
        let first = record + random.bytes(4096 - 4)
        #expect(throws: SyncError.self) {
            try ends.server.receive(first)
            for _ in 0..<8 {
                try ends.server.receive([0x16, 3, 1, 0x10, 0] + random.bytes(4096))
            }
        }
        #expect(ends.server.state == .failed && ends.server.pending == 0)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `bytes of any kind neither trap nor get an answer`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let ends = try Ends(seed: seed + 1000)
        try ends.client.advance()
        var hello = ends.client.takeOutput(upTo: 1 << 20)
        if seed % 2 == 0 {
            hello = random.bytes(Int.random(in: 0...2000, using: &random))
        } else {
            // Whatever is changed in a client hello, what follows is not its handshake any more.
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                hello[Int.random(in: 0..<hello.count, using: &random)] ^=
                    UInt8.random(in: 1...255, using: &random)
            }
        }
        do throws(SyncError) {
            try ends.server.receive(hello)
            try ends.server.receive(random.bytes(300))
        } catch {
            #expect(error.code == .refused || error.code == .limit)
            #expect(ends.server.pending == 0)
        }
        #expect(ends.server.peer == nil && ends.server.state != .open)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a byte changed on the way ends the connection`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let ends = try Ends(seed: seed)
        try ends.settle()
        _ = try ends.client.write(random.bytes(1000)[...])
        var bytes = ends.client.takeOutput(upTo: 1 << 20)
        bytes[Int.random(in: 5..<bytes.count, using: &random)] ^= 1
        #expect(throws: SyncError(.malformed, "")) {
            try ends.server.receive(bytes)
            _ = try ends.server.read(upTo: 1000)
        }
        #expect(ends.server.pending == 0)
    }

    @Test func `a session over TLS merges both ways`() throws {
        let (a, b) = try SessionTests.pair(2500, 10)
        for ledger in [a, b] { try ledger.append(80, payloadLength: 65_536) }
        let pair = try SocketPair()
        let serving = Worker { [key = a.key] () throws -> SyncReport in
            let engine = try TLSEngine(.server, TLSContext(key))
            let stream = try TLSStream(engine, over: SocketStream(owning: pair.left))
            guard stream.peer == b.replica else { throw SyncError(.refused, "Who?") }
            return try Session.run(.responder, log: a, over: stream)
        }
        let wanted = try #require(a.replica)
        let engine = try TLSEngine(.client(wanted), TLSContext(b.key))
        let stream = try TLSStream(engine, over: SocketStream(owning: pair.right))
        let report = try Session.run(.initiator, log: b, over: stream)
        let served = try #require(try serving.join())
        #expect(report.isInSync && served.isInSync && report.eventsReceived == 2581)
        #expect(try a.tips() == b.tips())
    }

    @Test func `a peer that hangs up or says nothing ends the handshake`() throws {
        let key = try SigningKey(seed: [UInt8](repeating: 5, count: 32))
        let pair = try SocketPair()
        pair.closeRight()
        let socket = try SocketStream(owning: pair.left)
        #expect(throws: SyncError(.closed, "")) {
            try TLSStream(TLSEngine(.server, TLSContext(key)), over: socket)
        }
        let silent = try SocketPair()
        defer { silent.closeRight() }
        let waiting = try SocketStream(owning: silent.left)
        let clock = SteppingClock(step: 4000)
        #expect(throws: SyncError(.timedOut, "")) {
            try TLSStream(
                TLSEngine(.server, TLSContext(key)), over: waiting, clock: clock.milliseconds)
        }
    }
}

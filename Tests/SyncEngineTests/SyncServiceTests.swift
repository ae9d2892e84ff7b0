import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite(.serialized, .timeLimit(.minutes(5))) struct SyncServiceTests {
    let a: FakeLedger
    let b: FakeLedger

    init() throws { (a, b) = try SessionTests.pair(2500, 10) }

    @Test func `a service that calls another merges both ways`() async throws {
        let listening = try TestService(a, members: [b])
        let calling = try TestService(b) { $0.peers = [listening.address] }
        let merged = await TestService.first(calling.events) { event -> SyncReport? in
            if case .merged(_, let report) = event { report } else { nil }
        }
        #expect(merged?.isInSync == true && merged?.eventsReceived == 2501)
        #expect(try a.tips() == b.tips())
        let served = await TestService.first(listening.events) { event -> ReplicaID? in
            if case .merged(let replica, _) = event { replica } else { nil }
        }
        #expect(served == b.replica)
        let peer = calling.service.snapshot().peers.first
        #expect(peer?.replica == a.replica && peer?.eventsReceived == 2501)
        #expect(peer?.merges ?? 0 >= 1)
        #expect(peer?.bytesReceived ?? 0 > 2501 * 20 && peer?.lastHeard != nil)
        calling.service.stop()
        listening.service.stop()
    }

    @Test func `what is recorded later reaches the peer`() async throws {
        let listening = try TestService(a, members: [b])
        let calling = try TestService(b) { $0.peers = [listening.address] }
        _ = await TestService.first(calling.events) { event -> Bool? in
            if case .merged = event { true } else { nil }
        }
        try b.append(5)
        calling.service.logChanged()
        let sent = await TestService.first(listening.events) { event -> Bool? in
            guard case .merged(_, let report) = event else { return nil }
            return report.eventsReceived == 5 ? true : nil
        }
        #expect(sent == true)
        #expect(try a.tips() == b.tips())
        calling.service.stop()
        listening.service.stop()
    }

    @Test func `a replica that the server refuses is never connected`() async throws {
        // S25: by TLS 1.3 the caller is through its handshake before the server has judged it.
        let listening = try TestService(a) { $0.limits.handshakeMilliseconds = 300 }
        let calling = try TestService(b) { $0.peers = [listening.address] }
        var told: [String] = []
        for await event in calling.events {
            switch event {
            case .connected: told.append("connected")
            case .merged: told.append("merged")
            case .disconnected(_, let error): told.append("\(error?.code.description ?? "-")")
            default: continue
            }
            if told.count == 2 { break }
        }
        #expect(told == ["closed", "closed"])
        let peer = try #require(calling.service.snapshot().peers.first)
        #expect(peer.phase != .connected && peer.connections == 0 && peer.failure?.code == .closed)
        #expect(listening.service.snapshot().strangersRefused > 0)
        #expect(listening.service.snapshot().peers.isEmpty)
        calling.service.stop()
        listening.service.stop()
    }

    @Test func `whoever else answers at the address is hung up on`() async throws {
        let stranger = try FakeLedger(seed: 77)
        let listening = try TestService(stranger, members: [b])
        let wrong = PeerAddress(ReplicaID(raw: a.key.publicKey), at: listening.address.address)
        let calling = try TestService(b) { $0.peers = [wrong] }
        let error = await TestService.first(calling.events) { event -> SyncError? in
            if case .disconnected(_, let error) = event { error } else { nil }
        }
        #expect(error?.code == .refused)
        calling.service.stop()
        listening.service.stop()
    }

    @Test func `a member that breaks the protocol is dropped and left alone`() async throws {
        let listening = try TestService(a, members: [b])
        let wanted = try #require(a.replica)
        func call() throws -> TLSStream {
            let engine = try TLSEngine(.client(wanted), TLSContext(b.key))
            return try TLSStream(engine, over: listening.connect())
        }
        let stream = try call()
        _ = try stream.write([0, 0, 0, 1, 9, 9, 9, 9])
        let end = await TestService.first(listening.events) { event -> SyncError.Code? in
            if case .disconnected(_, let error) = event { error?.code } else { nil }
        }
        #expect(end == .malformed)
        // It is now treated as a stranger is.
        let again = try call()
        _ = try again.write([0, 0, 0, 2, 9, 0])
        await listening.until { $0.strangersOnLine == 1 }
        #expect(listening.service.snapshot().peers.first?.failures == [.malformed: 1])
        listening.service.stop()
    }

    @Test func `a slow caller is hung up on when its time is up and hears nothing`() async throws {
        let clock = StandingClock()
        let listening = try TestService(a, members: [b]) {
            $0.environment.monotonicMilliseconds = clock.milliseconds
        }
        let slow = try listening.connect()
        #expect(try slow.write([0x16, 3, 1, 2, 0]) == 5)
        await listening.until { $0.strangersOnLine == 1 }
        clock.advance(to: 9_999)
        #expect(try slow.write([1]) == 1)
        let member = try TestService(b) { $0.peers = [listening.address] }
        _ = await TestService.first(member.events) { event -> Bool? in
            if case .merged = event { true } else { nil }
        }
        #expect(listening.service.snapshot().strangersOnLine == 1)
        clock.advance(to: 10_000)
        #expect(try TestService.readAll(slow).isEmpty)
        member.service.stop()
        listening.service.stop()
    }

    @Test func `callers that prove nothing do not keep members out`() async throws {
        let clock = StandingClock()
        let listening = try TestService(a, members: [b]) {
            $0.limits.strangersMax = 4
            $0.environment.monotonicMilliseconds = clock.milliseconds
        }
        var crowd: [SocketStream] = []
        for _ in 0..<12 { crowd.append(try listening.connect()) }
        await listening.until { $0.strangersRefused >= 8 }
        #expect(try TestService.readAll(crowd[0]).isEmpty)
        #expect(listening.service.snapshot().strangersOnLine <= 4)
        let member = try TestService(b) { $0.peers = [listening.address] }
        let merged = await TestService.first(member.events) { event -> Bool? in
            if case .merged(_, let report) = event { report.isInSync } else { nil }
        }
        #expect(merged == true)
        member.service.stop()
        listening.service.stop()
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `rubbish from a socket stops nothing`(seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let listening = try TestService(a, members: [b]) { $0.limits.handshakeMilliseconds = 50 }
        for _ in 0..<5 {
            let caller = try listening.connect()
            _ = try caller.write(random.bytes(Int.random(in: 1...40_000, using: &random))[...])
        }
        await listening.until { $0.strangersRefused == 5 }
        #expect(listening.service.snapshot().peers.isEmpty)
        listening.service.stop()
    }

    @Test func `starting says what is wrong, and stopping ends everything`() async throws {
        let first = try TestService(a)
        #expect(throws: SyncError(.invalid, "")) { try first.service.start() }
        #expect(throws: SyncError(.inUse, "")) {
            try TestService(b) { $0.listenAddresses = [first.address.address] }
        }
        first.service.stop()
        first.service.stop()
        var events: [SyncEvent] = []
        for await event in first.events { events.append(event) }
        #expect(events.count == 1)
        for await _ in first.service.events { Issue.record("an event after the end") }
        // The port is free at once.
        let second = try TestService(b) { $0.listenAddresses = [first.address.address] }
        second.service.stop()
    }

    @Test func `a peer that is removed is not called any more`() async throws {
        let listening = try TestService(a, members: [b])
        let calling = try TestService(b)
        calling.service.add(listening.address)
        _ = await TestService.first(calling.events) { event -> Bool? in
            if case .merged = event { true } else { nil }
        }
        calling.service.remove(listening.address.replica)
        await calling.until { $0.peers.isEmpty }
        calling.service.stop()
        listening.service.stop()
    }

    @Test func `services merge over a Unix socket too`() async throws {
        let folder = try TemporaryFolder()
        let address = try SocketAddress("unix://\(folder.path)/sync.sock")
        let listening = try TestService(a) { $0.listenAddresses = [address] }
        let wanted = try #require(a.replica)
        let calling = try TestService(b) { $0.peers = [PeerAddress(wanted, at: address)] }
        let merged = await TestService.first(calling.events) { event -> Bool? in
            if case .merged(_, let report) = event { report.isInSync } else { nil }
        }
        #expect(merged == true)
        #expect(try a.tips() == b.tips())
        calling.service.stop()
        listening.service.stop()
        #expect(try folder.files().isEmpty)
    }
}

@Suite struct BackOffTests {
    @Test func `each failure doubles the pause up to the longest`() {
        var backOff = BackOff(least: 1000, most: 60_000)
        let longest = (0..<8).map { _ in backOff.fail { $0 - 1 } }
        #expect(longest == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
        backOff.succeed()
        #expect(backOff.fail { _ in 0 } == 500)
        for _ in 0..<200 { #expect(backOff.fail { $0 - 1 } <= 60_000) }
    }

    @Test func `both sides keep the same one of two connections`() {
        let low = ReplicaID(raw: .zero)
        let high = ReplicaID(raw: Bytes32([UInt8](repeating: 1, count: 32)) ?? .zero)
        for lowCalledFirst in [true, false] {
            // What is own to the one is not to the other, and the older is the same for both.
            let atLow = PairRule.keepsNewer(
                ownID: low, peer: high, olderIsOwn: lowCalledFirst, newerIsOwn: !lowCalledFirst)
            let atHigh = PairRule.keepsNewer(
                ownID: high, peer: low, olderIsOwn: !lowCalledFirst, newerIsOwn: lowCalledFirst)
            #expect(atLow == atHigh && atLow == !lowCalledFirst)
        }
        #expect(PairRule.keepsNewer(ownID: low, peer: high, olderIsOwn: true, newerIsOwn: true))
        #expect(PairRule.keepsNewer(ownID: low, peer: high, olderIsOwn: false, newerIsOwn: false))
    }
}

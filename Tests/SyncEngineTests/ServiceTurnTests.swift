import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a service leaves undone in a turn, and what it does not say twice or too early.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServiceTurnTests {
    private let services = SteppedServices()
    private let hub: SteppedServices.One
    private let left: SteppedServices.One

    init() throws {
        hub = try services.add(try FakeLedger(seed: 11))
        left = try services.add(try FakeLedger(seed: 22))
    }

    @Test func `a peer that reads fast gets a bounded share of each turn`() throws {
        // Small intervals, so that the bound shows and not the last interval that passes it.
        for _ in 0..<300 {
            try hub.ledger.append(10, payloadLength: 2000)
            try hub.ledger.sign()
        }
        left.shared.send(.add(try hub.address()))
        var (sent, most) = (0, 0)
        let all = try services.until {
            let now = hub.loop.connections.first?.bytesSent ?? sent
            (sent, most) = (now, max(most, now - sent))
            return try left.ledger.heldSize(of: hub.ledger.log)
                == hub.ledger.heldSize(of: hub.ledger.log)
        }
        #expect(all != nil)
        // A turn writes three times at most: where the ledger grew, where the socket is ready, and
        // with the time.
        #expect(most > 128 << 10 && most <= 896 << 10, "\(most)")
    }

    /// Makes the system keep little of what waits between the two.
    private func narrow() {
        for (one, option) in [(hub, SO_SNDBUF), (left, SO_RCVBUF)] {
            for connection in one.loop.connections {
                var length: Int32 = 2048
                _ = setsockopt(
                    connection.descriptor, SOL_SOCKET, option, &length,
                    socklen_t(MemoryLayout<Int32>.size))
            }
        }
    }

    @Test func `a peer that does not read is told no more news`() throws {
        try services.connect(left, hub)
        narrow()
        services.stand(left)
        var waited: [Int] = []
        for _ in 0..<600 {
            try services.append(1, hub)
            services.turn(milliseconds: 0)
            waited.append(hub.loop.connections.first?.line.waiting ?? 0)
        }
        // Once something waits, nothing is put behind it: one piece of news, however many there are.
        #expect(
            waited.contains { $0 > 0 } && waited.allSatisfy { $0 < 1024 }, "\(waited.max() ?? 0)")
    }

    @Test func `a call that fails does not hide that the peer is connected`() throws {
        try services.connect(left, hub)
        // As when a name is looked up while the peer calls.
        let failure = SyncError(.notFound, "No such host.")
        left.shared.send(.resolved(hub.id, .failure(failure)))
        services.turn()
        let peer = try #require(left.peer(hub))
        #expect(peer.phase == .connected && peer.failure == nil && peer.nextCall == nil)
        #expect(peer.failures == [.notFound: 1])
    }

    @Test func `what a failed call comes to is told only of a peer that is not connected`()
        async throws
    {
        try services.connect(left, hub)
        let events = left.shared.subscribe(buffering: 64)
        left.shared.send(.resolved(hub.id, .failure(SyncError(.notFound, "No such host."))))
        services.turn()
        left.shared.endStreams()
        for await event in events {
            if case .disconnected = event { Issue.record("it is connected") }
        }
    }
}

import Ledger
import SyncEngine
import TestSupport
import Testing

/// Keeping a ledger merged without the daemon; the lines also stand in the documentation of the
/// types.
@Suite(.timeLimit(.minutes(5))) struct ExamplesOfService {
    private let first: TestLedger
    private let tablet: TestLedger
    private var ledger: Ledger { first.ledger }

    init() throws {
        first = try TestLedger()
        tablet = try first.joined()
        try ledger.append(.allowed("me", resource: "camera", at: phone))
    }

    /// Starts a service on the tablet that lets the phone in.
    private func serve() throws -> (service: SyncService, address: SocketAddress) {
        let friends = [ledger.replica]
        var configuration = SyncConfiguration()
        configuration.listenAddresses = [try SocketAddress("tcp://127.0.0.1:0")]
        configuration.authorize = { replica in
            let standing: PeerStanding = friends.contains(replica) ? .member : .stranger
            return standing
        }
        var limits = SyncLimits()
        limits.handshakeMilliseconds = 5_000
        configuration.limits = limits
        var environment = SyncEnvironment()
        environment.random = { limit in limit / 2 }
        configuration.environment = environment
        let service = SyncService(of: tablet.ledger, configuration)
        try service.start()
        return (service, try #require(service.snapshot().listening.first))
    }

    private func line(_ peer: PeerState) -> String {
        func line(_ peer: PeerState) -> String {
            "\(peer.replica.short) \(peer.phase): \(peer.bytesReceived) bytes in"
        }
        let phase: PeerState.Phase = peer.phase
        return phase == .idle ? "" : line(peer)
    }

    private func isTrouble(_ event: SyncEvent) -> Bool {
        if case .troubled = event { true } else { false }
    }

    @Test func `a service keeps two replicas merged until it is stopped`() async throws {
        let (other, address) = try serve()
        let peer = PeerAddress(try #require(tablet.ledger.replica), at: address)
        let configuration = SyncConfiguration()
        let service = SyncService(of: ledger, configuration)
        let events = service.events
        try service.start()
        service.add(peer)
        for await event in events {
            #expect(!isTrouble(event))
            if case .connected = event { break }
        }
        var lines: [String] = []
        for await event in events {
            guard case .merged(let replica, let report) = event else { continue }
            lines.append("\(replica.short): \(report.eventsReceived) in, \(report.eventsSent) out")
            break
        }
        let snapshot: SyncSnapshot = service.snapshot()
        let reachable = snapshot.peers.filter { $0.phase == .connected }.map(\.replica)
        #expect(reachable.count <= 1 && snapshot.peers.map(line).count == 1)
        service.stop()
        other.stop()
        #expect(lines.count == 1 && service.snapshot().peers.count == 1)
        let isGranted = try tablet.ledger.status(
            StatusQuery("me", resource: "camera", at: phone)
        ).grants()
        #expect(isGranted)
    }
}

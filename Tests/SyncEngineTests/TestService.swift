import Ledger
import Synchronization

@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A service over a replica in memory that listens at a port of this machine.
struct TestService {
    let ledger: FakeLedger
    let service: SyncService
    let events: AsyncStream<SyncEvent>

    /// Makes and starts it; `members` may merge.
    init(
        _ ledger: FakeLedger, members: [FakeLedger] = [],
        _ change: (inout SyncConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SyncConfiguration()
        configuration.listenAddresses = [try SocketAddress("tcp://127.0.0.1:0")]
        let known = Set(members.compactMap(\.replica))
        configuration.authorize = { known.contains($0) ? .member : .stranger }
        configuration.limits.backOffMillisecondsMin = 10
        configuration.limits.lookMilliseconds = 20
        change(&configuration)
        self.ledger = ledger
        service = SyncService(log: ledger, configuration) { () throws(SyncError) in
            try TLSContext(ledger.key)
        }
        events = service.events
        try service.start()
    }

    var port: UInt16 {
        guard case .tcp(_, let port) = service.snapshot().listening.first?.kind else { return 0 }
        return port
    }

    /// How others call it.
    var address: PeerAddress {
        PeerAddress(
            ReplicaID(raw: ledger.key.publicKey),
            at: SocketAddress(.tcp(host: "127.0.0.1", port: port)))
    }

    /// Waits for an event; other events before it are dropped.
    static func first<T: Sendable>(
        _ events: AsyncStream<SyncEvent>, _ pick: (SyncEvent) -> T?
    ) async -> T? {
        for await event in events {
            if let found = pick(event) { return found }
        }
        return nil
    }

    /// Waits until the service says so; the suite's time limit ends a wait in vain.
    func until(_ condition: (SyncSnapshot) -> Bool) async {
        while !condition(service.snapshot()) { await Task.yield() }
    }

    /// Connects to the service without any protocol.
    func connect() throws -> SocketStream {
        let addresses = try InternetAddress.resolve("127.0.0.1", port: port, isNumeric: true)
        let descriptor = try TCPSocket.connect(to: addresses[0])
        let stream = try SocketStream(owning: descriptor)
        _ = try stream.wait(forReading: false, forWriting: true, milliseconds: 10_000)
        return stream
    }

    /// Everything that comes until the other side hangs up.
    static func readAll(_ stream: SocketStream) throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            _ = try stream.wait(forReading: true, forWriting: false, milliseconds: 1000)
            guard let bytes = try stream.read(upTo: 65_536) else { continue }
            if bytes.isEmpty { return all }
            all += bytes
        }
    }
}

/// A clock that stands still until a test moves it.
final class StandingClock: Sendable {
    private let now = Mutex<Int64>(0)
    func advance(to milliseconds: Int64) { now.withLock { $0 = milliseconds } }
    @Sendable func milliseconds() -> Int64 { now.withLock { $0 } }
}

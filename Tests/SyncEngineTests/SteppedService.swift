import Ledger
import Testing

@testable import SyncEngine

/// Services over sockets of this machine that a test moves on turn by turn, all in its own thread:
/// what comes first is counted in turns, and no clock decides.
final class SteppedServices {
    final class One {
        let ledger: FakeLedger
        let shared: ServiceShared
        let loop: ServiceLoop
        fileprivate(set) var turns = 0
        fileprivate(set) var isStanding = false

        init(_ ledger: FakeLedger, _ configuration: SyncConfiguration) throws {
            self.ledger = ledger
            shared = try ServiceShared()
            let listeners = try ListeningSocket.open(SocketAddress("tcp://127.0.0.1:0"))
            shared.update { $0.listening = listeners.map(\.address) }
            loop = ServiceLoop(
                ledger, configuration, shared, tls: try TLSContext(ledger.key),
                listeners: listeners)
            loop.begin()
        }

        var id: ReplicaID { ReplicaID(raw: ledger.key.publicKey) }
        func peer(_ other: One) -> PeerState? {
            shared.snapshot.peers.first { $0.replica == other.id }
        }
        func isConnected(to other: One) -> Bool { peer(other)?.phase == .connected }
        func address() throws -> PeerAddress {
            PeerAddress(id, at: try #require(shared.snapshot.listening.first))
        }
    }

    let clock = StandingClock()
    private(set) var all: [One] = []
    private var time: Int64 = 0

    /// Adds a service that lets everybody in.
    func add(_ ledger: FakeLedger) throws -> One {
        var configuration = SyncConfiguration()
        configuration.authorize = { _ in .member }
        // As short as a wait can be: a test does not wait for anything but bytes on their way.
        configuration.limits.lookMilliseconds = 1
        configuration.environment.monotonicMilliseconds = clock.milliseconds
        configuration.environment.random = { $0 - 1 }
        let one = try One(ledger, configuration)
        all.append(one)
        return one
    }

    /// One turn of each service.
    func turn(milliseconds: Int64 = 1) {
        time += milliseconds
        clock.advance(to: time)
        for one in all where !one.isStanding {
            one.loop.turn()
            one.turns += 1
        }
    }

    /// Has a service stand still, as a process that hangs does.
    func stand(_ one: One, _ stands: Bool = true) { one.isStanding = stands }

    /// Turns until a condition holds.
    ///
    /// - Returns: how many turns that took; nil where it never did.
    @discardableResult
    func until(
        atMost limit: Int = 5000, milliseconds: Int64 = 1, _ condition: () throws -> Bool
    ) rethrows -> Int? {
        for turn in 0...limit {
            if try condition() { return turn }
            self.turn(milliseconds: milliseconds)
        }
        return nil
    }

    /// Has one call another and waits until both know each other and have merged.
    func connect(_ caller: One, _ called: One) throws {
        caller.shared.send(.add(try called.address()))
        try #require(
            until {
                caller.isConnected(to: called) && called.isConnected(to: caller)
                    && (caller.peer(called)?.merges ?? 0) > 0
                    && (called.peer(caller)?.merges ?? 0) > 0
            } != nil)
    }

    /// Says that a ledger grew, as its own process does.
    func append(_ count: Int, _ one: One) throws {
        try one.ledger.append(count)
        one.shared.noteLogChange()
    }
}

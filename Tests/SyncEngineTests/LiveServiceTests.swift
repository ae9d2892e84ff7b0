import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

/// Connections that stay open, looked at turn by turn.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveServiceTests {
    private let services = SteppedServices()
    private let hub: SteppedServices.One
    private let left: SteppedServices.One
    private let right: SteppedServices.One
    /// A push is a change, news, a want, the events: each takes the other side a turn.
    private static let pushTurnsMax = 8
    /// About 200 KB each.
    private static let (longCount, intervalCount) = (60, 100)

    init() throws {
        hub = try services.add(try FakeLedger(seed: 11))
        left = try services.add(try FakeLedger(seed: 22))
        right = try services.add(try FakeLedger(seed: 33))
    }

    /// Appends many intervals, so that passing them takes a long time, counted in turns.
    private func grow(_ one: SteppedServices.One) throws {
        for _ in 0..<Self.longCount {
            try one.ledger.append(Self.intervalCount, payloadLength: 2000)
            try one.ledger.sign()
        }
    }

    private func holdsAll(_ one: SteppedServices.One, of other: SteppedServices.One) throws -> Bool
    {
        let there = try other.ledger.heldSize(of: other.ledger.log)
        return try one.ledger.heldSize(of: other.ledger.log) == there
    }

    @Test func `what is recorded passes at once, both ways and on to a third`() throws {
        try services.connect(left, hub)
        try services.connect(right, hub)
        for author in [left, hub, right] {
            try services.append(3, author)
            let turns = try services.until {
                try [hub, left, right].allSatisfy { try holdsAll($0, of: author) }
            }
            // From one side by way of the hub to the other: two pushes.
            #expect(try #require(turns) <= 2 * Self.pushTurnsMax)
        }
        #expect(hub.peer(left)?.phase == .connected && hub.peer(right)?.phase == .connected)
        #expect(hub.peer(left)?.connections == 1 && left.peer(hub)?.connections == 1)
        #expect(hub.peer(left)?.failures.isEmpty == true)
    }

    @Test func `two that call each other at once keep one connection`() throws {
        left.shared.send(.add(try right.address()))
        right.shared.send(.add(try left.address()))
        let turns = services.until {
            left.isConnected(to: right) && right.isConnected(to: left)
                && left.loop.connections.count == 1 && right.loop.connections.count == 1
        }
        #expect(turns != nil)
        let lower = left.id < right.id ? left : right
        #expect(lower.loop.connections.first?.isOwnCall == true)
        for _ in 0..<50 { services.turn(milliseconds: 1000) }
        #expect(left.loop.connections.count == 1 && left.isConnected(to: right))
        #expect(left.peer(right)?.failures.isEmpty == true)
        try services.append(1, left)
        #expect(try services.until(atMost: 20) { try holdsAll(right, of: left) } != nil)
    }

    @Test func `a long range to one peer does not delay what another pushes`() throws {
        try grow(hub)
        try services.connect(right, hub)
        left.shared.send(.add(try hub.address()))
        let begun = try services.until { try left.ledger.heldSize(of: hub.ledger.log) > 0 }
        try #require(begun != nil)
        for _ in 0..<3 {
            try services.append(1, right)
            let turns = try services.until { try holdsAll(hub, of: right) }
            #expect(try #require(turns) <= Self.pushTurnsMax)
        }
        // The long range is still under way: it was not over before the pushes began.
        #expect(try !holdsAll(left, of: hub))
        #expect(try services.until { try holdsAll(left, of: hub) } != nil)
    }

    @Test func `a long range from one peer does not delay what another pushes`() throws {
        try grow(left)
        try services.connect(right, hub)
        hub.shared.send(.add(try left.address()))
        #expect(try services.until { try hub.ledger.heldSize(of: left.ledger.log) > 0 } != nil)
        for _ in 0..<3 {
            try services.append(1, right)
            let turns = try services.until { try holdsAll(hub, of: right) }
            #expect(try #require(turns) <= Self.pushTurnsMax)
        }
        #expect(try !holdsAll(hub, of: left))
    }

    @Test func `a peer that floods with questions gets a few answers a turn`() throws {
        try services.connect(right, hub)
        services.stand(left)
        let attacker = try Attacker(as: left.ledger, of: hub) { services.turn() }
        let ping = Message.ping(.zero).encoded
        attacker.send((0..<2000).flatMap { _ in ping })
        var most = 0
        for _ in 0..<30 {
            let before = hub.ledger.state.withLock { $0.digestCalls }
            services.turn()
            most = max(most, hub.ledger.state.withLock { $0.digestCalls } - before)
        }
        // Four pings, two digests each, and one for the other peer.
        #expect(most > 2 && most <= 12, "\(most)")
        try services.append(1, right)
        let turns = try services.until { try holdsAll(hub, of: right) }
        #expect(try #require(turns) <= Self.pushTurnsMax)
        #expect(hub.isConnected(to: left))
    }

    @Test func `a peer that stands still is given up, and others are served meanwhile`() throws {
        try services.connect(left, hub)
        try services.connect(right, hub)
        services.stand(left)
        try services.append(1, hub)
        #expect(try services.until(atMost: 20) { try holdsAll(right, of: hub) } != nil)
        for _ in 0..<95 { services.turn(milliseconds: 1000) }
        #expect(hub.peer(left)?.phase == .idle && hub.peer(left)?.failure?.code == .timedOut)
        #expect(hub.isConnected(to: right))
        services.stand(left, false)
        let again = try services.until { try left.ledger.tips() == hub.ledger.tips() }
        #expect(again != nil)
    }

    @Test func `who leaves says so, and is called again without a growing pause`() throws {
        try services.connect(left, hub)
        for connection in hub.loop.connections { connection.leave(now: 0) }
        #expect(services.until { left.peer(hub)?.phase == .idle } != nil)
        #expect(left.peer(hub)?.failures.isEmpty == true && left.peer(hub)?.failure == nil)
        #expect(services.until(milliseconds: 100) { left.peer(hub)?.connections == 2 } != nil)
        #expect(hub.peer(left)?.failures.isEmpty == true)
    }

    @Test func `after a cut it goes on from what is durable, and what is known stays`() throws {
        try grow(hub)
        left.shared.send(.add(try hub.address()))
        #expect(try services.until { try left.ledger.heldSize(of: hub.ledger.log) > 0 } != nil)
        for _ in 0..<3 { services.turn() }
        let held = try left.ledger.heldSize(of: hub.ledger.log)
        let all = try hub.ledger.heldSize(of: hub.ledger.log)
        try #require(held < all)
        left.loop.connections.first?.hangUp(SyncError(.closed, "cut"))
        services.turn()
        #expect(services.until { hub.peer(left)?.phase == .idle } != nil)
        let known = try #require(hub.peer(left)?.acknowledged[hub.ledger.log])
        #expect(known > 0 && known <= held)
        #expect(left.peer(hub)?.phase == .waiting)
        let calls = try ingests {
            try services.until(milliseconds: 20) { try holdsAll(left, of: hub) }
        }
        #expect(calls > 0)
        #expect(left.peer(hub)?.eventsReceived ?? 0 == Int(all))
        let settled = services.until { hub.peer(left)?.acknowledged[hub.ledger.log] == all }
        #expect(settled != nil && hub.peer(left)?.isInSync == true)
    }

    private func ingests(_ body: () throws -> Int?) throws -> Int {
        let before = left.ledger.state.withLock { $0.ingestCalls }
        #expect(try body() != nil)
        return left.ledger.state.withLock { $0.ingestCalls } - before
    }

    @Test func `what a peer holds is what it acknowledged, also after it lost some`() throws {
        try services.append(10, hub)
        let old = left.ledger.copy()
        try services.connect(left, hub)
        let log = hub.ledger.log
        #expect(hub.peer(left)?.acknowledged[log] == 11)
        #expect(left.peer(hub)?.acknowledged[log] == 11)
        #expect(hub.peer(left)?.acknowledged[left.ledger.log] == 1)
        services.stand(left)
        try services.append(5, hub)
        for _ in 0..<5 { services.turn() }
        #expect(hub.peer(left)?.acknowledged[log] == 11)
        // The same replica comes back from an old copy, and goes before it has fetched anything.
        for connection in left.loop.connections { connection.hangUp(nil) }
        let restored = try services.add(old)
        let before = hub.peer(left)?.connections ?? 0
        restored.shared.send(.add(try hub.address()))
        let asked = services.until(atMost: 200) {
            hub.peer(left)?.connections == before + 1 && hub.peer(left)?.acknowledged[log] == 0
        }
        #expect(asked != nil)
        #expect(services.until { hub.peer(left)?.acknowledged[log] == 16 } != nil)
    }

    @Test func `a peer that is taken out is told of no more`() throws {
        try services.connect(left, hub)
        try services.append(1, left)
        left.shared.send(.remove(hub.id))
        for _ in 0..<200 {
            services.turn()
            #expect(left.peer(hub) == nil)
        }
        #expect(left.loop.connections.isEmpty && hub.peer(left)?.phase == .idle)
    }

    @Test func `asking to compare is answered for peers that are connected`() throws {
        try services.connect(left, hub)
        let before = try #require(hub.peer(left)?.comparisons)
        // Never announced, so that only a comparison finds it.
        try left.ledger.append(2)
        hub.shared.send(.callNow)
        let turns = services.until { hub.peer(left)?.comparisons ?? 0 > before }
        #expect(try #require(turns) <= 30)
        #expect(try holdsAll(hub, of: left) && hub.peer(left)?.isInSync == true)
    }
}

/// A member that speaks to a service as it likes.
private final class Attacker {
    private let stream: SocketStream
    private let tls: TLSEngine
    private let turn: () -> Void

    /// Connects, greets and merges; `turn` moves the service on.
    init(
        as ledger: FakeLedger, of one: SteppedServices.One, _ turn: @escaping () -> Void
    ) throws {
        self.turn = turn
        guard case .tcp(let host, let port) = try one.address().address.kind else {
            throw SyncError(.invalid, "No port.")
        }
        let addresses = try InternetAddress.resolve(host, port: port, isNumeric: true)
        stream = try SocketStream(owning: try TCPSocket.connect(to: addresses[0]))
        tls = try TLSEngine(.client(one.id), TLSContext(ledger.key))
        try tls.advance()
        var options = SessionOptions()
        options.staysOpen = true
        var session = Session(.initiator, log: ledger, options: options)
        var hasBegun = false
        for _ in 0..<2000 where session.phase != .live {
            var actions: [SessionAction] = []
            if tls.state == .open, !hasBegun {
                hasBegun = true
                actions += session.start()
            }
            while let said = try tls.read(upTo: 65_536), !said.isEmpty {
                actions += session.receive(said)
            }
            actions += session.drained()
            for case .send(let bytes) in actions { send(bytes) }
            try pass()
        }
        try #require(session.phase == .live)
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, let count = try? tls.write(rest), count > 0 {
            rest = rest.dropFirst(count)
            try? pass(turns: false)
        }
    }

    private func pass(turns: Bool = true) throws {
        var out = tls.takeOutput(upTo: .max)[...]
        while !out.isEmpty { out = out.dropFirst(try stream.write(out)) }
        if turns { turn() }
        if let bytes = try stream.read(upTo: 65_536), !bytes.isEmpty { try tls.receive(bytes) }
    }
}

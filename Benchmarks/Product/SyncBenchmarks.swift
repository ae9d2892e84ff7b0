import Dispatch
import Ledger
import Synchronization
import SyncEngine

/// Two replicas whose services are connected over TLS on this machine.
struct ConnectedPair {
    let from: Ledger
    let into: Ledger
    private let serving: SyncService
    private let calling: SyncService
    private let arrivals: Arrivals

    /// Connects; nothing is passed before ``start()``.
    init(_ from: Ledger, _ into: Ledger) throws {
        (self.from, self.into) = (from, into)
        var configuration = SyncConfiguration()
        configuration.authorize = { _ in .member }
        configuration.listenAddresses = [try SocketAddress("tcp://127.0.0.1:0")]
        serving = SyncService(of: from, configuration)
        configuration.listenAddresses = []
        calling = SyncService(of: into, configuration)
        arrivals = Arrivals()
        calling.observe { [arrivals] in arrivals.note($0) }
        try serving.start()
        try calling.start()
    }

    /// Has the empty side call the other.
    func start() throws {
        guard let replica = from.replica, let address = serving.snapshot().listening.first else {
            throw SyncError(.invalid, "The source cannot be called.")
        }
        calling.add(PeerAddress(replica, at: address))
    }

    /// Waits until so many events have come and both sides rest.
    func wait(events: Int) throws { try arrivals.wait(events: events) }
    func waitForMerge() throws { try arrivals.waitForMerge() }

    /// All bytes of the connection so far, both ways, with those of the encryption.
    var bytes: Int {
        calling.snapshot().peers.reduce(0) { $0 + $1.bytesReceived + $1.bytesSent }
    }

    var isInSync: Bool { calling.snapshot().peers.first?.isInSync ?? false }

    func stop() {
        calling.stop()
        serving.stop()
    }
}

/// What benchmarks wait for; told on the service's thread.
private final class Arrivals: Sendable {
    private struct State {
        var events = 0
        var merges = 0
        var failure: SyncError?
    }
    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)

    func note(_ event: SyncEvent) {
        switch event {
        case .merged(_, let report):
            state.withLock {
                $0.events += report.eventsReceived
                $0.merges += 1
                $0.failure = $0.failure ?? report.failure
            }
        case .disconnected(_, let error): state.withLock { $0.failure = $0.failure ?? error }
        case .troubled(let error): state.withLock { $0.failure = $0.failure ?? error }
        default: return
        }
        bell.signal()
    }

    func wait(events: Int) throws {
        try wait {
            guard $0.events >= events else { return false }
            $0.events -= events
            return true
        }
    }

    /// What came up to then is not counted for those that wait for events after it.
    func waitForMerge() throws {
        try wait {
            guard $0.merges > 0 else { return false }
            $0.events = 0
            return true
        }
    }

    private func wait(until isDone: (inout State) -> Bool) throws {
        while true {
            let (done, failure) = state.withLock { (isDone(&$0), $0.failure) }
            if let failure { throw failure }
            if done { return }
            bell.wait()
        }
    }
}

/// What merging costs in bytes and time, over TLS.
enum SyncBenchmarks {
    /// All events into an empty replica, until a status there rests on them.
    static func bulk(_ source: String, into directory: String) throws {
        let from = try Ledger(openAt: source)
        let into = try Ledger.join(try from.invitation(), at: directory)
        if let replica = into.replica { try from.admit(replica) }
        let pair = try ConnectedPair(from, into)
        let query = StatusQuery("subj-000000", resource: "camera", at: Names().places[0])
        let start = Measure.now()
        try pair.start()
        try pair.waitForMerge()
        _ = try into.status(query)
        let seconds = Measure.now() - start
        let (bytes, isInSync) = (pair.bytes, pair.isInSync)
        pair.stop()
        let events = try into.lastPosition()
        try into.close()
        try from.close()
        Measure.report([
            "events": Double(events), "seconds": seconds, "bytes": Double(bytes),
            "inSync": isInSync ? 1 : 0,
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }

    /// `count` new events in each of some rounds over an open connection, until durable there.
    static func delta(
        _ source: String, into directory: String, _ count: Int, rounds: Int, skipping: Int
    ) throws {
        let from = try Ledger(openAt: source)
        let pair = try merged(from, try Ledger(openAt: directory))
        var stream = EventStream(seed: 1)
        stream.skip(skipping)
        let before = pair.bytes
        var events = 0
        var times: [Double] = []
        for _ in 0..<rounds {
            let (drawn, drafts) = stream.drafts(count)
            let receipts = try from.append(drafts)
            let start = Measure.now()
            try pair.wait(events: receipts.count { $0.isNew })
            times.append(Measure.now() - start)
            stream.note(receipts, of: drawn)
            events += receipts.count { $0.isNew }
        }
        times.sort()
        let bytes = pair.bytes - before
        pair.stop()
        Measure.report([
            "rounds": Double(rounds), "median": times[rounds / 2],
            "events": Double(events), "bytes": Double(bytes),
        ])
    }

    /// Two that are connected, and hold the same.
    private static func merged(_ one: Ledger, _ other: Ledger) throws -> ConnectedPair {
        let pair = try ConnectedPair(one, other)
        try pair.start()
        try pair.waitForMerge()
        return pair
    }

    /// One event after the other: from before the append until it can be read at the other side.
    static func live(
        _ source: String, into directory: String, _ count: Int, skipping: Int
    ) throws {
        let from = try Ledger(openAt: source)
        let pair = try merged(from, try Ledger(openAt: directory))
        var stream = EventStream(seed: 1)
        stream.skip(skipping)
        var times: [Double] = []
        for _ in 0..<count {
            let (drawn, drafts) = stream.drafts(1)
            let start = Measure.now()
            let receipts = try from.append(drafts)
            try pair.wait(events: receipts.count { $0.isNew })
            times.append(Measure.now() - start)
            stream.note(receipts, of: drawn)
        }
        times.sort()
        pair.stop()
        Measure.report([
            "count": Double(count), "median": times[count / 2], "p99": times[count * 99 / 100],
        ])
    }

    /// Two replicas that hold the same `logs` logs, of which then some grow by an event: what the
    /// sessions say, without encryption.
    static func compare(_ directory: String, logs: Int, changed: Int) throws {
        let left = try Ledger.create(at: directory + "/left").ledger
        let right = try Ledger.join(try left.invitation(), at: directory + "/right")
        let author = try ManyLogs(left.id, logs)
        for replica in [author.replica, right.replica] {
            if let replica { try left.admit(replica) }
        }
        _ = try SessionPair(left, right, staysOpen: false)
        for ledger in [left, right] { try author.write(into: ledger) }
        let equal = try SessionPair(left, right, staysOpen: false)
        try author.extend(changed, in: left)
        let sparse = try SessionPair(left, right, staysOpen: false)
        guard equal.report(0).isInSync, sparse.report(0).isInSync else {
            throw SyncError(.incomplete, "The two replicas are not in sync.")
        }
        Measure.report([
            "logs": Double(logs), "equalBytes": Double(equal.bytes),
            "equalRounds": Double(equal.report(0).rounds), "equalTurns": Double(equal.turns),
            "sparseBytes": Double(sparse.bytes),
            "sparseEvents": Double(sparse.report(0).eventsSent),
        ])
    }
}

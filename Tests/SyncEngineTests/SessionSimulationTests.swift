import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// Many replicas, lines that come, carry bytes in any portions and break anywhere; one seed decides
/// everything, and the same seed gives the same trace.
struct SessionSimulation {
    struct Line {
        let ends: [Int]
        var link: LiveLink
    }

    var random: SplitMix
    let replicas: [FakeLedger]
    var lines: [Line] = []
    /// What an uninterrupted world would hold.
    var appended = 0
    private(set) var trace: [UInt8] = []
    /// The most that any session kept of an unfinished interval or frame.
    private(set) var keptMax = 0

    init(seed: UInt64) throws {
        random = SplitMix(seed: seed)
        let count = Int.random(in: 2...5, using: &random)
        replicas = try (0..<count).map { try FakeLedger(seed: seed &* 97 &+ UInt64($0)) }
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
    }

    private mutating func step() throws {
        let choice = random.next() % 10
        trace.append(UInt8(choice))
        switch choice {
        case 0, 1: try append()
        case 2: try connect()
        case 3 where !lines.isEmpty:
            // The line breaks: what was on it is lost, and the sessions with it.
            lines.remove(at: Int(random.next() % UInt64(lines.count)))
        case 4:
            let replica = replicas[Int(random.next() % UInt64(replicas.count))]
            let log = replica.log
            let count = replica.state.withLock { $0.chains[log]?[0].events.count ?? 0 }
            // A payload of another's log goes missing; the own ones are always here.
            for other in replicas where other !== replica && count > 0 {
                let isHeld = other.state.withLock { $0.chains[log]?[0].events.count ?? 0 }
                if isHeld > 1 { other.lose([Int(random.next() % UInt64(isHeld - 1)) + 1], of: log) }
            }
        default: carry()
        }
        if lines.count > 6 { lines.removeFirst() }
    }

    private mutating func append() throws {
        let place = Int(random.next() % UInt64(replicas.count))
        let count = Int.random(in: 1...30, using: &random)
        try replicas[place].append(count)
        appended += count
        for index in lines.indices {
            guard let side = lines[index].ends.firstIndex(of: place) else { continue }
            lines[index].link.changed(side, settles: false)
        }
    }

    private mutating func connect() throws {
        let left = Int(random.next() % UInt64(replicas.count))
        let right = Int(random.next() % UInt64(replicas.count))
        guard left != right else { return }
        lines.append(
            Line(
                ends: [left, right],
                link: LiveLink(replicas[left], replicas[right], settles: false)))
    }

    private mutating func carry() {
        guard !lines.isEmpty else { return }
        let place = Int(random.next() % UInt64(lines.count))
        let budget = Int.random(in: 1...20_000, using: &random)
        var portions = SplitMix(seed: random.next())
        lines[place].link.settle(atMost: budget) { _ in
            Int.random(in: 1...3000, using: &portions)
        }
        lines[place].link.pass(milliseconds: 100, settles: false)
        for side in 0...1 {
            let session = lines[place].link.sides[side]
            keptMax = max(
                keptMax, session.splitter.pending, session.receiving.fetch?.batchLength ?? 0)
        }
        // Whoever took something in tells those it is connected to.
        for end in lines[place].ends {
            for index in lines.indices where index != place {
                guard let side = lines[index].ends.firstIndex(of: end) else { continue }
                lines[index].link.changed(side, settles: false)
            }
        }
        let endings = lines[place].link.endings
        if endings.contains(where: { $0 != nil }) { lines.remove(at: place) }
    }

    /// The faults are over: everybody merges with everybody, around twice.
    mutating func heal() throws {
        lines = []
        for _ in 0..<2 {
            for place in replicas.indices {
                let next = (place + 1) % replicas.count
                _ = try merge(replicas[place], replicas[next])
            }
        }
    }
}

@Suite struct SessionSimulationTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `replicas on lines that break converge, and nothing is lost`(seed: UInt64) throws {
        var world = try SessionSimulation(seed: seed)
        try world.run(steps: 120)
        try world.heal()
        let digests = try world.replicas.map { try $0.stateDigest() }
        #expect(digests.allSatisfy { $0 == digests[0] }, "seed \(seed)")
        let sizes = try world.replicas[0].tips().map(\.size).reduce(0, +)
        // Each log has the event that opened it, too.
        #expect(sizes == UInt64(world.appended + world.replicas.count), "seed \(seed)")
        #expect(world.keptMax < 4 << 20)
    }

    @Test func `the same seed gives the same world`() throws {
        let runs = try (0..<2).map { _ in
            var world = try SessionSimulation(seed: 7)
            try world.run(steps: 80)
            return (world.trace, try world.replicas.map { try $0.stateDigest() })
        }
        #expect(runs[0].0 == runs[1].0)
        #expect(runs[0].1 == runs[1].1)
    }

    /// A line that breaks at each byte of a session that goes on: the next one takes up from what
    /// is durable, whatever was on the way.
    @Test func `an open session cut at any byte loses nothing and is not repeated for ever`() throws
    {
        func world() throws -> (FakeLedger, FakeLedger) { try SessionTests.pair(3, 2) }
        func play(cut: Int) throws -> (LiveLink, FakeLedger, FakeLedger) {
            let (a, b) = try world()
            var link = LiveLink(a, b, settles: false)
            var isWhole = link.settle(atMost: cut)
            for _ in 0..<2 where isWhole {
                try a.append(2)
                let used = link.bytes
                link.changed(0, settles: false)
                isWhole = link.settle(atMost: cut - used)
            }
            return (link, a, b)
        }
        let total = try play(cut: .max).0.bytes
        for cut in 0..<total {
            let (link, a, b) = try play(cut: cut)
            let acknowledged = link.sides[0].report.eventsSent
            let stored = try b.tips().first { $0.log == a.log }?.size ?? 0
            try #require(UInt64(acknowledged) <= stored, "cut at byte \(cut)")
            let report = try merge(a, b)
            try #require(report.isInSync && report.rounds <= 1, "cut at byte \(cut)")
            try #require(try a.tips() == b.tips(), "cut at byte \(cut)")
        }
    }
}

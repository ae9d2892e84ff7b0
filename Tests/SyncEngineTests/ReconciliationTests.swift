import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct ReconciliationTests {
    static func state(
        _ log: UInt64, size: UInt64 = 1, missing: [UInt64] = []
    ) throws -> TipState {
        var mixed = SplitMix(seed: log)
        let id = LogID(raw: Bytes16(a: mixed.next(), b: mixed.next()))
        let tip = Tip(log: id, size: size, root: Bytes32(a: size, b: log, c: 0, d: 0))
        return TipState(tip, missing: missing, try Digester())
    }

    static func states(_ logs: Range<UInt64>) throws -> [TipState] {
        try logs.map { try state($0) }.sorted { $0.tip < $1.tip }
    }

    struct Outcome {
        var left: [TipEntry] = []
        var right: [TipEntry] = []
        var bytes = 0
        var messages = 0
    }

    /// Lets two sides compare; everything passes through the encoding.
    static func compare(_ left: [TipState], _ right: [TipState]) throws -> Outcome {
        var sides = [Reconciliation(left), Reconciliation(right)]
        var outcome = Outcome()
        var message: [TipRange]? = try sides[0].opening()
        while let ranges = message {
            let bytes = Message.ranges(ranges, isLast: true).encoded
            outcome.bytes += bytes.count
            outcome.messages += 1
            var splitter = FrameSplitter()
            splitter.append(bytes)
            let frame = try #require(try splitter.next())
            guard case .ranges(let arrived, isLast: true)? = try Message.decode(frame) else {
                break
            }
            #expect(arrived == ranges)
            message = try sides[outcome.messages % 2].answer(arrived)
        }
        (outcome.left, outcome.right) = (sides[0].theirs, sides[1].theirs)
        return outcome
    }

    static func sorted(_ entries: [TipEntry]) -> [Tip] { entries.map(\.tip).sorted() }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `each side learns exactly what it does not hold`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var sides: [[TipState]] = [[], []]
        for log in 0..<UInt64.random(in: 0...400, using: &random) {
            let common = try Self.state(log)
            switch random.next() % 12 {
            case 0: sides[0].append(common)
            case 1: sides[1].append(common)
            case 2:
                sides[0].append(common)
                sides[1].append(try Self.state(log, size: 2))
            case 3:
                // A fork on one side, and a gap on the other.
                sides[0] += [common, try Self.state(log, size: 3)]
                sides[1].append(try Self.state(log, missing: [0]))
            default:
                sides[0].append(common)
                sides[1].append(common)
            }
        }
        sides = sides.map { $0.sorted { $0.tip < $1.tip } }
        let outcome = try Self.compare(sides[0], sides[1])
        let (left, right) = (Set(sides[0].map { TipEntry($0) }), Set(sides[1].map { TipEntry($0) }))
        #expect(Set(outcome.left) == right.subtracting(left), "seed \(seed)")
        #expect(Set(outcome.right) == left.subtracting(right), "seed \(seed)")
        #expect(outcome.messages <= 6)
    }

    @Test func `three of ten thousand logs are found with few bytes`() throws {
        let left = try Self.states(0..<10_000)
        var right = left
        for place in [17, 5000, 9999] {
            let old = right[place].tip
            let tip = Tip(log: old.log, size: old.size + 100, root: .zero)
            right[place] = TipState(tip, missing: [], try Digester())
        }
        let outcome = try Self.compare(left, right)
        #expect(outcome.left.count == 3 && outcome.right.count == 3)
        #expect(outcome.bytes < 4000)
        #expect(outcome.messages <= 6)
    }

    @Test func `an empty side is told everything, in ranges that fit into frames`() throws {
        let all = try Self.states(0..<5000)
        #expect(try Self.compare([], all).left.count == 5000)
        #expect(try Self.compare(all, []).right.count == 5000)
        var side = Reconciliation(all)
        let answer = try #require(try side.answer([TipRange(end: nil, .list([]))]))
        #expect(answer.count == 5)
        #expect(answer.allSatisfy { $0.content.entries.count <= 1024 })
    }

    @Test func `many branches of one log are listed and not cut for ever`() throws {
        let log = LogID(raw: Bytes16(a: 5, b: 5))
        let branches = try (1...40).map { size in
            TipState(
                Tip(log: log, size: size, root: .zero), missing: [], try Digester())
        }
        let outcome = try Self.compare(branches, Array(branches.dropLast(3)))
        #expect(outcome.right.count == 3 && outcome.left.isEmpty)
    }

    @Test func `a comparison that leaves gaps, runs back or never ends is refused`() throws {
        let all = try Self.states(0..<100)
        let (low, high) = (LogID(raw: Bytes16(a: 1, b: 0)), LogID(raw: Bytes16(a: 9, b: 0)))
        let bad: [[TipRange]] = [
            [], [TipRange(end: high, .same)],
            [TipRange(end: high, .same), TipRange(end: low, .same), TipRange(end: nil, .same)],
            [TipRange(end: nil, .same), TipRange(end: nil, .same)],
            [TipRange(end: low, .same), TipRange(end: low, .same), TipRange(end: nil, .same)],
        ]
        for ranges in bad {
            var side = Reconciliation(all)
            #expect(throws: SyncError(.malformed, "")) { try side.answer(ranges) }
        }
        var side = Reconciliation(all)
        #expect(throws: SyncError(.limit, "")) {
            while true { _ = try side.answer([TipRange(end: nil, .fingerprint(.zero))]) }
        }
    }
}

import TestSupport
import Testing

@testable import Ledger

@Suite struct TipStateTests {
    private func record(_ count: Int, in ledger: Ledger, subject: String = "me") throws {
        for index in 0..<count {
            try ledger.append(
                .allowed(subject, resource: "r\(index)", at: Place(device: "d", install: "1")))
        }
    }

    /// What the book should say, computed without it.
    private func expected(_ ledger: Ledger) throws -> [TipState] {
        let digester = try Digester()
        return try ledger.tips().map {
            TipState($0, missing: try ledger.missingPayloads(of: $0), digester)
        }
    }

    @Test func `only what changed since a stamp is given`() throws {
        let phone = try TestLedger()
        let tablet = try phone.joined()
        try Exchange.merge(phone.ledger, tablet.ledger)
        let start = try phone.ledger.tipStates(changedAfter: 0)
        #expect(try start.states == expected(phone.ledger))
        #expect(try phone.ledger.tipStates(changedAfter: start.stamp).states.isEmpty)
        try record(3, in: phone.ledger)
        let own = try phone.ledger.tipStates(changedAfter: start.stamp)
        #expect(own.states.map(\.tip.log) == [phone.ledger.log])
        try record(2, in: tablet.ledger)
        try Exchange.pull(from: tablet.ledger, into: phone.ledger)
        let other = try phone.ledger.tipStates(changedAfter: own.stamp)
        #expect(other.states.map(\.tip.log) == [tablet.ledger.log])
        #expect(try phone.ledger.tipStates(changedAfter: 0).states == expected(phone.ledger))
    }

    @Test func `what another process commits is seen`() throws {
        let phone = try TestLedger()
        let other = try Ledger(openAt: phone.path, environment: phone.clock.environment)
        let start = try phone.ledger.tipStates(changedAfter: 0)
        try record(1, in: other)
        _ = try other.tips()
        let seen = try phone.ledger.tipStates(changedAfter: start.stamp)
        #expect(seen.states.map(\.tip.size) == [2])
        #expect(try phone.ledger.stateDigest() == other.stateDigest())
    }

    @Test func `a payload that comes late changes the state`() throws {
        let phone = try TestLedger()
        let tablet = try phone.joined()
        try record(2, in: phone.ledger)
        let bare = try Exchange.intervals(of: phone.ledger).map { interval in
            Interval(
                first: interval.first,
                events: interval.events.map {
                    StoredEvent(header: $0.header, body: $0.header.sequence == 2 ? nil : $0.body)
                }, checkpoint: interval.checkpoint)
        }
        _ = try tablet.ledger.ingest(bare)
        let start = try tablet.ledger.tipStates(changedAfter: 0)
        #expect(start.states.map(\.missingCount).max() == 1)
        #expect(try tablet.ledger.stateDigest() != phone.ledger.stateDigest())
        try Exchange.pull(from: phone.ledger, into: tablet.ledger)
        let filled = try tablet.ledger.tipStates(changedAfter: start.stamp)
        #expect(filled.states.count == 1 && filled.states[0].missingCount == 0)
    }

    @Test func `a transaction that failed leaves the book right`() throws {
        let phone = try TestLedger()
        let tablet = try phone.joined()
        try record(3, in: tablet.ledger)
        _ = try phone.ledger.tipStates(changedAfter: 0)
        for interval in try Exchange.intervals(of: tablet.ledger) {
            let wrong = Checkpoint(
                log: interval.checkpoint.log, size: interval.checkpoint.size, root: .zero,
                signature: interval.checkpoint.signature)
            _ = try? phone.ledger.ingest([
                Interval(first: interval.first, events: interval.events, checkpoint: wrong)
            ])
        }
        #expect(try phone.ledger.tipStates(changedAfter: 0).states == expected(phone.ledger))
        try Exchange.pull(from: tablet.ledger, into: phone.ledger)
        #expect(try phone.ledger.tipStates(changedAfter: 0).states == expected(phone.ledger))
    }

    @Test func `a prefix is held at any size with its own root alone`() throws {
        let test = try TestLedger()
        for count in [3, 1, 6] {
            for number in 0..<count {
                try test.ledger.append(.allowed("me", resource: "r\(number)", at: phone))
            }
            _ = try test.ledger.tips()
        }
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        let tip = try #require(try test.ledger.tips().first)
        let digester = try Digester()
        var edge = MerkleFrontier()
        var roots: [Bytes32] = []
        for event in try Exchange.intervals(of: test.ledger).flatMap(\.events) {
            edge.append(event.header.bytes.withUnsafeBytes { digester.leaf($0) }, digester)
            roots.append(edge.root(digester))
        }
        try #require(UInt64(roots.count) == tip.size && roots.last == tip.root)
        for size in 1...(tip.size + 1) {
            for (other, root) in zip(1..., roots) {
                let isHeld = try test.ledger.holds(Tip(log: tip.log, size: size, root: root))
                #expect(isHeld == (size == other), "\(size) with the root of \(other)")
            }
        }
    }
}

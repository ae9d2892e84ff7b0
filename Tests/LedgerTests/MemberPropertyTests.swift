import TestSupport
import Testing

@testable import Ledger

/// Members change while everybody records; every test's argument is its seed.
@Suite struct MemberPropertyTests {
    @Test(arguments: 400..<408 as Range<UInt64>)
    func `any order of the same events, with admissions and removals, gives the same bytes`(
        seed: UInt64
    ) throws {
        var life = try RandomLife(seed: seed, replicas: 4)
        life.changesMembers = true
        try life.run(steps: 80)
        try life.settle()
        let digest = try life.replicas[0].ledger.projectionDigest()
        let members = try life.replicas[0].ledger.members()
        for replica in life.replicas {
            #expect(try replica.ledger.stateDigest() == life.replicas[0].ledger.stateDigest())
            #expect(try replica.ledger.projectionDigest() == digest)
            #expect(try replica.ledger.members() == members)
            #expect(try replica.ledger.verify().findings == [])
            let other = try Ledger(openAt: replica.path, access: .readOnly)
            #expect(try other.projectionDigest() == digest)
            try replica.ledger.rebuild()
            #expect(try replica.ledger.projectionDigest() == digest)
            #expect(try other.projectionDigest() == digest)
        }
        for _ in 0..<2 {
            let late = try life.replicas[0].stranger()
            try feed(late.ledger, try Exchange.intervals(of: life.replicas[1].ledger), &life)
            #expect(try late.ledger.projectionDigest() == digest)
            #expect(try late.ledger.verify().findings == [])
        }
    }

    /// Hands intervals over one log after the other in random turns; who is not known yet waits.
    private func feed(
        _ target: Ledger, _ intervals: [Interval], _ life: inout RandomLife
    ) throws {
        var queues: [[Interval]] = Dictionary(grouping: intervals, by: \.checkpoint.log)
            .sorted { $0.key < $1.key }.map(\.value)
        while !queues.isEmpty {
            let index = life.below(queues.count)
            let count = min(1 + life.below(3), queues[index].count)
            let batch = Array(queues[index].prefix(count))
            let results = try target.ingest(batch)
            guard results.allSatisfy({ !$0.isUnknownAuthor }) else { continue }
            for result in results { _ = try result.get() }
            queues[index].removeFirst(count)
            queues.removeAll(where: \.isEmpty)
        }
    }

    @Test(arguments: 500..<504 as Range<UInt64>)
    func `with members that change, the projection kept step by step equals the one from scratch`(
        seed: UInt64
    ) throws {
        var life = try RandomLife(seed: seed)
        life.changesMembers = true
        for _ in 0..<12 {
            try life.run(steps: 6)
            for replica in life.replicas {
                #expect(try replica.ledger.verify().findings == [])
            }
        }
    }

    @Test(arguments: 600..<612 as Range<UInt64>)
    func `no event beyond a removal point makes a status more permissive`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        var ids: [EventID] = []
        for _ in 0..<4 {
            if random.below(2) == 0 { ids.append(try log.add(Self.event(&random))) }
            ids.append(try test.ledger.append(Self.event(&random)).event.id)
        }
        _ = try #require(try test.ledger.ingest([log.interval()]).first).get()
        try test.ledger.remove(log.keys.replica)
        let query = StatusQuery("me", resource: "camera", at: phone)
        for _ in 0..<8 {
            let before = try test.ledger.status(query)
            let first = log.size
            let replaces = ids.filter { _ in random.below(2) == 0 }
            let isHidden = random.below(5) == 0
            ids.append(
                try log.add(
                    Self.event(&random), replaces: Array(Set(replaces)), hidesPayload: isHidden))
            _ = try #require(try test.ledger.ingest([log.interval(from: first)]).first).get()
            let after = try test.ledger.status(query)
            #expect(after.status <= before.status)
            #expect(before.isConsented || !after.isConsented)
        }
        #expect(try test.ledger.verify().findings == [])
    }

    @Test(arguments: 700..<712 as Range<UInt64>)
    func `a removal lifts no denial`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        var ids: [EventID] = []
        for _ in 0..<5 {
            ids.append(try test.ledger.append(Self.event(&random)).event.id)
            let replaces = Array(Set(ids.filter { _ in random.below(2) == 0 }))
            ids.append(try log.add(Self.event(&random), replaces: replaces))
        }
        _ = try #require(try test.ledger.ingest([log.interval()]).first).get()
        let query = StatusQuery("me", resource: "camera", at: phone)
        let before = try test.ledger.status(query)
        // Made elsewhere, by somebody who had heard of nothing.
        var remover = try ForeignLog(joining: test.ledger, seed: 2)
        let removal = MemberRemoval(
            replica: log.keys.replica, points: [], generation: 1, sealedKeys: [])
        try remover.add(.memberRemoved, removal.encoded, tag: .none)
        _ = try #require(try test.ledger.ingest([remover.interval()]).first).get()
        let after = try test.ledger.status(query)
        if before.status <= .denied { #expect(after.status <= .denied) }
        #expect(try test.ledger.verify().findings == [])
    }

    private static func event(_ random: inout SplitMix) -> Draft {
        if random.below(2) == 0 {
            return random.below(2) == 0
                ? .allowed("me", resource: "camera", at: phone)
                : .denied("me", resource: "camera", at: phone)
        }
        let statuses = [
            PermissionStatus.denied, .restricted, .authorized, .limited, .notDetermined,
        ]
        return .observed("me", resource: "camera", at: phone, random.pick(statuses))
    }
}

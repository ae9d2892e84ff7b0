import TestSupport
import Testing

@testable import Ledger

/// Every test's argument is its seed: a failure names it.
@Suite struct ProjectionPropertyTests {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `any order, repetition and batching of the same events gives the same bytes`(
        seed: UInt64
    ) throws {
        var life = try RandomLife(seed: seed)
        try life.run(steps: 80)
        try life.settle()
        let digest = try life.replicas[0].ledger.projectionDigest()
        for replica in life.replicas {
            #expect(try replica.ledger.projectionDigest() == digest)
            #expect(try replica.ledger.stateDigest() == life.replicas[0].ledger.stateDigest())
        }
        for _ in 0..<3 {
            let late = try life.replicas[0].joined()
            try feed(late.ledger, from: life.replicas[1].ledger, &life)
            #expect(try late.ledger.projectionDigest() == digest)
            try late.ledger.rebuild()
            #expect(try late.ledger.projectionDigest() == digest)
        }
    }

    /// Hands over intervals in a random interleaving of the logs, some twice, in random batches.
    private func feed(_ target: Ledger, from source: Ledger, _ life: inout RandomLife) throws {
        var queues: [LogID: [Interval]] = [:]
        for interval in try Exchange.intervals(of: source) {
            queues[interval.checkpoint.log, default: []].append(interval)
        }
        while !queues.isEmpty {
            var batch: [Interval] = []
            for _ in 0...life.below(4) {
                let logs = queues.keys.sorted()
                guard !logs.isEmpty else { break }
                let log = logs[life.below(logs.count)]
                guard let next = queues[log]?.removeFirst() else { continue }
                if queues[log]?.isEmpty == true { queues[log] = nil }
                batch.append(next)
                if life.below(3) == 0 { batch.append(next) }
            }
            // What comes before its author is admitted is offered again later.
            for (interval, result) in zip(batch, try target.ingest(batch)).reversed() {
                if result.isUnknownAuthor {
                    queues[interval.checkpoint.log, default: []].insert(interval, at: 0)
                } else {
                    _ = try result.get()
                }
            }
        }
    }

    @Test(arguments: 100..<112 as Range<UInt64>)
    func `the projection kept step by step equals the one folded from scratch`(
        seed: UInt64
    ) throws {
        var life = try RandomLife(seed: seed, replicas: 2)
        for _ in 0..<12 {
            try life.run(steps: 6)
            for replica in life.replicas {
                let report = try replica.ledger.verify()
                #expect(report.findings == [])
            }
        }
    }

    @Test(arguments: 200..<212 as Range<UInt64>)
    func `what was true as of a time stays so when later events arrive`(seed: UInt64) throws {
        var life = try RandomLife(seed: seed)
        try life.run(steps: 60)
        try life.settle()
        let ledger = life.replicas[0].ledger
        let clocks = life.replicas.map(\.clock.milliseconds)
        let moment = (clocks.min() ?? 0) - 1
        let before = try allStatuses(ledger, asOf: moment)
        for replica in life.replicas { replica.clock.advance(minutes: 60) }
        try life.run(steps: 60)
        try life.settle()
        #expect(try allStatuses(ledger, asOf: moment) == before)
    }

    private func allStatuses(_ ledger: Ledger, asOf moment: Int64) throws -> [[EventID]] {
        var evidence: [[EventID]] = []
        for subject in ["ada", "me"] {
            for place in [phone, Place(device: "phone", install: "2"), nil] {
                let resource = place == nil ? "marketing-email" : "camera"
                var query = StatusQuery(subject, resource: resource, at: place)
                query.moment = .asOf(moment)
                let status = try ledger.status(query)
                evidence.append(status.evidence)
            }
        }
        return evidence
    }

    @Test(arguments: 300..<330 as Range<UInt64>)
    func `no event that has not seen a denial turns it into a grant`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let first = try TestLedger()
        let second = try first.joined()
        let query = StatusQuery("me", resource: "marketing-email", at: nil)
        var denial = Draft.denied("me", resource: "marketing-email", at: nil)
        denial.payload.scope = .person
        var grant = Draft.allowed("me", resource: "marketing-email", at: nil)
        grant.payload.scope = .person
        try first.ledger.append(grant)
        try Exchange.merge(first.ledger, second.ledger)
        try first.ledger.append(denial)
        // The other side goes on granting, with a clock as wrong as it likes.
        second.clock.advance(minutes: Int64(random.below(20_000_000)) - 10_000_000)
        for _ in 0...random.below(4) {
            try second.ledger.append(grant)
            try second.ledger.append(random.below(2) == 0 ? grant : denial)
            try second.ledger.append(grant)
        }
        try Exchange.merge(first.ledger, second.ledger)
        for ledger in [first.ledger, second.ledger] {
            let status = try ledger.status(query)
            #expect(status.status == .denied)
            #expect(status.isConflicting)
        }
        // Who has seen both may grant again.
        try second.ledger.append(grant)
        try Exchange.merge(first.ledger, second.ledger)
        #expect(try first.ledger.status(query).status == .authorized)
        #expect(try !first.ledger.status(query).isConflicting)
    }
}

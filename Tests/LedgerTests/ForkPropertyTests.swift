import TestSupport
import Testing

@testable import Ledger

/// Random lives of a replica whose state is cloned and rolled back unnoticed; a seed replays one.
@Suite struct ForkPropertyTests {
    private struct Life {
        let origin: TestLedger
        var ledgers: [Ledger]
        var paths: [String]
        var random: SplitMix
        var environment: LedgerEnvironment
        /// Denials, each with what its writer held then.
        var ids: [EventID] = []
        let subjects = ["ada", "bob", "cy"]

        init(seed: UInt64) throws {
            random = SplitMix(seed: seed)
            origin = try TestLedger()
            try origin.ledger.close()
            environment = origin.clock.environment
            let identity = FileIdentity(of: origin.path + "/ledger.db")
            environment.fileIdentity = { _ in identity }
            paths = [origin.path]
            ledgers = [try Ledger(openAt: origin.path, environment: environment)]
            let peer = origin.directory.path + "/peer"
            ledgers.append(
                try Ledger.join(
                    try ledgers[0].invitation(), at: peer,
                    environment: origin.clock.environment))
            paths.append(peer)
            if let replica = ledgers[1].replica { try ledgers[0].admit(replica) }
        }

        mutating func step() throws {
            let index = random.below(ledgers.count)
            switch random.below(10) {
            case 0 where ledgers.count < 6:
                // The machine is cloned while it runs.
                let path = "\(origin.directory.path)/clone-\(ledgers.count)"
                StateFiles.copy(paths[0], to: path)
                paths.append(path)
                ledgers.append(try Ledger(openAt: path, environment: environment))
            case 1...3:
                let other = random.below(ledgers.count)
                guard other != index else { return }
                if random.below(2) == 0 {
                    try ledgers[index].note(peerTips: try ledgers[other].tips())
                }
                try Exchange.pull(from: ledgers[other], into: ledgers[index])
            default:
                let subject = random.pick(subjects)
                let draft: Draft =
                    random.below(2) == 0
                    ? .allowed(subject, resource: "camera", at: TestSupport.phone)
                    : .denied(subject, resource: "camera", at: TestSupport.phone)
                ids.append(try ledgers[index].append(draft).event.id)
                if random.below(3) == 0 { _ = try ledgers[index].tips() }
            }
            origin.clock.advance(milliseconds: Int64(random.below(3000)))
        }

        mutating func settle() throws {
            for _ in 0..<3 {
                for left in ledgers.indices {
                    for right in ledgers.indices where left != right {
                        try Exchange.pull(from: ledgers[left], into: ledgers[right])
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `clones that write and merge at random come to the same and lose nothing`(
        seed: UInt64
    ) throws {
        var life = try Life(seed: seed)
        for _ in 0..<60 { try life.step() }
        try life.settle()
        let first = life.ledgers[0]
        let digest = try first.stateDigest()
        for ledger in life.ledgers {
            #expect(try ledger.stateDigest() == digest)
            #expect(try ledger.projectionDigest() == first.projectionDigest())
            for id in life.ids { #expect(try ledger.event(id) != nil) }
            #expect(try ledger.verify().findings == [])
        }
        try rightStatuses(life, of: first)
        // Once everyone wrote and saw it, nobody writes where another one does.
        for _ in 0..<2 {
            for ledger in life.ledgers {
                try ledger.append(.primerShown("me", resource: "camera", at: TestSupport.phone))
            }
            try life.settle()
        }
        let logs = life.ledgers.compactMap(\.log)
        #expect(Set(logs).count == life.ledgers.count)
        #expect(try first.forks().allSatisfy { $0.isHealed && !logs.contains($0.log) })
    }

    /// A denial that no event replaced holds, on whichever branch it was written.
    private func rightStatuses(_ life: Life, of ledger: Ledger) throws {
        var replaced: Set<EventID> = []
        var denials: [String: [EventID]] = [:]
        try ledger.history(HistoryFilter()) { entry in
            replaced.formUnion(entry.event.header.replaces)
            if let payload = entry.event.payload, payload.outcome == .denied,
                let subject = payload.subject
            {
                denials[subject, default: []].append(entry.event.id)
            }
            return true
        }
        for (subject, ids) in denials where ids.contains(where: { !replaced.contains($0) }) {
            let query = StatusQuery(subject, resource: "camera", at: TestSupport.phone)
            #expect(try ledger.status(query).status == .denied)
        }
    }
}

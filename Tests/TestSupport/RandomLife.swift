import Ledger

/// Several replicas of one ledger that record and meet at random; a seed replays a life.
public struct RandomLife {
    /// The replicas.
    public let replicas: [TestLedger]
    private var random: SplitMix
    private let subjects = ["ada", "me"]
    private let resources = ["camera", "marketing-email"]
    private let places = [
        Place(device: "phone", install: "1"), Place(device: "phone", install: "2"),
        Place(device: "tablet", install: "1"),
    ]
    private var asks: [(replica: Int, draft: Draft, id: EventID)] = []

    /// Makes the replicas.
    public init(seed: UInt64, replicas count: Int = 3) throws {
        random = SplitMix(seed: seed)
        let first = try TestLedger()
        var replicas = [first]
        for _ in 1..<count {
            let clock = ManualClock(
                first.clock.milliseconds + Int64(random.below(1_000_000)) - 500_000)
            replicas.append(try first.joined(clock: clock))
        }
        self.replicas = replicas
    }

    /// Whether replicas also remove and admit each other.
    public var changesMembers = false

    /// Records and merges `steps` times.
    public mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            let index = random.below(replicas.count)
            if changesMembers, random.below(8) == 0 { try changeMembers(on: index) }
            if random.below(4) == 0 {
                let other = random.below(replicas.count)
                if other != index {
                    try Exchange.pull(from: replicas[other].ledger, into: replicas[index].ledger)
                }
            } else {
                try record(on: index)
            }
            if random.below(5) == 0 { _ = try replicas[index].ledger.sign() }
            replicas[index].clock.advance(milliseconds: Int64(random.below(5000)))
        }
    }

    /// Removes, admits or brings back another replica; who may not, does not.
    private mutating func changeMembers(on index: Int) throws {
        let ledger = replicas[index].ledger
        guard let target = replicas[random.below(replicas.count)].ledger.replica,
            let key = replicas[0].recoveryKey
        else { return }
        do throws(LedgerError) {
            switch random.below(5) {
            case 0, 1: try ledger.remove(target)
            case 2: try ledger.admit(target, with: key)
            default: try ledger.admit(target, name: "replica \(random.below(3))")
            }
        } catch {
            guard [.notMember, .notFound, .conflict].contains(error.code) else { throw error }
        }
    }

    private mutating func record(on index: Int) throws {
        let subject = random.pick(subjects)
        let resource = random.pick(resources)
        let isPerson = resource == "marketing-email"
        let place = isPerson ? nil : random.pick(places)
        var draft: Draft
        switch random.below(8) {
        case 0: draft = .primerShown(subject, resource: resource, at: place)
        case 1:
            let outcomes = [Outcome.continued, .declined, .closed]
            draft = .answered(subject, resource: resource, at: place, random.pick(outcomes))
        case 2: draft = .promptAsked(subject, resource: resource, at: place)
        case 3:
            let statuses = [PermissionStatus.denied, .authorized, .limited, .notDetermined]
            draft = .observed(subject, resource: resource, at: place, random.pick(statuses))
        case 4:
            draft = .answered(subject, resource: resource, at: place, .notShown)
        default:
            draft =
                random.below(2) == 0
                ? .allowed(subject, resource: resource, at: place)
                : .denied(subject, resource: resource, at: place)
            if draft.payload.outcome == .allowed {
                draft.payload.revision = Revision("1.\(random.below(12))")
                if random.below(3) == 0 { draft.payload.extent = Extent(time: .whenInUse) }
            }
        }
        draft.payload.scope = isPerson ? .person : nil
        if draft.kind == .answerGiven, random.below(2) == 0,
            let ask = asks.last(where: {
                $0.replica == index && $0.draft.payload.subject == subject
                    && $0.draft.payload.resource == resource
                    && $0.draft.payload.install == draft.payload.install
                    && $0.draft.payload.device == draft.payload.device
            }), !(draft.payload.outcome?.answersPrimer ?? false)
        {
            draft.payload.answers = ask.id
        }
        let receipt = try replicas[index].ledger.append(draft)
        if draft.kind == .promptAsked { asks.append((index, draft, receipt.event.id)) }
    }

    /// Merges everybody with everybody until all hold everything.
    public func settle() throws {
        for _ in 0..<3 {
            for left in replicas.indices {
                for right in replicas.indices where left != right {
                    try Exchange.pull(from: replicas[left].ledger, into: replicas[right].ledger)
                }
            }
        }
    }

    /// One more number of the life's own sequence.
    public mutating func below(_ limit: Int) -> Int { random.below(limit) }
}

import TestSupport
import Testing

@testable import Ledger

/// The members of small ledgers, worked out a second time in the plainest way.
///
/// Every subset of the events of a small random ledger is tried.
@Suite struct MembershipGraphTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `every subset of a small ledger's events has the members that the rules say`(
        seed: UInt64
    ) {
        let ledger = SmallLedger(seed: seed, events: 9)
        for subset in ledger.subsets {
            let graph = ledger.graph(subset)
            let oracle = Oracle(ledger, subset)
            #expect(graph.known == oracle.known, "\(ledger.words(subset))")
            #expect(graph.admitted == oracle.admitted, "\(ledger.words(subset))")
            #expect(Set(graph.members) == oracle.members, "\(ledger.words(subset))")
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `order and repetition do not matter`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let ledger = SmallLedger(seed: seed, events: 8)
        for subset in ledger.subsets {
            let graph = ledger.graph(subset)
            var events = subset
            events.shuffle(using: &random)
            #expect(ledger.graph(events) == graph)
            #expect(ledger.graph(events.reversed() + events) == graph)
        }
    }

    @Test func `every order of a mutual removal's events has the same members`() {
        let ledger = SmallLedger.mutualRemoval
        let all = ledger.events.filter { $0.author != SmallLedger.recovery }
        let graph = ledger.graph(all)
        #expect(Set(graph.members) == [SmallLedger.founder, 3, 4].asReplicas)
        for order in all.permutations { #expect(ledger.graph(order) == graph) }
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `a removal adds no member, and knowing only grows`(seed: UInt64) {
        let ledger = SmallLedger(seed: seed, events: 9)
        for subset in ledger.subsets {
            let before = ledger.graph(subset)
            for event in ledger.events where !subset.contains(event) {
                let after = ledger.graph(subset + [event])
                #expect(after.known.isSuperset(of: before.known))
                guard event.removes != nil else { continue }
                #expect(after.admitted.isSubset(of: before.admitted))
                #expect(Set(after.members).isSubset(of: before.members))
            }
        }
    }

    @Test func `two who remove each other are both out, and whom they let in before stays`() {
        let ledger = SmallLedger.mutualRemoval
        let events = ledger.events.filter { $0.author != SmallLedger.recovery }
        let graph = ledger.graph(events)
        #expect(!graph.isMember(1.asReplica) && !graph.isMember(2.asReplica))
        // 3 was let in by 1 and 4 by 2, before the removals; 5 by 1 after them.
        #expect(graph.isMember(3.asReplica) && graph.isMember(4.asReplica))
        #expect(graph.known.contains(5.asReplica) && !graph.admitted.contains(5.asReplica))
    }

    @Test func `the recovery key brings one of the two back, and with it whom it let in since`() {
        let ledger = SmallLedger.mutualRemoval
        let graph = ledger.graph(ledger.events)
        #expect(graph.isMember(1.asReplica) && !graph.isMember(2.asReplica))
        #expect(graph.isMember(5.asReplica))
    }

    @Test func `an admission by another member brings no removed replica back`() {
        var ledger = SmallLedger.mutualRemoval
        ledger.events.removeAll { $0.author == SmallLedger.recovery }
        ledger.events.append(
            .init(author: SmallLedger.founder, position: 5, admits: 1, overrules: [34]))
        #expect(!ledger.graph(ledger.events).isMember(1.asReplica))
    }

    @Test func `a removal that a return does not name stands`() {
        var ledger = SmallLedger.mutualRemoval
        ledger.events.append(
            .init(author: SmallLedger.founder, position: 6, removes: 1, point: 9))
        #expect(!ledger.graph(ledger.events).isMember(1.asReplica))
    }

    @Test func `nobody removes the recovery key`() {
        var ledger = SmallLedger.mutualRemoval
        ledger.events.append(
            .init(
                author: SmallLedger.founder, position: 6, removes: SmallLedger.recovery, point: 0))
        let graph = ledger.graph(ledger.events)
        #expect(graph.isMember(1.asReplica) && graph.isMember(5.asReplica))
    }

    private static func id(_ number: UInt64) -> EventID {
        EventID(raw: Bytes32(a: number, b: 0, c: 0, d: 0))
    }

    @Test func `an admission counts that lies before every removal point of its author`() {
        let (founder, one, two) = (0.asReplica, 1.asReplica, 2.asReplica)
        let roots = MembershipGraph.Roots(founder: founder, recoveryKey: 9.asReplica)
        let (first, second) = (Self.id(1), Self.id(2))
        for before in [[Self.id(3)], [Self.id(4)], [], [Self.id(3), Self.id(4)]] {
            let graph = MembershipGraph(
                roots: roots,
                admissions: [
                    .init(id: first, author: founder, target: one),
                    .init(id: second, author: one, target: two),
                ],
                removals: [
                    .init(id: Self.id(3), author: founder, target: one),
                    .init(id: Self.id(4), author: founder, target: one),
                ]
            ) { _, removal in before.contains(removal) }
            let counts = before.count == 2
            #expect(graph.isMember(two) == counts && graph.known.contains(two))
            #expect(graph.effective == (counts ? [first, second] : [first]))
        }
    }

    @Test func `what the recovery key writes counts, whoever removes it`() {
        let (founder, recovery) = (0.asReplica, 9.asReplica)
        let graph = MembershipGraph(
            roots: .init(founder: founder, recoveryKey: recovery),
            admissions: [.init(id: Self.id(1), author: recovery, target: 7.asReplica)],
            removals: [.init(id: Self.id(2), author: founder, target: recovery)]
        ) { _, _ in false }
        #expect(graph.isMember(7.asReplica) && graph.effective == [Self.id(1)])
        #expect(graph.removals.isEmpty)
    }

    @Test func `without the founder's log nobody is known`() {
        let ledger = SmallLedger.mutualRemoval
        let graph = ledger.graph(ledger.events, hasRoots: false)
        #expect(graph.known.isEmpty && graph.members.isEmpty)
    }
}

/// A ledger of a few replicas with one log each; replicas are small numbers, and the position of
/// an event in its author's log is part of its name.
struct SmallLedger {
    static let founder = 0
    static let recovery = 9

    struct Action: Hashable {
        let author: Int
        let position: Int
        var admits: Int?
        var overrules: [Int] = []
        var removes: Int?
        /// How many events of the removed one's log were known.
        var point = 0

        var number: Int { author * 16 + position }
        var id: EventID { EventID(raw: Bytes32(a: UInt64(number), b: 0, c: 0, d: 0)) }
    }

    var events: [Action] = []

    init() {}

    init(seed: UInt64, events count: Int) {
        var random = SplitMix(seed: seed)
        for position in 0..<count {
            // The founder and the first replicas write more than the others.
            let author = random.pick([0, 0, 1, 1, 2, 2, 3, Self.recovery])
            let target = random.below(4)
            if random.below(3) == 0, author != Self.recovery {
                events.append(
                    Action(
                        author: author, position: position, removes: target,
                        point: random.below(count + 1)))
                continue
            }
            let removals = events.filter { $0.removes == target && random.below(3) > 0 }
            events.append(
                Action(
                    author: author, position: position, admits: target,
                    overrules: removals.map(\.number)))
        }
    }

    /// 1 and 2 remove each other; 1 let in 3 before and 5 after, 2 let in 4 before; the recovery
    /// key takes 1 back.
    static let mutualRemoval: SmallLedger = {
        var ledger = SmallLedger()
        let first = Action(author: 2, position: 2, removes: 1, point: 2)
        ledger.events = [
            Action(author: founder, position: 1, admits: 1),
            Action(author: founder, position: 2, admits: 2),
            Action(author: 1, position: 1, admits: 3),
            Action(author: 2, position: 1, admits: 4),
            Action(author: 1, position: 2, removes: 2, point: 2), first,
            Action(author: 1, position: 3, admits: 5),
            Action(author: recovery, position: 1, admits: 1, overrules: [first.number]),
        ]
        return ledger
    }()

    var subsets: [[Action]] {
        (0..<(1 << events.count)).map { bits in
            events.indices.filter { bits & (1 << $0) != 0 }.map { events[$0] }
        }
    }

    func words(_ subset: [Action]) -> String {
        subset.map { event in
            let what =
                event.removes.map { "removes \($0) from \(event.point) on" }
                ?? "admits \(event.admits ?? -1) over \(event.overrules)"
            return "\(event.author)/\(event.position) \(what)"
        }.joined(separator: ", ")
    }

    func graph(_ subset: [Action], hasRoots: Bool = true) -> MembershipGraph {
        var positions: [EventID: Int] = [:]
        var points: [EventID: Int] = [:]
        var admissions: [MembershipGraph.Admission] = []
        var removals: [MembershipGraph.Removal] = []
        for event in subset {
            positions[event.id] = event.position
            points[event.id] = event.point
            if let target = event.removes {
                removals.append(
                    .init(id: event.id, author: event.author.asReplica, target: target.asReplica))
            }
            if let target = event.admits {
                admissions.append(
                    .init(
                        id: event.id, author: event.author.asReplica, target: target.asReplica,
                        overrules: event.overrules.map(Self.id)))
            }
        }
        return MembershipGraph(
            roots: hasRoots
                ? .init(
                    founder: Self.founder.asReplica, recoveryKey: Self.recovery.asReplica) : nil,
            admissions: admissions, removals: removals
        ) { (admission, removal) in (positions[admission] ?? 99) < (points[removal] ?? 0) }
    }

    private static func id(_ number: Int) -> EventID {
        EventID(raw: Bytes32(a: UInt64(number), b: 0, c: 0, d: 0))
    }
}

/// The rules read aloud, with a fixpoint over everything until nothing changes.
struct Oracle {
    private(set) var known: Set<ReplicaID> = []
    private(set) var admitted: Set<ReplicaID> = []
    private(set) var members: Set<ReplicaID> = []

    init(_ ledger: SmallLedger, _ subset: [SmallLedger.Action]) {
        let roots: Set<Int> = [SmallLedger.founder, SmallLedger.recovery]
        var knownNumbers = roots
        var admittedNumbers = roots
        for _ in 0...subset.count {
            for event in subset where knownNumbers.contains(event.author) {
                if let target = event.admits { knownNumbers.insert(target) }
            }
        }
        // Which removals of a replica stand.
        func standing(_ replica: Int) -> [SmallLedger.Action] {
            guard replica != SmallLedger.recovery else { return [] }
            return subset.filter { removal in
                guard removal.removes == replica, knownNumbers.contains(removal.author) else {
                    return false
                }
                return !subset.contains {
                    $0.author == SmallLedger.recovery && $0.admits == replica
                        && $0.overrules.contains(removal.number)
                }
            }
        }
        for _ in 0...subset.count {
            for event in subset where admittedNumbers.contains(event.author) {
                guard let target = event.admits else { continue }
                let isVoid = standing(event.author).contains { event.position >= $0.point }
                if !isVoid { admittedNumbers.insert(target) }
            }
        }
        known = knownNumbers.asReplicas
        admitted = admittedNumbers.asReplicas
        members =
            admittedNumbers.filter {
                $0 != SmallLedger.recovery && standing($0).isEmpty
            }.asReplicas
    }
}

extension Int {
    fileprivate var asReplica: ReplicaID {
        ReplicaID(raw: Bytes32(a: 0, b: 0, c: 0, d: UInt64(self)))
    }
}

extension Collection<Int> {
    fileprivate var asReplicas: Set<ReplicaID> { Set(map(\.asReplica)) }
}

extension Array {
    /// All orders of a few elements.
    fileprivate var permutations: [[Element]] {
        guard let first else { return [[]] }
        return Array(dropFirst()).permutations.flatMap { rest in
            (0...rest.count).map { index in
                var order = rest
                order.insert(first, at: index)
                return order
            }
        }
    }
}

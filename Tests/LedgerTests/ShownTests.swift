import TestSupport
import Testing

@testable import Ledger

/// What was in force when a question opened: kept beside the question, and used for its answer.
@Suite struct ShownTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `an answer to a question that was overtaken is folded in without its past`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        var state = KeyState()
        var facts: [Fact] = []
        for row in 1...50 as ClosedRange<Int64> {
            let fact = fact(row, state, &random)
            let isFolded = state.apply(fact, blockers: [])
            #expect(isFolded, "row \(row)")
            facts.append(fact)
            #expect(state == KeyState.fold(facts), "row \(row)")
            #expect(try KeyState(storedBytes: state.storedBytes) == state)
        }
    }

    private func fact(_ row: Int64, _ state: KeyState, _ random: inout SplitMix) -> Fact {
        let bytes = (0..<32).map { _ in UInt8(random.below(256)) }
        var fact = Fact(
            id: EventID(raw: Bytes32(bytes) ?? .zero), row: row,
            timestamp: Timestamp(value: UInt64(random.below(1_000_000))), replaces: [],
            tag: .none, key: nil, role: .promptAsked(variant: .full))
        let kind = random.below(5)
        guard kind > 1 else { return fact }
        let statuses = [PermissionStatus.denied, .authorized, .limited]
        let isAct = kind > 2
        let status = random.pick(statuses)
        var replaces = state.inForce.map(\.id)
        if kind == 4, !state.openAsks.isEmpty {
            let ask = random.pick(state.openAsks)
            fact.answers = ask
            replaces = state.shownIDs(at: ask) ?? replaces
        }
        fact = Fact(
            id: fact.id, row: row, timestamp: fact.timestamp, replaces: replaces,
            answers: fact.answers, tag: .none, key: nil,
            role: .decides(
                Fact.Decision(
                    status: status, extent: .full, authority: isAct ? .person : .system,
                    end: random.below(4) == 0 && status.isGranting ? 1_000 : nil,
                    revision: isAct ? Revision("\(random.below(9))") : nil, isAct: isAct,
                    isDoubtful: false)))
        return fact
    }

    @Test func `rivals beyond a few are not kept beside each question`() throws {
        var random = SplitMix(seed: 1)
        var state = KeyState()
        var facts: [Fact] = []
        func add(_ fact: Fact) {
            let isFolded = state.apply(fact, blockers: [])
            #expect(isFolded)
            facts.append(fact)
        }
        let rival = Fact.Decision(
            status: .denied, extent: .full, authority: .person, isAct: true, isDoubtful: false)
        for row in 1...6 as ClosedRange<Int64> {
            let bytes = (0..<32).map { _ in UInt8(random.below(256)) }
            add(
                Fact(
                    id: EventID(raw: try #require(Bytes32(bytes))), row: row,
                    timestamp: Timestamp(value: 1), replaces: [], tag: .none, key: nil,
                    role: row == 5 ? .promptAsked(variant: .full) : .decides(rival)))
        }
        #expect(state.shownIDs(at: state.openAsks[0])?.count == 4)
        for row in 7...8 as ClosedRange<Int64> {
            let bytes = (0..<32).map { _ in UInt8(random.below(256)) }
            add(
                Fact(
                    id: EventID(raw: try #require(Bytes32(bytes))), row: row,
                    timestamp: Timestamp(value: 1), replaces: [], tag: .none, key: nil,
                    role: row == 7 ? .promptAsked(variant: .full) : .decides(rival)))
        }
        #expect(state.openAsks.compactMap { state.shownIDs(at: $0) }.count == 1)
        #expect(state == KeyState.fold(facts))
    }

    @Test func `an answer replaces what was shown after the ledger was closed and opened`() throws {
        let test = try TestLedger()
        let camera = StatusQuery("me", resource: "camera", at: phone)
        let grant = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let ask = try test.ledger.append(.promptAsked("me", resource: "camera", at: phone))
        try test.ledger.rebuild()
        try test.ledger.close()
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        let seen = try ledger.append(.observed("me", resource: "camera", at: phone, .denied))
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = ask.event.id
        let given = try ledger.append(answer)
        #expect(given.event.header.replaces == [grant.event.id])
        let status = try ledger.status(camera)
        #expect(status.evidence == [seen.event.id, given.event.id].sorted())
        #expect(status.status == .denied)
        #expect(try ledger.verify().findings == [])
    }

    @Test func `events that rest on nothing are taken in although their subject was not read`()
        throws
    {
        let test = try TestLedger()
        let grant = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try test.ledger.close()
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        try ledger.append(.primerShown("me", resource: "camera", at: phone))
        try ledger.withCore { (core) throws(LedgerError) in try core.flush(all: true) }
        #expect(try ledger.verify().findings == [])
        try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        #expect(status.isPending)
        #expect(status.promptsAsked == 2)
        #expect(status.primersShown == 1)
        #expect(status.evidence == [grant.event.id])
        let digest = try ledger.projectionDigest()
        try ledger.rebuild()
        #expect(try ledger.projectionDigest() == digest)
    }
}

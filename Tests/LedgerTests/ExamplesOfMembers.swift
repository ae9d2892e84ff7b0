import TestSupport
import Testing

@testable import Ledger

/// Events about members, as another replica may have written them; the lines also stand in the
/// documentation of the types.
@Suite struct ExamplesOfMembers {
    private let ledger: Ledger
    private let test: TestLedger
    private var other: ForeignLog

    init() throws {
        test = try TestLedger()
        ledger = test.ledger
        other = try ForeignLog(joining: test.ledger)
    }

    /// Takes the other replica's log in and finds its events of a kind.
    private func events(_ kind: EventKind) throws -> [Event] {
        for result in try ledger.ingest([try other.interval()]) { _ = try result.get() }
        var filter = HistoryFilter()
        filter.kinds = [kind]
        var events: [Event] = []
        try ledger.history(filter) { entry in
            events.append(entry.event)
            return true
        }
        return events
    }

    @Test mutating func `an admission names the replica for people`() throws {
        let tablet = try #require(ledger.replica)
        let admission = MemberAdmission(replica: tablet, name: "tablet")
        try other.add(.memberAdmitted, admission.encoded, tag: .none)
        var names: [ReplicaID: String] = [:]
        for event in try events(.memberAdmitted) {
            if case .admission(let admission) = event.content {
                names[admission.replica] = admission.name ?? admission.replica.short
            }
        }
        #expect(names[tablet] == "tablet")
    }

    @Test mutating func `a removal says how far the removed replica's logs still count`() throws {
        let tablet = try #require(ledger.replica)
        let log = try #require(ledger.log)
        var fields = FieldWriter()
        fields.bytes(40, tablet.raw)
        fields.value(
            52, .array([.array([.bytes(log.bytes), .unsigned(300), .bytes(Bytes32.zero.bytes)])]))
        fields.number(53, 1)
        fields.value(54, .array([.array([.bytes(tablet.bytes), .bytes([1, 2, 3])])]))
        try other.add(.memberRemoved, fields.finish(), tag: .none)

        var limits: [LogID: UInt64] = [:]
        var remaining: [ReplicaID] = []
        for event in try events(.memberRemoved) {
            guard case .removal(let removal) = event.content else { continue }
            let points: [MemberRemoval.Point] = removal.points
            let keys: [MemberRemoval.SealedKey] = removal.sealedKeys
            for point in points { limits[point.log] = point.size }
            remaining += keys.map(\.replica)
        }
        #expect(limits == [log: 300] && remaining == [tablet])
    }

    @Test func `a list of members says what each of them is and how far it counts`() throws {
        let tablet = try test.joined()
        let replica = try #require(tablet.ledger.replica)
        try ledger.rename(replica, name: "tablet")
        try Exchange.pull(from: tablet.ledger, into: ledger)
        try ledger.remove(replica)
        var lines: [String] = []
        let members: [Member] = try ledger.members()
        for member in members where member.standing == .removed {
            let removals: [Member.Removal] = member.removals
            let reach = removals.flatMap(\.points).map(\.size).max() ?? 0
            lines.append("\(member.name ?? member.replica.short) counts up to event \(reach)")
        }
        #expect(lines == ["tablet counts up to event 1"])
        let standing: Member.Standing = try ledger.standing(of: replica)
        #expect(standing == .removed)
    }

    @Test func `a stranger whose log was offered can be admitted`() throws {
        let tablet = try test.stranger()
        try Exchange.pull(from: tablet.ledger, into: ledger)
        let strangers: [Stranger] = try ledger.strangers()
        for stranger in strangers { try ledger.admit(stranger.replica, name: "tablet") }
        #expect(try ledger.members().map(\.name) == [nil, nil, "tablet"])
        try Exchange.pull(from: tablet.ledger, into: ledger)
        #expect(try ledger.strangers().isEmpty && ledger.tips().count == 2)
    }
}

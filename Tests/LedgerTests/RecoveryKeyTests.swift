import TestSupport
import Testing

@testable import Ledger

/// Removals that only the recovery key undoes.
@Suite struct RecoveryKeyTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)
    private let grant = Draft.allowed("me", resource: "camera", at: phone)
    private let test: TestLedger
    private let key: RecoveryKey

    init() throws {
        test = try TestLedger()
        key = try #require(test.recoveryKey)
    }

    @Test func `it brings a removed replica back, with all that it wrote`() throws {
        let tablet = try test.joined()
        let replica = try #require(tablet.ledger.replica)
        try Exchange.merge(test.ledger, tablet.ledger)
        try test.ledger.remove(replica)
        try tablet.ledger.append(grant)
        try Exchange.merge(test.ledger, tablet.ledger)
        #expect(try test.ledger.status(camera).status == .notDetermined)
        #expect(throws: LedgerError(.conflict, "")) { try test.ledger.admit(replica) }

        let receipt = try test.ledger.admit(replica, name: "tablet", with: key)
        #expect(receipt.isNew)
        #expect(try !test.ledger.admit(replica, with: key).isNew)
        #expect(try test.ledger.standing(of: replica) == .member)
        #expect(try test.ledger.status(camera).status == .authorized)
        try Exchange.merge(test.ledger, tablet.ledger)
        for one in [test, tablet] {
            let member = try #require(try one.ledger.members().first { $0.replica == replica })
            #expect(member.removals.map(\.isOverruled) == [true] && member.name == "tablet")
            #expect(try one.ledger.verify().findings == [])
        }
        #expect(try test.ledger.projectionDigest() == tablet.ledger.projectionDigest())
        #expect(try test.ledger.stateDigest() == tablet.ledger.stateDigest())
    }

    @Test func `two devices that removed each other agree, and one comes back`() throws {
        let tablet = try test.joined()
        let desk = try test.joined()
        try Exchange.merge(test.ledger, tablet.ledger)
        try Exchange.merge(test.ledger, desk.ledger)
        let (left, right) = (try #require(tablet.ledger.replica), try #require(desk.ledger.replica))
        try Exchange.merge(tablet.ledger, desk.ledger)
        let before = try test.stranger()
        let after = try test.stranger()
        try tablet.ledger.admit(try #require(before.ledger.replica))
        try Exchange.merge(tablet.ledger, desk.ledger)
        try tablet.ledger.remove(right)
        try desk.ledger.remove(left)
        try after.ledger.append(grant)
        // Written before the removal of the tablet reaches it.
        try tablet.ledger.admit(try #require(after.ledger.replica))
        let all = [test, tablet, desk, before, after]
        for _ in 0..<2 {
            for source in all {
                for target in all where source.path != target.path {
                    try Exchange.pull(from: source.ledger, into: target.ledger)
                }
            }
        }
        for one in all {
            #expect(try one.ledger.standing(of: left) == .removed)
            #expect(try one.ledger.standing(of: right) == .removed)
            #expect(try one.ledger.standing(of: try #require(before.ledger.replica)) == .member)
            #expect(try one.ledger.standing(of: try #require(after.ledger.replica)) == .known)
            #expect(try one.ledger.status(camera).status == .notDetermined)
            #expect(try one.ledger.projectionDigest() == test.ledger.projectionDigest())
            #expect(try one.ledger.verify().findings == [])
        }
        try test.ledger.admit(left, with: key)
        #expect(try test.ledger.standing(of: right) == .removed)
        #expect(try test.ledger.standing(of: try #require(after.ledger.replica)) == .member)
        #expect(try test.ledger.status(camera).status == .authorized)
    }

    @Test func `without the founder's machine it admits the next one`() throws {
        let tablet = try test.joined()
        try Exchange.merge(test.ledger, tablet.ledger)
        let founder = try #require(test.ledger.replica)
        try test.ledger.close()
        let desk = try tablet.stranger()
        let replica = try #require(desk.ledger.replica)
        #expect(throws: LedgerError(.notFound, "")) { try desk.ledger.admit(replica, with: key) }
        try Exchange.pull(from: tablet.ledger, into: desk.ledger)
        #expect(throws: LedgerError(.notMember, "")) { try desk.ledger.admit(replica) }
        try desk.ledger.admit(replica, name: "desk", with: key)
        try desk.ledger.remove(founder)
        try desk.ledger.append(grant)
        try Exchange.merge(tablet.ledger, desk.ledger)
        #expect(try tablet.ledger.status(camera).status == .authorized)
        #expect(try tablet.ledger.standing(of: founder) == .removed)
        #expect(try tablet.ledger.members().first { $0.replica == replica }?.name == "desk")
        #expect(try tablet.ledger.projectionDigest() == desk.ledger.projectionDigest())
    }

    @Test func `another ledger's key is refused, and a mistyped one not repeated`() throws {
        let other = try #require(try TestLedger().recoveryKey)
        let tablet = try test.joined()
        let replica = try #require(tablet.ledger.replica)
        #expect(throws: LedgerError(.invalid, "")) {
            try test.ledger.admit(replica, with: other)
        }
        #expect(try RecoveryKey("\(key)\n") == key)
        for text in ["", "\(key)a", String(key.description.dropLast()), "\(key) \(key)"] {
            #expect(throws: LedgerError(.malformed, "")) { try RecoveryKey(text) }
        }
    }

    @Test func `a member that was removed can admit nobody`() throws {
        let tablet = try test.joined()
        try Exchange.merge(test.ledger, tablet.ledger)
        try test.ledger.remove(try #require(tablet.ledger.replica))
        try Exchange.merge(test.ledger, tablet.ledger)
        let other = try #require(try test.stranger().ledger.replica)
        #expect(throws: LedgerError(.notMember, "")) { try tablet.ledger.admit(other) }
    }

    @Test func `a name is the last one given, and saying it again writes nothing`() throws {
        let tablet = try test.joined()
        let replica = try #require(tablet.ledger.replica)
        #expect(try test.ledger.rename(replica, name: "tablet").isNew)
        #expect(try !test.ledger.rename(replica, name: "tablet").isNew)
        #expect(try test.ledger.rename(replica, name: "slate").isNew)
        let members = try test.ledger.members()
        #expect(members.map(\.standing) == [.founder, .member])
        #expect(members[1].name == "slate" && members[1].admittedBy == test.ledger.replica)
        #expect(throws: LedgerError(.invalid, "")) {
            try test.ledger.rename(replica, name: "bad\u{1B}[2J")
        }
        let stranger = try #require(try test.stranger().ledger.replica)
        #expect(throws: LedgerError(.notFound, "")) {
            try test.ledger.rename(stranger, name: "nobody")
        }
        #expect(throws: LedgerError(.notFound, "")) { try test.ledger.remove(stranger) }
    }
}

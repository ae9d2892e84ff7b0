import TestSupport
import Testing

@testable import Ledger

/// Tokens: who made them, who may use them, how often and for how long.
@Suite struct InvitationTests {
    private let test: TestLedger

    init() throws { test = try TestLedger() }

    private func request(_ other: TestLedger, _ invitation: Invitation) throws -> JoinRequest {
        try other.ledger.joinRequest(try #require(invitation.pass))
    }

    private func redeem(
        _ other: TestLedger, _ invitation: Invitation, at ledger: Ledger? = nil
    ) throws -> JoinOutcome? {
        try (ledger ?? test.ledger).redeem(try request(other, invitation))
    }

    private func state(_ place: Int = 0) throws -> IssuedInvitation.State {
        try test.ledger.invitations()[place].state
    }

    @Test func `a string carries all it was made of, in either case`() throws {
        let made = try test.ledger.invite(
            name: "tablet", milliseconds: 1000,
            addresses: ["phone.example:7777", "[2001:db8::1]:7777"])
        for text in [made.text, made.text.uppercased()] {
            #expect(try Invitation(text) == made)
        }
        #expect(made.expires == test.clock.milliseconds + 1000)
        let bare = try test.ledger.invitation()
        #expect(try Invitation(bare.text) == bare && bare.expires == nil)
    }

    @Test func `a string that was cut or altered is told as such`() throws {
        let text = try test.ledger.invite(addresses: ["phone.example:7777"]).text
        for count in 0..<text.utf8.count {
            #expect(throws: LedgerError(.malformed, "")) {
                try Invitation(String(text.prefix(count)))
            }
        }
        let characters = Array(text)
        for place in characters.indices {
            var altered = characters
            altered[place] = altered[place] == "b" ? "c" : "b"
            #expect(throws: LedgerError(.malformed, "")) { try Invitation(String(altered)) }
        }
        #expect(throws: LedgerError(.malformed, "")) { try Invitation(text + "a") }
        #expect(throws: LedgerError(.malformed, "")) { try Invitation("ledger1-aaaa") }
    }

    /// A right checksum over bytes that are not right.
    @Test func `rubbish with a right checksum is refused and never traps`() throws {
        var random = SplitMix(seed: 7)
        let good = try #require(
            Base32.decode(String(try test.ledger.invite(addresses: ["a:1"]).text.dropFirst(8))))
        for round in 0..<2000 {
            var bytes = Array(good.dropLast(4))
            switch round % 3 {
            case 0: bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count))))
            case 1:
                bytes += (0..<random.next() % 40).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            default:
                let place = 80 + Int(random.next() % UInt64(bytes.count - 80))
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let check = try Crypto.sha256(bytes).bytes.prefix(4)
            let text = "ledger2-" + Base32.encode(bytes + check)
            if let read = try? Invitation(text) { #expect(read.text == text) }
        }
    }

    @Test func `whoever comes first is admitted under the name, and once`() throws {
        let invitation = try test.ledger.invite(name: "tablet")
        #expect(try state() == .waiting)
        let (tablet, other) = (try test.stranger(), try test.stranger())
        #expect(try redeem(tablet, invitation) == .admitted)
        let id = try #require(tablet.ledger.replica)
        let member = try #require(try test.ledger.members().first { $0.replica == id })
        #expect(member.standing == .member && member.name == "tablet")
        #expect(try state() == .used)
        #expect(try test.ledger.invitations()[0].replica == id)
        #expect(try redeem(other, invitation) == .used)
        #expect(try test.ledger.standing(of: try #require(other.ledger.replica)) == .unknown)
    }

    @Test func `the same replica hears the same again, and nothing is written twice`() throws {
        let invitation = try test.ledger.invite()
        let tablet = try test.stranger()
        #expect(try redeem(tablet, invitation) == .admitted)
        let digest = try test.ledger.stateDigest()
        #expect(try redeem(tablet, invitation) == .admitted)
        #expect(try test.ledger.stateDigest() == digest)
        try test.ledger.remove(try #require(tablet.ledger.replica))
        #expect(try redeem(tablet, invitation) == .removed)
        #expect(try redeem(tablet, try test.ledger.invite()) == .removed)
        #expect(try state() == .waiting)
    }

    @Test func `an expired token says so, and a clock set back does not revive it`() throws {
        let invitation = try test.ledger.invite(milliseconds: 60_000)
        let tablet = try test.stranger()
        test.clock.advance(milliseconds: 60_000)
        #expect(try redeem(tablet, invitation) == .expired)
        #expect(try state() == .expired)
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        test.clock.advance(milliseconds: -60_000)
        #expect(try redeem(tablet, invitation) == .expired)
        #expect(try test.ledger.standing(of: try #require(tablet.ledger.replica)) == .unknown)
    }

    @Test func `a revoked token says so`() throws {
        let invitation = try test.ledger.invite()
        let id = try test.ledger.invitations()[0].id
        #expect(invitation.id == id)
        #expect(try test.ledger.revokeInvitation(id))
        #expect(try !test.ledger.revokeInvitation(id))
        #expect(throws: LedgerError(.notFound, "")) { try test.ledger.revokeInvitation("aaaa") }
        #expect(try redeem(try test.stranger(), invitation) == .revoked)
    }

    @Test func `only the inviter takes its token, and a stranger's costs no write`() throws {
        let other = try test.joined()
        try Exchange.pull(from: test.ledger, into: other.ledger)
        let invitation = try test.ledger.invite()
        let tablet = try test.stranger()
        let digest = try other.ledger.stateDigest()
        let mark = try other.ledger.changeMark()
        #expect(try redeem(tablet, invitation, at: other.ledger) == nil)
        #expect(try other.ledger.changeMark() == mark)
        #expect(try other.ledger.stateDigest() == digest)
        let made = JoinRequest(
            replica: try #require(tablet.ledger.replica), sealingKey: .zero, token: .zero)
        #expect(try test.ledger.redeem(made) == nil)
        // Not even a lock is taken: one that cannot be written says the same.
        let reader = try Ledger(openAt: other.path, access: .readOnly)
        #expect(try redeem(tablet, invitation, at: reader) == nil)
    }

    @Test func `who is no member invites nobody, and who was removed admits nobody`() throws {
        let stranger = try test.stranger()
        #expect(throws: LedgerError(.notMember, "")) { try stranger.ledger.invite() }
        let desk = try test.joined()
        try Exchange.pull(from: test.ledger, into: desk.ledger)
        let invitation = try desk.ledger.invite()
        try test.ledger.remove(try #require(desk.ledger.replica))
        try Exchange.pull(from: test.ledger, into: desk.ledger)
        #expect(try redeem(try test.stranger(), invitation, at: desk.ledger) == .powerless)
    }

    @Test func `an invitation is checked when it is made`() throws {
        for milliseconds in [0, -1, 367 * 86_400_000] as [Int64] {
            #expect(throws: LedgerError(.invalid, "")) {
                try test.ledger.invite(milliseconds: milliseconds)
            }
        }
        for address in ["", "nocolon", "a b:1", String(repeating: "a", count: 255) + ":1", "ä:1"] {
            #expect(throws: LedgerError(.invalid, "")) {
                try test.ledger.invite(addresses: [address])
            }
        }
        #expect(throws: LedgerError(.invalid, "")) {
            try test.ledger.invite(addresses: [String](repeating: "a:1", count: 9))
        }
        #expect(throws: LedgerError(.invalid, "")) { try test.ledger.invite(name: "") }
        #expect(try test.ledger.invitations() == [])
    }

    @Test func `the table holds no token, and only so many rows`() throws {
        let invitation = try test.ledger.invite(name: "tablet")
        let token = try #require(invitation.pass).token
        #expect(try redeem(try test.stranger(), invitation) == .admitted)
        try test.ledger.close()
        for name in ["ledger.db", "ledger.db-wal"] {
            guard let bytes = SmallFile.read("\(test.path)/\(name)", max: 1 << 24) else { continue }
            #expect(!bytes.contains(sequence: token.bytes))
        }
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        for _ in 0..<1024 { _ = try ledger.invite(milliseconds: 10) }
        #expect(throws: LedgerError(.limit, "")) { try ledger.invite() }
        test.clock.advance(milliseconds: 10)
        _ = try ledger.invite()
        let all = try ledger.invitations()
        #expect(all.count == 1024 && all[0].state == .waiting)
    }

    @Test func `a state that was put back takes none of its tokens any more`() throws {
        let invitation = try test.ledger.invite()
        let (one, two, three) = (try test.stranger(), try test.stranger(), try test.stranger())
        try test.ledger.close()
        let copy = test.directory.path + "/copy"
        StateFiles.copy(test.path, to: copy)
        let restored = try Ledger(openAt: copy, environment: test.clock.environment)
        #expect(try redeem(one, invitation, at: restored) == .revoked)
        #expect(try restored.invitations()[0].state == .revoked)
        // The one that stayed where it was goes on.
        let here = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try redeem(two, invitation, at: here) == .admitted)
        // And a new one of the copy's own is good there.
        #expect(try redeem(three, try restored.invite(), at: restored) == .admitted)
    }

    @Test func `what joined keeps its invitation until it is a member`() throws {
        let invitation = try test.ledger.invite()
        let directory = test.directory.path + "/tablet"
        let tablet = try Ledger.join(
            invitation, at: directory, environment: test.clock.environment)
        #expect(try tablet.pendingInvitation() == invitation)
        let next = try test.ledger.invite()
        try tablet.take(next)
        #expect(try tablet.pendingInvitation() == next)
        let foreign = try TestLedger()
        #expect(throws: LedgerError(.conflict, "")) { try tablet.take(try foreign.ledger.invite()) }
        let pass = try #require(next.pass)
        #expect(try test.ledger.redeem(try tablet.joinRequest(pass)) == .admitted)
        try Exchange.pull(from: test.ledger, into: tablet)
        #expect(try tablet.pendingInvitation() == nil)
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        guard count >= sequence.count, let first = sequence.first else { return false }
        return (0...(count - sequence.count)).contains {
            self[$0] == first && self[$0..<($0 + sequence.count)].elementsEqual(sequence)
        }
    }
}

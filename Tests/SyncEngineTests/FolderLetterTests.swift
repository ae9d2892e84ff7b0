import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// Joining, and keys for who remains after a removal, through a folder alone.
@Suite struct FolderLetterTests {
    private let test: TestLedger
    private let folder: TemporaryFolder

    init() throws {
        test = try TestLedger()
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func sync(_ ledger: Ledger) throws -> FolderReport {
        try DropFolder(folder.path, of: ledger).sync()
    }

    private func sync(all ledgers: Ledger..., times: Int = 2) throws {
        for _ in 0..<times { for ledger in ledgers { try sync(ledger) } }
    }

    private func joining(_ invitation: Invitation, _ name: String = "tablet") throws -> Ledger {
        try Ledger.join(
            invitation, at: "\(test.directory.path)/\(name)", environment: test.clock.environment)
    }

    private func standing(_ ledger: Ledger) throws -> Member.Standing {
        try test.ledger.standing(of: try #require(ledger.replica))
    }

    /// The letters in the folder whose names begin so.
    private func letters(_ prefix: String) throws -> [String] {
        try folder.files().filter {
            $0.split(separator: "/").last?.hasPrefix("\(prefix)-") ?? false
        }
    }

    @Test(arguments: [63, 64]) func `no more than 64 keys that others left are tried`(
        before: Int
    ) throws {
        let own = try #require(test.ledger.replica)
        let sealing = try #require(
            try ReplicaKeys(readFrom: test.path + "/replica.key")?.sealing.publicKey)
        let name = FolderKeyShare.Name(
            recipient: own, generation: 9, removal: EventID(raw: .zero))
        let context = FolderSecret.context(
            test.ledger.id, own, generation: 9, removal: name.removal)
        let good = FolderKeyShare(
            name,
            sealed: try SealedBox.seal(
                [UInt8](repeating: 6, count: 32), to: sealing, context: context,
                ephemeral: try Crypto.random(32)))
        let bad = FolderKeyShare(name, sealed: [UInt8](repeating: 1, count: SealedBox.length))
        let shares = Array(repeating: bad, count: before) + [good]
        var pass = FolderPass(
            FolderMemory(), at: 0, .everything, auditBytes: 0, bytesMax: .max)
        pass.letters = [FoundLetter(key: "k", name: "k", letter: .keys(shares), isOwn: false)]
        let found = try DropFolder(folder.path, of: test.ledger).keys(of: 9, pass)
        #expect(found.count == (before < 64 ? 1 : 0))
    }

    // MARK: Joining

    @Test func `who asks through the folder is admitted when the inviter comes by`() throws {
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let other = try test.joined()
        try sync(all: test.ledger, other.ledger)
        let invitation = try test.ledger.invite(name: "tablet")
        let tablet = try joining(invitation)
        #expect(try sync(tablet).isAsking)
        #expect(try sync(tablet).isAsking)
        #expect(try letters("j").count == 1)
        // Somebody else passes by.
        let passing = try sync(other.ledger)
        #expect(passing.requestsToOthers == 1 && passing.admitted.isEmpty)
        #expect(passing.setAside.allSatisfy { $0.reason.code == .unknownAuthor })
        #expect(try standing(tablet) == .unknown)
        let answered = try sync(test.ledger)
        #expect(answered.admitted == [try #require(tablet.replica)] && answered.isComplete)
        #expect(try sync(test.ledger).admitted.isEmpty)
        let report = try sync(tablet)
        #expect(!report.isAsking && report.isComplete && report.eventsImported > 0)
        #expect(try letters("j").isEmpty && letters("a").isEmpty)
        try sync(all: test.ledger, other.ledger, tablet)
        #expect(try tablet.stateDigest() == test.ledger.stateDigest())
        #expect(try tablet.members().contains { $0.name == "tablet" && $0.standing == .member })
    }

    @Test func `the token cannot be read out of the folder`() throws {
        let invitation = try test.ledger.invite()
        try sync(try joining(invitation))
        let token = try #require(invitation.pass).token.bytes
        for path in try folder.files() {
            let bytes = StateFiles.read(path)
            guard bytes.count >= 16 else { continue }
            #expect(
                !(0...(bytes.count - 16)).contains { bytes[$0..<($0 + 16)].elementsEqual(token) })
        }
    }

    @Test(arguments: [JoinOutcome.used, .expired, .revoked, .removed])
    func `a token that is not good is answered with the reason`(outcome: JoinOutcome) throws {
        let invitation = try test.ledger.invite()
        let tablet = try joining(invitation)
        try sync(tablet)
        switch outcome {
        case .used:
            let first = try joining(invitation, "first")
            let pass = try #require(invitation.pass)
            #expect(try test.ledger.redeem(try first.joinRequest(pass)) == .admitted)
        case .expired: test.clock.advance(days: 2)
        case .removed:
            let id = try #require(tablet.replica)
            try test.ledger.admit(id)
            try test.ledger.remove(id)
        default: try test.ledger.revokeInvitation(try #require(invitation.id))
        }
        let report = try sync(test.ledger)
        #expect(report.requestsRefused == 1 && report.admitted.isEmpty)
        #expect(try sync(test.ledger).requestsRefused == 0)
        #expect(try letters("a").count == 1)
        let told = try sync(tablet)
        let codes: [JoinOutcome: SyncError.Code] = [
            .used: .invitationUsed, .expired: .invitationExpired, .revoked: .invitationRevoked,
            .removed: .refused,
        ]
        #expect(told.joinFailure?.code == codes[outcome] && !told.isComplete)
        #expect(try letters("j").isEmpty)
        // Told once; the inviter takes its answer away when nobody asks any more.
        #expect(try sync(tablet).joinFailure == nil)
        try sync(test.ledger)
        #expect(try letters("a").isEmpty)
        #expect(try standing(tablet) != .member)
    }

    @Test func `requests that are damaged, foreign, repeated or renamed do no harm`() throws {
        let invitation = try test.ledger.invite()
        let tablet = try joining(invitation)
        try sync(tablet)
        let path = try #require(try letters("j").first)
        let good = StateFiles.read(path)
        StateFiles.remove(path)
        let place = "\(folder.path)/cl-\(test.ledger.id)"
        StateFiles.write(Array(good.dropLast(30)), to: "\(place)/cut.clj")
        var flipped = good
        flipped[100] ^= 1
        StateFiles.write(flipped, to: "\(place)/flipped.clj")
        // A right trailer over changed content: another replica's id, another token's digest.
        for (name, offset) in [("replica", 60), ("key", 90), ("digest", 130), ("sealed", 200)] {
            var changed = Array(good.dropLast(SegmentTrailer.length))
            changed[offset] ^= 1
            try SegmentTrailer.append(to: &changed)
            StateFiles.write(changed, to: "\(place)/\(name).clj")
        }
        let foreign = try TestLedger()
        let request = try #require(try tablet.sealJoinRequest())
        StateFiles.write(
            try FolderLetter.request(request).encoded(for: foreign.ledger.id),
            to: "\(place)/foreign.clj")
        let report = try sync(test.ledger)
        let named = Set(report.setAside.compactMap(\.file).filter { $0.hasSuffix(".clj") })
        #expect(report.admitted.isEmpty && named.count == 7)
        #expect(named.contains("cut.clj") && named.contains("foreign.clj"))
        #expect(try standing(tablet) == .unknown)
        #expect(try test.ledger.invitations()[0].state == .waiting)
        // Two copies under other names: one admission.
        StateFiles.write(good, to: "\(place)/j-conflicted copy.clj")
        StateFiles.write(good, to: "\(folder.path)/elsewhere")
        #expect(try sync(test.ledger).admitted.count == 1)
        #expect(try standing(tablet) == .member)
        let digest = try test.ledger.stateDigest()
        #expect(try sync(test.ledger).admitted.isEmpty)
        try sync(tablet)
        #expect(try test.ledger.stateDigest() == digest)
        // Nothing of others was removed.
        #expect(try folder.files().contains("\(folder.path)/elsewhere"))
    }

    @Test func `nobody but the inviter can answer`() throws {
        let invitation = try test.ledger.invite()
        let tablet = try joining(invitation)
        try sync(tablet)
        let asked = try #require(try tablet.sealJoinRequest())
        // Whoever reads the folder knows this much.
        let forged = JoinRequest(
            replica: asked.replica, sealingKey: asked.sealingKey, token: .zero)
        let answer = try #require(try test.ledger.seal(.revoked, to: forged))
        let letter = FolderLetter.answer(
            SealedJoinAnswer(
                inviter: answer.inviter, replica: answer.replica, digest: asked.digest,
                sealed: answer.sealed))
        StateFiles.write(
            try letter.encoded(for: test.ledger.id), to: "\(folder.path)/a-forged.cla")
        let report = try sync(tablet)
        #expect(report.isAsking && report.joinFailure == nil)
        try sync(all: test.ledger, tablet)
        #expect(try standing(tablet) == .member)
    }

    @Test func `a letter comes back as it was, and rubbish never traps`() throws {
        var random = SplitMix(seed: 11)
        let id = test.ledger.id
        let bytes = { (count: Int) in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }
        let replica = try #require(test.ledger.replica)
        let removal = EventID(raw: try #require(Bytes32(bytes(32))))
        let name = FolderKeyShare.Name(recipient: replica, generation: 3, removal: removal)
        let letters: [FolderLetter] = [
            .keys([]),
            .keys([
                FolderKeyShare(name, sealed: bytes(80)), FolderKeyShare(name, sealed: bytes(80)),
            ]),
            .request(
                SealedJoinRequest(
                    inviter: replica, replica: replica, sealingKey: .zero, digest: .zero,
                    sealed: bytes(80))),
            .answer(
                SealedJoinAnswer(
                    inviter: replica, replica: replica, digest: .zero, sealed: bytes(80))),
        ]
        for letter in letters {
            let file = try letter.encoded(for: id)
            #expect(try FolderLetter(file, of: id) == letter)
            #expect(FolderLetter.isOne(file))
            for count in 0..<file.count {
                #expect(throws: SyncError(.incomplete, "")) {
                    try FolderLetter(Array(file.prefix(count)), of: id)
                }
            }
            for _ in 0..<500 {
                var changed = Array(file.dropLast(SegmentTrailer.length))
                for _ in 0..<Int.random(in: 1...3, using: &random) where !changed.isEmpty {
                    let place = Int.random(in: 0..<changed.count, using: &random)
                    changed[place] = UInt8.random(in: 0...255, using: &random)
                }
                changed.removeLast(Int.random(in: 0...min(3, changed.count), using: &random))
                try SegmentTrailer.append(to: &changed)
                if let read = try? FolderLetter(changed, of: id) {
                    #expect(try read.encoded(for: id) == changed)
                }
            }
        }
    }

    // MARK: Keys

    /// Who may open what lies in the folder with what it knows.
    private func opened(_ ledger: Ledger) throws -> (whole: Int, otherKey: Int) {
        let status = try DropFolder(folder.path, of: ledger).status()
        return (
            status.published.reduce(0) { $0 + $1.segments },
            status.setAside.count { $0.reason.code == .otherKey }
        )
    }

    @Test func `after a removal the others go on through the folder, and the removed cannot`()
        throws
    {
        let (tablet, thief) = (try test.joined(), try test.joined())
        try sync(all: test.ledger, tablet.ledger, thief.ledger)
        #expect(try letters("k").isEmpty)
        try test.ledger.remove(try #require(thief.ledger.replica))
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try sync(all: test.ledger, tablet.ledger)
        #expect(try tablet.ledger.stateDigest() == test.ledger.stateDigest())
        #expect(try opened(test.ledger).otherKey == 0 && opened(tablet.ledger).otherKey == 0)
        let before = try thief.ledger.stateDigest()
        let report = try sync(thief.ledger)
        #expect(report.setAside.contains { $0.reason.code == .otherKey })
        #expect(report.eventsImported == 0)
        #expect(try thief.ledger.stateDigest() == before)
        try tablet.ledger.append(.denied("me", resource: "location", at: phone))
        try sync(all: tablet.ledger, test.ledger)
        #expect(try tablet.ledger.stateDigest() == test.ledger.stateDigest())
        #expect(try opened(thief.ledger).otherKey >= 2)
        // Nothing more is written once everybody has the key.
        let keys = try letters("k")
        try sync(all: test.ledger, tablet.ledger)
        #expect(try letters("k") == keys)
    }

    @Test func `who joins through the folder after a removal reads everything in it`() throws {
        let thief = try test.joined()
        try sync(all: test.ledger, thief.ledger)
        try test.ledger.remove(try #require(thief.ledger.replica))
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try sync(test.ledger)
        let invited = try joining(try test.ledger.invite(), "invited")
        try sync(all: invited, test.ledger, invited, times: 1)
        #expect(try invited.stateDigest() == test.ledger.stateDigest())
        #expect(try opened(invited).otherKey == 0)
        // And who is admitted by hand, whose log comes after that.
        let added = try test.joined()
        try sync(all: test.ledger, added.ledger, test.ledger, added.ledger, invited)
        try sync(all: test.ledger, added.ledger, invited)
        #expect(try added.ledger.stateDigest() == test.ledger.stateDigest())
        #expect(
            try added.ledger.newestFolderKey().key == test.ledger.newestFolderKey().key)
    }

    @Test func `a token over a socket hands the keys over in the admission`() throws {
        let thief = try test.joined()
        try sync(all: test.ledger, thief.ledger)
        try test.ledger.remove(try #require(thief.ledger.replica))
        let invitation = try test.ledger.invite()
        let tablet = try joining(invitation)
        let pass = try #require(invitation.pass)
        #expect(try test.ledger.redeem(try tablet.joinRequest(pass)) == .admitted)
        try Exchange.pull(from: test.ledger, into: tablet)
        #expect(try tablet.newestFolderKey().generation == 1)
        #expect(try tablet.newestFolderKey().key == test.ledger.newestFolderKey().key)
    }

    @Test func `a state that was restored has its keys again`() throws {
        let (tablet, thief) = (try test.joined(), try test.joined())
        try sync(all: test.ledger, tablet.ledger, thief.ledger)
        try tablet.ledger.close()
        let snapshot = Snapshot(of: tablet.path)
        try test.ledger.remove(try #require(thief.ledger.replica))
        try sync(test.ledger)
        let now = try Ledger(openAt: tablet.path, environment: test.clock.environment)
        try sync(now)
        #expect(try now.newestFolderKey().generation == 1)
        try now.close()
        snapshot.rollBack()
        let restored = try Ledger(openAt: tablet.path, environment: test.clock.environment)
        #expect(try restored.newestFolderKey().generation == 0)
        try restored.append(.denied("me", resource: "camera", at: phone))
        try sync(all: restored, test.ledger)
        #expect(try restored.newestFolderKey().key == test.ledger.newestFolderKey().key)
        #expect(try restored.stateDigest() == test.ledger.stateDigest())
    }
}

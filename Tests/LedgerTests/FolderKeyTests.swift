import TestSupport
import Testing

@testable import Ledger

/// Who gets the keys of the drop folder after somebody was removed.
@Suite struct FolderKeyTests {
    private let test: TestLedger

    init() throws { test = try TestLedger() }

    private func meet(_ all: [TestLedger], times: Int = 3) throws {
        for _ in 0..<times {
            for source in all {
                for target in all where source.path != target.path {
                    try Exchange.pull(from: source.ledger, into: target.ledger)
                }
            }
        }
    }

    private func replica(_ test: TestLedger) throws -> ReplicaID {
        try #require(test.ledger.replica)
    }

    private func newest(_ test: TestLedger) throws -> [UInt8] {
        try test.ledger.newestFolderKey().key
    }

    @Test func `a sealed key opens for its recipient and its purpose alone`() throws {
        let (right, wrong) = (
            try SealingKey(secret: [UInt8](repeating: 1, count: 32)),
            try SealingKey(secret: [UInt8](repeating: 2, count: 32))
        )
        let key = [UInt8](repeating: 9, count: 32)
        let sealed = try SealedBox.seal(
            key, to: right.publicKey, context: [1], ephemeral: try Crypto.random(32))
        #expect(sealed.count == SealedBox.length)
        #expect(try SealedBox.open(sealed, with: right, context: [1]) == key)
        #expect(try SealedBox.open(sealed, with: right, context: [2]) == nil)
        #expect(try SealedBox.open(sealed, with: wrong, context: [1]) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            // The top bit of a public key has no meaning (RFC 7748 section 5).
            if index == 31 { changed[index] ^= 2 }
            #expect(try SealedBox.open(changed, with: right, context: [1]) == nil)
        }
        #expect(try SealedBox.open([], with: right, context: [1]) == nil)
        // A point of low order makes a secret that anyone knows.
        #expect(throws: LedgerError(.crypto, "")) {
            try SealedBox.seal(key, to: .zero, context: [], ephemeral: try Crypto.random(32))
        }
        let low = [UInt8](repeating: 0, count: SealedBox.length)
        #expect(try SealedBox.open(low, with: right, context: []) == nil)
    }

    @Test func `a removal gives those who remain a key that the removed one has not`() throws {
        let (tablet, thief) = (try test.joined(), try test.joined())
        try meet([test, tablet, thief])
        let first = try newest(test)
        #expect(try newest(thief) == first)
        try test.ledger.remove(try replica(thief))
        try meet([test, tablet, thief])
        #expect(try test.ledger.newestFolderKey().generation == 1)
        #expect(try newest(test) == newest(tablet))
        #expect(try newest(test) != first)
        #expect(try newest(thief) == first)
        #expect(try thief.ledger.folderKeys(generation: 1).isEmpty)
        #expect(try tablet.ledger.folderKeys(generation: 0) == [first])
        #expect(try test.ledger.members().allSatisfy { !$0.lacksFolderKey })
        // The private half stays with the replica's key: without it nothing opens.
        let reader = try Ledger(openAt: tablet.path, access: .readOnly)
        #expect(try reader.folderKeys(generation: 1).isEmpty)
        let again = try Ledger(openAt: tablet.path)
        #expect(try again.newestFolderKey().key == newest(test))
    }

    @Test func `a member whose log was not here gets the key once it comes`() throws {
        let (late, thief) = (try test.joined(), try test.joined())
        try meet([test, thief])
        try test.ledger.remove(try replica(thief))
        let before = try test.ledger.members().first { $0.replica == late.ledger.replica }
        #expect(before?.lacksFolderKey == true)
        try Exchange.pull(from: test.ledger, into: late.ledger)
        #expect(try late.ledger.newestFolderKey().generation == 0)
        try meet([test, late])
        #expect(try newest(late) == newest(test))
        #expect(try late.ledger.newestFolderKey().generation == 1)
        let after = try test.ledger.members().first { $0.replica == late.ledger.replica }
        #expect(after?.lacksFolderKey == false)
        // Said once, by one replica, however often they meet.
        let digest = try test.ledger.stateDigest()
        try meet([test, late, thief])
        #expect(try test.ledger.stateDigest() == digest)
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `who joins after a removal gets every key`() throws {
        let thief = try test.joined()
        try meet([test, thief])
        try test.ledger.remove(try replica(thief))
        let tablet = try test.joined()
        try meet([test, tablet])
        #expect(try newest(tablet) == newest(test))
    }

    @Test func `removals made apart end in one key that neither of the removed has`() throws {
        let (left, right, desk) = (try test.joined(), try test.joined(), try test.joined())
        let all = [test, left, right, desk]
        try meet(all)
        try left.ledger.remove(try replica(right))
        try right.ledger.remove(try replica(left))
        try meet(all)
        // Neither of the two removals counts in full; the third key, of one that does, is used.
        #expect(try newest(test) == newest(desk))
        #expect(try desk.ledger.folderKeys(generation: 1).count == 3)
        for removed in [left, right] {
            #expect(try !removed.ledger.folderKeys(generation: 1).contains(newest(test)))
        }
        for one in all { #expect(try one.ledger.verify().findings == []) }
        let digest = try test.ledger.stateDigest()
        try meet(all)
        #expect(try test.ledger.stateDigest() == digest)
    }

    @Test func `what a removed replica seals is not written with`() throws {
        var thief = try ForeignLog(joining: test.ledger)
        _ = try #require(try test.ledger.ingest([thief.interval()]).first).get()
        let desk = try test.joined()
        try meet([test, desk])
        try test.ledger.remove(thief.keys.replica)
        let own = try newest(test)
        let generation: UInt64 = 1 << 50
        let context = FolderSecret.context(
            test.ledger.id, try replica(test), generation: generation, removal: nil)
        let sealing = try #require(
            try ReplicaKeys(readFrom: test.path + "/replica.key")?.sealing.publicKey)
        let forged = MemberRemoval(
            replica: try replica(desk), points: [], generation: generation,
            sealedKeys: [
                .init(
                    replica: try replica(test),
                    bytes: try SealedBox.seal(
                        [UInt8](repeating: 6, count: 32), to: sealing, context: context,
                        ephemeral: try Crypto.random(32)))
            ])
        try thief.add(.memberRemoved, forged.encoded, tag: .none)
        _ = try #require(try test.ledger.ingest([thief.interval(from: 1)]).first).get()
        // It removes, and its key can be read with, but nobody writes with it.
        #expect(try test.ledger.standing(of: try replica(desk)) == .removed)
        #expect(try test.ledger.folderKeys(generation: generation).count == 1)
        #expect(try test.ledger.newestFolderKey().generation == 2)
        #expect(try newest(test) != own)
    }

    @Test func `who came back gets the keys again`() throws {
        let (tablet, desk) = (try test.joined(), try test.joined())
        try meet([test, tablet, desk])
        try test.ledger.remove(try replica(tablet))
        try meet([test, tablet, desk])
        #expect(try newest(tablet) != newest(test))
        let key = try #require(test.recoveryKey)
        try test.ledger.admit(try replica(tablet), with: key)
        try meet([test, tablet, desk])
        #expect(try newest(tablet) == newest(test))
        #expect(try newest(desk) == newest(test))
    }

    @Test func `a secret that a removed replica hands out is not handed on`() throws {
        var thief = try ForeignLog(joining: test.ledger)
        _ = try #require(try test.ledger.ingest([thief.interval()]).first).get()
        let desk = try test.joined()
        let removal = try test.ledger.remove(thief.keys.replica).event.id
        try Exchange.pull(from: test.ledger, into: desk.ledger)
        let own = try replica(desk)
        let sealing = try #require(
            try ReplicaKeys(readFrom: desk.path + "/replica.key")?.sealing.publicKey)
        let sealed = try SealedBox.seal(
            [UInt8](repeating: 6, count: 32), to: sealing,
            context: FolderSecret.context(test.ledger.id, own, generation: 1, removal: removal),
            ephemeral: try Crypto.random(32))
        let forged = MemberAdmission(
            replica: own, folderKeys: [.init(generation: 1, removal: removal, bytes: sealed)])
        try thief.add(.memberAdmitted, forged.encoded, tag: .none)
        _ = try #require(try desk.ledger.ingest([thief.interval()]).first).get()
        // It may open something; nobody writes with it, and nobody gets it from here.
        #expect(try desk.ledger.folderKeys(generation: 1).count == 1)
        #expect(try desk.ledger.newestFolderKey().generation == 0)
        #expect(try desk.ledger.folderShareNames().isEmpty)
    }

    @Test func `a secret is handed on by one replica alone`() throws {
        let (desk, thief) = (try test.joined(), try test.joined())
        try meet([test, desk, thief])
        let late = try test.joined()
        try test.ledger.remove(try replica(thief))
        try Exchange.pull(from: test.ledger, into: desk.ledger)
        try Exchange.pull(from: test.ledger, into: late.ledger)
        let log = try #require(desk.ledger.log)
        let size = try desk.ledger.heldSize(of: log)
        // It has the secret and now the log, but whoever made the secret gives it.
        try Exchange.pull(from: late.ledger, into: desk.ledger)
        #expect(try desk.ledger.heldSize(of: log) == size)
        try meet([test, desk, late])
        #expect(try newest(late) == newest(test))
        #expect(try desk.ledger.heldSize(of: log) == size)
    }
}

import TestSupport
import Testing

@testable import Ledger

/// What admissions and removals do to logs and statuses.
@Suite struct MemberEffectTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)
    private let grant = Draft.allowed("me", resource: "camera", at: phone)
    private let denial = Draft.denied("me", resource: "camera", at: phone)
    private let test: TestLedger
    private var ledger: Ledger { test.ledger }

    init() throws { test = try TestLedger() }

    private func take(_ log: ForeignLog, from first: UInt64 = 0) throws {
        for result in try ledger.ingest([log.interval(from: first)]) { _ = try result.get() }
    }

    private func expectWhole() throws {
        #expect(try ledger.verify().findings == [])
        let digest = try ledger.projectionDigest()
        try ledger.rebuild()
        #expect(try ledger.projectionDigest() == digest)
    }

    @Test func `a stranger's log is counted and not taken until somebody admits it`() throws {
        var log = try ForeignLog(joining: ledger, isStranger: true)
        try log.add(grant)
        let results = try ledger.ingest([log.interval()])
        #expect(throws: LedgerError(.unknownAuthor, "")) { try results[0].get() }
        #expect(try ledger.status(camera).status == .notDetermined)
        #expect(try ledger.tips().count == 1)
        let stranger = try #require(try ledger.strangers().first)
        #expect(stranger.replica == log.keys.replica)
        #expect(stranger.eventCount == 2 && stranger.logCount == 1)
        #expect(try ledger.standing(of: log.keys.replica) == .unknown)
        try ledger.admit(log.keys.replica, name: "tablet")
        #expect(try ledger.strangers() == [])
        try take(log)
        #expect(try ledger.status(camera).status == .authorized)
        #expect(try ledger.standing(of: log.keys.replica) == .member)
        try expectWhole()
    }

    @Test func `notes about strangers are bounded`() throws {
        for seed in 1...3 as ClosedRange<UInt8> {
            let log = try ForeignLog(joining: ledger, seed: seed, isStranger: true)
            _ = try ledger.ingest([log.interval()])
        }
        #expect(try ledger.strangers().count == 3)
        try ledger.withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in
                let row = EventStore.StrangerRow(
                    author: ReplicaID(raw: .zero), log: LogID(raw: .zero), size: 1,
                    milliseconds: .max)
                try core.store.noteStranger(row, rowsMax: 2)
            }
        }
        #expect(try ledger.strangers().count == 2)
        #expect(try ledger.strangers().contains { $0.replica == ReplicaID(raw: .zero) })
    }

    @Test func `beyond a removal point a grant counts for nothing and replaces nothing`() throws {
        var log = try ForeignLog(joining: ledger)
        let before = try log.add(grant)
        try take(log)
        let refusal = try ledger.append(denial).event.id
        try ledger.remove(log.keys.replica)
        try log.add(grant, replaces: [before, refusal])
        try take(log, from: 2)
        #expect(try ledger.status(camera).status == .denied)
        #expect(try ledger.status(camera).evidence == [refusal])
        try expectWhole()
    }

    @Test(arguments: [PermissionStatus.denied, .restricted])
    func `beyond a removal point a denial or restriction counts beside what it named`(
        status: PermissionStatus
    ) throws {
        var log = try ForeignLog(joining: ledger)
        try take(log)
        let yes = try ledger.append(grant).event.id
        try ledger.remove(log.keys.replica)
        let no = try log.add(
            .observed("me", resource: "camera", at: phone, status), replaces: [yes])
        try take(log, from: 1)
        let reading = try ledger.status(camera)
        #expect(reading.status == status && reading.isConflicting)
        #expect(Set(reading.evidence) == [yes, no])
        let again = try ledger.append(grant)
        #expect(Set(again.event.header.replaces) == [yes, no])
        #expect(try ledger.status(camera).status == .authorized)
        try expectWhole()
    }

    @Test func `beyond a removal point a reset does not count and questions are not counted`()
        throws
    {
        var log = try ForeignLog(joining: ledger)
        try take(log)
        let yes = try ledger.append(grant).event.id
        try ledger.remove(log.keys.replica)
        try log.add(
            .observed("me", resource: "camera", at: phone, .notDetermined), replaces: [yes])
        try log.add(.promptAsked("me", resource: "camera", at: phone))
        try log.add(.primerShown("me", resource: "camera", at: phone))
        try take(log, from: 1)
        let status = try ledger.status(camera)
        #expect(status.status == .authorized && status.evidence == [yes])
        #expect(status.primersShown == 0 && status.promptsAsked == 0 && !status.isPending)
        try expectWhole()
    }

    @Test func `what cannot be read goes on weighing beyond a removal point`() throws {
        var log = try ForeignLog(joining: ledger)
        try take(log)
        try ledger.append(grant)
        try ledger.remove(log.keys.replica)
        try log.add(denial, hidesPayload: true)
        try take(log, from: 1)
        #expect(try ledger.status(camera).status == .notDetermined)
        try expectWhole()
    }

    @Test func `a log that a removal does not name lies wholly beyond it`() throws {
        var log = try ForeignLog(joining: ledger)
        try log.add(grant)
        try ledger.remove(log.keys.replica)
        try take(log)
        #expect(try ledger.status(camera).status == .notDetermined)
        #expect(try ledger.standing(of: log.keys.replica) == .removed)
        try expectWhole()
    }

    @Test func `a branch that leaves the named prefix lies beyond from where it leaves`() throws {
        var trunk = try ForeignLog(joining: ledger)
        try trunk.add(.allowed("me", resource: "location", at: phone))
        var (named, other) = (trunk, trunk)
        try named.add(.primerShown("me", resource: "camera", at: phone))
        try other.add(grant)
        try take(named)
        try ledger.remove(trunk.keys.replica)
        try take(other)
        #expect(try ledger.status(camera).status == .notDetermined)
        let location = StatusQuery("me", resource: "location", at: phone)
        #expect(try ledger.status(location).status == .authorized)
        try expectWhole()
    }

    @Test(arguments: [false, true])
    func `the named prefix counts once it is here, whatever came first`(otherFirst: Bool) throws {
        let tablet = try test.joined()
        var trunk = try ForeignLog(joining: ledger)
        try trunk.add(.allowed("me", resource: "location", at: phone))
        var (named, other) = (trunk, trunk)
        try named.add(grant)
        try other.add(.allowed("me", resource: "microphone", at: phone))
        try take(named)
        try ledger.remove(trunk.keys.replica)
        let removing = try Exchange.intervals(of: ledger).filter {
            $0.checkpoint.log == ledger.log
        }
        for result in try tablet.ledger.ingest(removing) { _ = try result.get() }
        for log in otherFirst ? [other, named] : [named, other] {
            if otherFirst, log.log == other.log {
                let location = StatusQuery("me", resource: "location", at: phone)
                #expect(try tablet.ledger.status(location).status == .notDetermined)
            }
            _ = try #require(try tablet.ledger.ingest([log.interval()]).first).get()
            #expect(try tablet.ledger.verify().findings == [])
        }
        try take(other)
        #expect(try tablet.ledger.status(camera).status == .authorized)
        let microphone = StatusQuery("me", resource: "microphone", at: phone)
        #expect(try tablet.ledger.status(microphone).status == .notDetermined)
        #expect(try tablet.ledger.projectionDigest() == ledger.projectionDigest())
    }

    @Test func `who was let in by somebody removed grants nothing, and its log is taken`() throws {
        var thief = try ForeignLog(joining: ledger)
        try take(thief)
        try ledger.remove(thief.keys.replica)
        var puppet = try ForeignLog(joining: ledger, seed: 2, isStranger: true)
        try puppet.add(grant)
        try thief.add(
            .memberAdmitted, MemberAdmission(replica: puppet.keys.replica).encoded, tag: .none)
        try take(thief, from: 1)
        try take(puppet)
        #expect(try ledger.standing(of: puppet.keys.replica) == .known)
        #expect(try ledger.status(camera).status == .notDetermined)
        try expectWhole()
        // A member may still let it in: from then on it counts like any other.
        try ledger.admit(puppet.keys.replica)
        #expect(try ledger.standing(of: puppet.keys.replica) == .member)
        #expect(try ledger.status(camera).status == .authorized)
        try expectWhole()
    }

    @Test func `a removal by a removed replica counts`() throws {
        var thief = try ForeignLog(joining: ledger)
        let tablet = try test.joined()
        let victim = try #require(tablet.ledger.replica)
        try take(thief)
        try ledger.remove(thief.keys.replica)
        let removal = MemberRemoval(replica: victim, points: [], generation: 9, sealedKeys: [])
        try thief.add(.memberRemoved, removal.encoded, tag: .none)
        try take(thief, from: 1)
        #expect(try ledger.standing(of: victim) == .removed)
        #expect(throws: LedgerError(.conflict, "")) { try ledger.admit(victim) }
    }

    @Test func `a removal whose payload comes late takes effect then`() throws {
        let tablet = try test.joined()
        let victim = try #require(tablet.ledger.replica)
        try tablet.ledger.append(grant)
        var remover = try ForeignLog(joining: ledger)
        try Exchange.pull(from: tablet.ledger, into: ledger)
        let removal = MemberRemoval(replica: victim, points: [], generation: 1, sealedKeys: [])
        try remover.add(.memberRemoved, removal.encoded, tag: .none)
        let whole = try remover.interval()
        let bare = whole.events.map { event in
            event.header.kind == .memberRemoved
                ? StoredEvent(header: event.header, body: nil) : event
        }
        let cut = Interval(first: 0, events: bare, checkpoint: whole.checkpoint)
        for interval in [cut, whole] {
            #expect(try ledger.status(camera).status == .authorized)
            _ = try #require(try ledger.ingest([interval]).first).get()
            try expectWhole()
        }
        #expect(try ledger.status(camera).status == .notDetermined)
    }

    @Test func `another process sees a removal at once`() throws {
        let tablet = try test.joined()
        try tablet.ledger.append(grant)
        try Exchange.pull(from: tablet.ledger, into: ledger)
        let other = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try other.status(camera).status == .authorized)
        let victim = try #require(tablet.ledger.replica)
        try other.remove(victim)
        #expect(try ledger.standing(of: victim) == .removed)
        #expect(try ledger.status(camera).status == .authorized)
        try tablet.ledger.append(denial)
        try tablet.ledger.append(grant)
        try Exchange.pull(from: tablet.ledger, into: other)
        #expect(try ledger.status(camera).status == .denied)
        let fresh = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try fresh.projectionDigest() == ledger.projectionDigest())
    }

    @Test func `as known here a removal counts from its arrival, as of a time always`() throws {
        var log = try ForeignLog(joining: ledger)
        let yes = try log.add(grant)
        try take(log)
        test.clock.advance(minutes: 10)
        let removal = MemberRemoval(
            replica: log.keys.replica, points: [], generation: 1, sealedKeys: [])
        let before = test.clock.milliseconds
        test.clock.advance(minutes: 10)
        var remover = try ForeignLog(joining: ledger, seed: 3, from: test.clock.milliseconds)
        try remover.add(.memberRemoved, removal.encoded, tag: .none)
        try take(remover)
        var query = camera
        query.moment = .asKnownHere(before)
        #expect(try ledger.status(query).evidence.contains(yes))
        query.moment = .asOf(before)
        #expect(try ledger.status(query).evidence.contains(yes) == false)
        #expect(try ledger.status(camera).evidence.contains(yes) == false)
    }

    @Test func `a list that lacks an event about members is found and mended`() throws {
        var log = try ForeignLog(joining: ledger)
        try log.add(grant)
        try ledger.remove(log.keys.replica)
        try take(log)
        try ledger.withCore { (core) throws(LedgerError) in
            try core.store.database.execute(
                "DELETE FROM member_event WHERE row=(SELECT max(row) FROM member_event)")
        }
        let other = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try !other.verify().isSound)
        try other.rebuild()
        #expect(try other.verify().findings == [])
        #expect(try other.status(camera).status == .notDetermined)
    }
}

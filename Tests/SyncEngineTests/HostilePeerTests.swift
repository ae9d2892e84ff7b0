import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

/// Answers like another ledger, but with intervals or tips that were tampered with.
struct Liar: ReplicaLog {
    let base: FakeLedger
    var interval: @Sendable (Interval) -> Interval = { $0 }
    var listing: @Sendable ([Tip]) -> [Tip] = { $0 }

    var id: LedgerID { base.id }
    var replica: ReplicaID? { base.replica }
    func tips() throws(LedgerError) -> [Tip] { listing(try base.tips()) }
    func stateDigest() throws(LedgerError) -> Bytes32 { try base.stateDigest() }
    func tipStates(
        changedAfter stamp: UInt64
    ) throws(LedgerError) -> (states: [TipState], stamp: UInt64) { (try states(), 1) }
    func heldSize(of log: LogID) throws(LedgerError) -> UInt64 { try base.heldSize(of: log) }
    func author(of log: LogID) throws(LedgerError) -> ReplicaID? { try base.author(of: log) }
    func missingPayloads(of tip: Tip) throws(LedgerError) -> [UInt64] { [] }
    func holds(_ tip: Tip) throws(LedgerError) -> Bool { try base.holds(tip) }
    func intervals(
        of tip: Tip, from first: UInt64, bytesMax: Int
    ) throws(LedgerError) -> [Interval] {
        try base.intervals(of: tip, from: first, bytesMax: bytesMax).map(interval)
    }
    func ingest(
        _ source: IntervalSource
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] { try base.ingest(source) }
    func subjectTag(of subject: String) throws(LedgerError) -> SubjectTag? {
        try base.subjectTag(of: subject)
    }
    func eventIDs(
        at sequences: [UInt64], of log: LogID
    ) throws(LedgerError) -> [EventID?] { try base.eventIDs(at: sequences, of: log) }
    func folderKeys(generation: UInt64) throws(LedgerError) -> [[UInt8]] {
        try base.folderKeys(generation: generation)
    }
    func newestFolderKey() throws(LedgerError) -> (generation: UInt64, key: [UInt8]) {
        try base.newestFolderKey()
    }
    func lastPosition() throws(LedgerError) -> Int64 { try base.lastPosition() }
    func storedBytes(after position: Int64) throws(LedgerError) -> Int {
        try base.storedBytes(after: position)
    }
}

/// What a tampering peer does to an interval of the log it attacks.
enum Tampering: String, CaseIterable, Sendable {
    case otherPayload, otherKind, droppedEvent, doubledEvent, wrongRoot, otherSignature, shifted
    case nothingInIt

    func apply(_ interval: Interval) -> Interval {
        var (first, events, checkpoint) = (interval.first, interval.events, interval.checkpoint)
        switch self {
        case .otherPayload:
            let body = StoredEvent.Body(
                salt: [UInt8](repeating: 1, count: 16),
                payload: [UInt8](repeating: 2, count: events[0].header.payloadLength))
            events[0] = StoredEvent(header: events[0].header, body: body)
        case .otherKind:
            let old = events[0].header
            let header = EventHeader(
                log: old.log, sequence: old.sequence, timestamp: old.timestamp, kind: .erased,
                isCritical: old.isCritical, replaces: old.replaces, subjectTag: old.subjectTag,
                payloadLength: old.payloadLength, commitment: old.commitment)
            events[0] = StoredEvent(header: header, body: events[0].body)
        case .droppedEvent: events.removeLast()
        case .doubledEvent: events.append(events[0])
        case .wrongRoot:
            checkpoint = Checkpoint(
                log: checkpoint.log, size: checkpoint.size, root: .zero,
                signature: checkpoint.signature)
        case .otherSignature:
            checkpoint = Checkpoint(
                log: checkpoint.log, size: checkpoint.size, root: checkpoint.root,
                signature: [UInt8](repeating: 3, count: 64))
        case .shifted: first += 1
        case .nothingInIt: events = []
        }
        return Interval(first: first, events: events, checkpoint: checkpoint)
    }
}

@Suite struct HostilePeerTests {
    /// A victim, and a peer that holds its own log and a third replica's.
    static func stage() throws -> (victim: FakeLedger, peer: FakeLedger, attacked: LogID) {
        let victim = try FakeLedger(seed: 1)
        let peer = try FakeLedger(seed: 2)
        let third = try FakeLedger(seed: 3)
        try third.append(30)
        try third.sign()
        try third.append(30)
        try peer.append(20)
        try merge(peer, third)
        return (victim, peer, third.log)
    }

    @Test func `who offers bad chains without end is given up`() throws {
        let (victim, peer, attacked) = try Self.stage()
        let liar = Liar(
            base: peer,
            interval: { $0.checkpoint.log == attacked ? Tampering.wrongRoot.apply($0) : $0 })
        var link = LiveLink(victim, liar, settles: false)
        let before = (0..<WireLimits.tipsMax).map { number in
            Tip(log: LogID(raw: Bytes16(a: 7, b: UInt64(number))), size: 9, root: .zero)
        }
        link.sides[0].receiving.refused = Set(before)
        link.settle()
        guard case .failure(let error)? = link.endings[0] else {
            Issue.record("the session goes on")
            return
        }
        #expect(error.code == .limit)
    }

    @Test(arguments: Tampering.allCases)
    func `a forged interval is set aside and the other logs come through`(
        tampering: Tampering
    ) throws {
        let (victim, peer, attacked) = try Self.stage()
        let liar = Liar(
            base: peer,
            interval: { $0.checkpoint.log == attacked ? tampering.apply($0) : $0 })
        let report = try merge(victim, liar)
        #expect(!report.isInSync)
        #expect(report.setAside.map(\.log) == [attacked])
        let peerLog = peer.log
        #expect(try victim.tips().contains { $0.log == peerLog })
        #expect(try victim.tips().allSatisfy { $0.log != attacked })
        // An honest peer brings what the liar withheld.
        #expect(try merge(victim, peer).isInSync)
    }

    @Test func `a forged tail leaves the verified beginning in place`() throws {
        let (victim, peer, attacked) = try Self.stage()
        let liar = Liar(
            base: peer,
            interval: {
                $0.checkpoint.log == attacked && $0.first > 0
                    ? Tampering.otherPayload.apply($0) : $0
            })
        let report = try merge(victim, liar)
        #expect(report.setAside.count == 1)
        #expect(try victim.tips().first { $0.log == attacked }?.size == 31)
        #expect(try merge(victim, liar).setAside.count == 1)
        #expect(try merge(victim, peer).isInSync)
    }

    @Test(arguments: [UInt64(62), 1 << 40, 1 << 53])
    func `a tip larger than its log is set aside`(size: UInt64) throws {
        let (victim, peer, attacked) = try Self.stage()
        let liar = Liar(
            base: peer,
            listing: { tips in
                tips.map { $0.log == attacked ? Tip(log: $0.log, size: size, root: $0.root) : $0 }
            })
        let report = try merge(victim, liar)
        #expect(!report.isInSync && report.setAside.count == 1)
        let peerLog = peer.log
        #expect(try victim.tips().contains { $0.log == peerLog })
    }

    @Test func `a log whose author becomes known by another log is taken in the next round`() throws
    {
        let (victim, peer, attacked) = try Self.stage()
        let author = try #require(try peer.author(of: attacked))
        let known = [victim.replica, peer.replica].compactMap { $0 }
        victim.state.withLock { $0.known = Set(known) }
        var link = Link(victim, peer)
        link.meanwhile = { _ in
            guard try victim.tips().contains(where: { $0.log == peer.log }) else { return }
            victim.state.withLock { $0.known = Set(known + [author]) }
        }
        let report = try #require(link.run().initiator).get()
        #expect(report.isInSync && report.setAside.isEmpty)
    }

    @Test func `a log of an unknown author is set aside and said so`() throws {
        let (victim, peer, attacked) = try Self.stage()
        let known = [victim.replica, peer.replica].compactMap { $0 }
        victim.state.withLock { $0.known = Set(known) }
        let report = try merge(victim, peer)
        #expect(report.setAside.map(\.log) == [attacked])
        #expect(report.setAside.map(\.reason.code) == [.unknownAuthor])
    }

    @Test func `a full disk takes nothing, acknowledges nothing and stops only one direction`()
        throws
    {
        let (victim, peer, _) = try Self.stage()
        try victim.append(4)
        let full = LedgerError(.noSpace, "The disk is full.")
        victim.state.withLock { $0.ingestFailures = [full] }
        var link = Link(victim, peer)
        let outcome = try link.run()
        let report = try #require(outcome.initiator).get()
        #expect(report.failure?.code == .noSpace)
        #expect(!report.isInSync && report.eventsReceived == 0)
        #expect(try #require(outcome.responder).get().eventsSent == 0)
        #expect(report.eventsSent == 5)
        #expect(try victim.tips().count == 1)
        #expect(try merge(victim, peer).isInSync)
    }
}

@testable import Ledger

/// A log written by hand, for events that this version would not write itself.
struct ForeignLog {
    let ledger: LedgerID
    let keys: ReplicaKeys
    let epoch = Bytes16(a: 7, b: 7)
    let log: LogID
    private var tagger: SubjectTagger
    private(set) var events: [StoredEvent] = []
    private var frontier = MerkleFrontier()
    private let digester: Digester
    private var time: Int64

    /// Begins a log; the ledger admits its author unless that is to be a stranger.
    init(
        joining ledger: Ledger, seed: UInt8 = 1, from start: Int64 = 1_767_225_600_000,
        isStranger: Bool = false
    ) throws {
        time = start
        let invitation = try ledger.invitation()
        self.ledger = invitation.ledger
        tagger = try SubjectTagger(ledgerKey: invitation.key)
        keys = try ReplicaKeys { count in [UInt8](repeating: seed, count: count) }
        log = try LedgerIdentity.logID(
            ledger: invitation.ledger, replica: keys.replica, epoch: epoch)
        digester = try Digester()
        let opening = LogOpening(
            replica: keys.replica, epoch: epoch, sealingKey: keys.sealing.publicKey, founding: nil,
            continues: nil, reason: .new)
        try add(.logOpened, opening.encoded, tag: .none)
        if !isStranger { try ledger.admit(keys.replica) }
    }

    var size: UInt64 { UInt64(events.count) }

    /// Adds an event with any bytes as its payload.
    @discardableResult
    mutating func add(
        _ kind: EventKind, _ payload: [UInt8], tag: SubjectTag, replaces: [EventID] = [],
        isCritical: Bool = false, hidesPayload: Bool = false
    ) throws -> EventID {
        time += 1000
        let salt = [UInt8](repeating: UInt8(truncatingIfNeeded: events.count), count: 16)
        let header = EventHeader(
            log: log, sequence: size, timestamp: Timestamp(milliseconds: time), kind: kind,
            isCritical: isCritical, replaces: replaces.sorted(), subjectTag: tag,
            payloadLength: payload.count, commitment: try Crypto.sha256(salt + payload))
        let id = header.bytes.withUnsafeBytes { digester.leaf($0) }
        frontier.append(id, digester)
        events.append(
            StoredEvent(
                header: header, body: hidesPayload ? nil : .init(salt: salt, payload: payload)))
        return EventID(raw: id)
    }

    /// Adds an event about a subject.
    @discardableResult
    mutating func add(
        _ draft: Draft, replaces: [EventID] = [], hidesPayload: Bool = false
    ) throws -> EventID {
        try add(
            draft.kind, draft.payload.encoded, tag: try tag(draft.payload.subject ?? ""),
            replaces: replaces, isCritical: draft.isCritical, hidesPayload: hidesPayload)
    }

    mutating func tag(_ subject: String) throws -> SubjectTag { try tagger.tag(subject) }

    /// The events from a sequence on, signed.
    func interval(from first: UInt64 = 0) throws -> Interval {
        Interval(
            first: first, events: Array(events[Int(first)...]),
            checkpoint: try Checkpoint.sign(
                log: log, size: size, root: frontier.root(digester), with: keys.signing))
    }

    /// Changes the events that are handed over, not what was signed.
    mutating func change(_ index: Int, _ event: StoredEvent) { events[index] = event }
}

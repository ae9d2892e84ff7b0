import TestSupport
@testable import Ledger
@testable import SyncEngine

/// A ledger without events, for encoding and decoding alone.
struct EmptyHost: IntervalHost {
    /// Ids that are said to be here, by sequence.
    var known: [UInt64: EventID] = [:]

    func subjectTag(of subject: String) throws(LedgerError) -> SubjectTag? {
        SubjectTag(bytes: try Crypto.sha256(Array(subject.utf8)).bytes.prefix(16))
    }

    func eventIDs(
        at sequences: [UInt64], of log: LogID
    ) throws(LedgerError) -> [EventID?] { sequences.map { known[$0] } }
}

/// Logs with every feature of the encoding, from a seed.
struct IntervalSample {
    let log: LogID
    var next: UInt64
    private var milliseconds: Int64
    private var earlier: [EventID] = []
    private let subjects = ["me", "you", String(repeating: "long", count: 80), "naïve"]

    init(_ random: inout SplitMix, first: UInt64? = nil) {
        log = LogID(raw: Bytes16(a: random.next(), b: 1))
        next = first ?? random.next() % 1000
        milliseconds = Int64(random.next() >> 16)
    }

    mutating func interval(
        _ count: Int, _ random: inout SplitMix
    ) throws -> Interval {
        let first = next
        var events: [StoredEvent] = []
        for _ in 0..<count { events.append(try event(&random)) }
        let checkpoint = Checkpoint(
            log: log, size: next, root: Bytes32(a: random.next(), b: 2, c: 3, d: 4),
            signature: random.bytes(64))
        return Interval(first: first, events: events, checkpoint: checkpoint)
    }

    private mutating func event(_ random: inout SplitMix) throws -> StoredEvent {
        let jump = random.next() % 3 == 0 ? 0 : Int64(random.next() % 100_000) - 20_000
        milliseconds = max(0, min(milliseconds + jump, (1 << 48) - 1))
        let subject = subjects[Int(random.next() % 4)]
        let payload = payload(subject, &random)
        let body = StoredEvent.Body(salt: random.bytes(16), payload: payload)
        var replaced = Set(
            (0..<(random.next() % 3)).map { EventID(raw: Bytes32(a: $0, b: 0, c: 0, d: 1)) })
        for _ in 0..<(random.next() % 2) where !earlier.isEmpty {
            replaced.insert(earlier[Int(random.next() % UInt64(earlier.count))])
        }
        let derived = try EmptyHost().subjectTag(of: subject) ?? .none
        let tags = [
            SubjectTag.none, derived, derived, SubjectTag(raw: Bytes16(a: 1, b: random.next() % 3)),
        ]
        let header = EventHeader(
            log: log, sequence: next,
            timestamp: Timestamp(value: UInt64(milliseconds) << 16 | random.next() % 3),
            kind: EventKind(code: UInt16(random.next() % 12)),
            isCritical: random.next() & 1 == 1, replaces: replaced.sorted(),
            subjectTag: tags[Int(random.next() % 4)], payloadLength: payload.count,
            commitment: try Crypto.sha256(body.salt + payload))
        next += 1
        let digester = try Digester()
        let id = EventID(raw: header.bytes.withUnsafeBytes { digester.leaf($0) })
        if header.kind.mayBeReferredTo { earlier.append(id) }
        switch random.next() % 12 {
        case 0: return StoredEvent(header: header, hole: .missing)
        case 1: return StoredEvent(header: header, hole: .erased)
        case 2: return StoredEvent(header: header, hole: .refused)
        default: return StoredEvent(header: header, body: body)
        }
    }

    /// Maps of fields, empty maps, other CBOR, and bytes that are no CBOR at all.
    private func payload(_ subject: String, _ random: inout SplitMix) -> [UInt8] {
        switch random.next() % 8 {
        case 0: return random.bytes(Int(random.next() % 80))
        case 1: return [0xA0]
        case 2: return [0xA1, 0x18, 0x17, 0x00]  // A key that is not in its shortest form.
        default: break
        }
        var payload = Payload()
        payload.subject = random.next() % 6 == 0 ? nil : subject
        payload.resource = ["camera", "microphone"][Int(random.next() % 2)]
        payload.device = random.next() % 2 == 0 ? "a1b2c3d4e5f60718" : "\(random.next())"
        payload.answers = earlier.last
        payload.buttons = random.next() % 3 == 0 ? ["Allow", "Don't allow"] : nil
        payload.note = random.next() % 9 == 0 ? String(repeating: "x", count: 3000) : nil
        payload.occurredAt = random.next() % 3 == 0 ? -5 : nil
        payload.unit = Bytes32(a: random.next() % 2, b: 0, c: 0, d: 0)
        return payload.encoded
    }
}

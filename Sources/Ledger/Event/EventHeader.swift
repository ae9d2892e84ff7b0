/// The part of an event that is hashed, signed over and never erased.
///
/// Layout: `docs/FORMAT.md`, "Header". The bytes that were received are the bytes that are hashed;
/// a header is re-encoded only from fields that were read from exactly those bytes.
///
/// ```swift
/// let header = try EventHeader(bytes: proof.header)
/// let tag: SubjectTag = header.subjectTag
/// ```
public struct EventHeader: Sendable, Hashable {
    /// The log the event belongs to.
    public let log: LogID
    /// The position in the log, from 0.
    public let sequence: UInt64
    /// When it was recorded, by the writer's hybrid logical clock.
    public let timestamp: Timestamp
    /// What it records.
    public let kind: EventKind
    /// Whether a reader that does not understand it must not grant on it.
    public let isCritical: Bool
    /// The deciding events of the same key that this one replaces, ascending.
    public let replaces: [EventID]
    /// The keyed hash of the subject, ``SubjectTag/none`` for events about no subject.
    public let subjectTag: SubjectTag
    /// The payload's length in bytes.
    public let payloadLength: Int
    /// SHA-256 over salt and payload.
    public let commitment: Bytes32

    /// The length of a header that replaces nothing, in bytes.
    package static let fixedLength = 94
    package static let replacesMax = 1024
    /// The largest payload, in bytes.
    public static let payloadLengthMax = 65_536

    package init(
        log: LogID, sequence: UInt64, timestamp: Timestamp, kind: EventKind, isCritical: Bool,
        replaces: [EventID], subjectTag: SubjectTag, payloadLength: Int, commitment: Bytes32
    ) {
        self.log = log
        self.sequence = sequence
        self.timestamp = timestamp
        self.kind = kind
        self.isCritical = isCritical
        self.replaces = replaces
        self.subjectTag = subjectTag
        self.payloadLength = payloadLength
        self.commitment = commitment
    }

    package var encodedLength: Int { Self.fixedLength + 32 * replaces.count }
}

extension EventHeader {
    static let magic: UInt32 = 0x434C_4531  // "CLE1"

    /// Where each field begins; the layout is fixed, so storage may leave out the first 28 bytes.
    enum Offset {
        static let log = 4
        static let sequence = 20
        static let timestamp = 28
        static let kind = 36
        static let flags = 38
        static let replacesCount = 40
        static let subjectTag = 42
        static let payloadLength = 58
        static let commitment = 62
        static let replaces = 94
    }

    /// The header's bytes.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: encodedLength) { buffer, count in
            encode(into: UnsafeMutableRawBufferPointer(buffer))
            count = encodedLength
        }
    }

    /// Writes ``encodedLength`` bytes.
    func encode(into buffer: UnsafeMutableRawBufferPointer) {
        func store<T: FixedWidthInteger>(_ value: T, _ offset: Int) {
            buffer.storeBytes(of: value.bigEndian, toByteOffset: offset, as: T.self)
        }
        store(Self.magic, 0)
        store(log.raw.a, Offset.log)
        store(log.raw.b, Offset.log + 8)
        store(sequence, Offset.sequence)
        store(timestamp.value, Offset.timestamp)
        store(kind.code, Offset.kind)
        store(isCritical ? UInt16(1) : 0, Offset.flags)
        store(UInt16(replaces.count), Offset.replacesCount)
        store(subjectTag.raw.a, Offset.subjectTag)
        store(subjectTag.raw.b, Offset.subjectTag + 8)
        store(UInt32(payloadLength), Offset.payloadLength)
        func store(_ bytes: Bytes32, _ offset: Int) {
            store(bytes.a, offset)
            store(bytes.b, offset + 8)
            store(bytes.c, offset + 16)
            store(bytes.d, offset + 24)
        }
        store(commitment, Offset.commitment)
        for index in replaces.indices {
            store(replaces[index].raw, Offset.replaces + 32 * index)
        }
    }

    /// Reads exactly one header.
    ///
    /// - Parameter bytes: the header's bytes and nothing else.
    /// - Throws: `malformed`, naming the byte offset, for any deviation from the layout.
    public init(bytes: [UInt8]) throws(LedgerError) {
        let outcome = bytes.withUnsafeBytes { Self.decode($0) }
        self = try outcome.get()
    }

    static func decode(_ buffer: UnsafeRawBufferPointer) -> Result<EventHeader, LedgerError> {
        func fail(_ offset: Int, _ what: String) -> Result<EventHeader, LedgerError> {
            .failure(LedgerError(.malformed, "Event header at byte \(offset): \(what)."))
        }
        guard buffer.count >= fixedLength, let base = buffer.baseAddress else {
            return fail(buffer.count, "cut off")
        }
        func load<T: FixedWidthInteger>(_ offset: Int, as type: T.Type) -> T {
            T(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        guard load(0, as: UInt32.self) == magic else { return fail(0, "not a CLE1 header") }
        let sequence = load(Offset.sequence, as: UInt64.self)
        guard sequence < 1 << 53 else { return fail(Offset.sequence, "a sequence of 2^53 or more") }
        let flags = load(Offset.flags, as: UInt16.self)
        guard flags & ~1 == 0 else { return fail(Offset.flags, "reserved flags are set") }
        let count = Int(load(Offset.replacesCount, as: UInt16.self))
        guard count <= replacesMax else { return fail(Offset.replacesCount, "over 1,024 replaced") }
        guard buffer.count == fixedLength + 32 * count else {
            return fail(buffer.count, "\(fixedLength + 32 * count) bytes expected")
        }
        let length = Int(load(Offset.payloadLength, as: UInt32.self))
        guard length <= payloadLengthMax else {
            return fail(Offset.payloadLength, "a payload over \(payloadLengthMax) bytes")
        }
        var replaces: [EventID] = []
        replaces.reserveCapacity(count)
        for index in 0..<count {
            let offset = Offset.replaces + 32 * index
            let id = EventID(raw: Bytes32(at: base + offset))
            if let last = replaces.last, last >= id {
                return fail(offset, "replaced ids unsorted or doubled")
            }
            replaces.append(id)
        }
        return .success(
            EventHeader(
                log: LogID(raw: Bytes16(at: base + Offset.log)), sequence: sequence,
                timestamp: Timestamp(value: load(Offset.timestamp, as: UInt64.self)),
                kind: EventKind(code: load(Offset.kind, as: UInt16.self)),
                isCritical: flags & 1 == 1, replaces: replaces,
                subjectTag: SubjectTag(raw: Bytes16(at: base + Offset.subjectTag)),
                payloadLength: length, commitment: Bytes32(at: base + Offset.commitment)))
    }
}

/// A fixed number of bytes with a meaning, shown in base32.
///
/// ```swift
/// func label(_ id: some LedgerIdentifier) -> String { "\(id.short)…" }
/// ```
public protocol LedgerIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bytes, most significant first.
    var bytes: [UInt8] { get }
    /// Takes the bytes; nil when their number is wrong.
    init?(bytes: some Collection<UInt8>)
}

extension LedgerIdentifier {
    /// The identifier in RFC 4648 base32, lower case, without padding.
    public var description: String { Base32.encode(bytes) }

    /// Its first ten characters, for people; any unique prefix is accepted back.
    public var short: String { String(description.prefix(10)) }

    /// Reads the base32 form; nil when it is not base32 of the right length.
    ///
    /// - Parameter text: the whole identifier as printed.
    public init?(_ text: String) {
        guard let bytes = Base32.decode(text) else { return nil }
        self.init(bytes: bytes)
    }
}

/// The id of an event: the RFC 6962 leaf hash of its header.
///
/// ```swift
/// let id: EventID = receipt.event.id
/// let entry = try ledger.event(id)
/// ```
public struct EventID: LedgerIdentifier {
    package let raw: Bytes32
    package init(raw: Bytes32) { self.raw = raw }
    /// Takes 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let raw = Bytes32(bytes) else { return nil }
        self.raw = raw
    }
    /// The 32 bytes.
    public var bytes: [UInt8] { raw.bytes }
    /// Orders by bytes, the tie-break everywhere.
    public static func < (left: EventID, right: EventID) -> Bool { left.raw < right.raw }
}

/// The id of a replica: its Ed25519 public key.
///
/// ```swift
/// let author: ReplicaID = proof.author
/// let isSigned = checkpoint.isSigned(by: author)
/// ```
public struct ReplicaID: LedgerIdentifier {
    package let raw: Bytes32
    package init(raw: Bytes32) { self.raw = raw }
    /// Takes 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let raw = Bytes32(bytes) else { return nil }
        self.raw = raw
    }
    /// The 32 bytes.
    public var bytes: [UInt8] { raw.bytes }
    /// Orders by bytes.
    public static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.raw < right.raw }
}

/// The id of a ledger; it proves the founder and the recovery key.
///
/// ```swift
/// let tablet = try Ledger.join(invitation, at: directory)
/// let id: LedgerID = tablet.id
/// ```
public struct LedgerID: LedgerIdentifier {
    package let raw: Bytes16
    package init(raw: Bytes16) { self.raw = raw }
    /// Takes 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let raw = Bytes16(bytes) else { return nil }
        self.raw = raw
    }
    /// The 16 bytes.
    public var bytes: [UInt8] { raw.bytes }
    /// Orders by bytes.
    public static func < (left: LedgerID, right: LedgerID) -> Bool { left.raw < right.raw }
}

/// The id of a log: one epoch of one replica in one ledger.
///
/// ```swift
/// let log: LogID? = ledger.log
/// ```
public struct LogID: LedgerIdentifier {
    package let raw: Bytes16
    package init(raw: Bytes16) { self.raw = raw }
    /// Takes 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let raw = Bytes16(bytes) else { return nil }
        self.raw = raw
    }
    /// The 16 bytes.
    public var bytes: [UInt8] { raw.bytes }
    /// Orders by bytes.
    public static func < (left: LogID, right: LogID) -> Bool { left.raw < right.raw }
}

/// The keyed hash that stands for a subject in a header; it does not reveal the name.
///
/// ```swift
/// let tag: SubjectTag = first.event.header.subjectTag
/// ```
public struct SubjectTag: LedgerIdentifier {
    package let raw: Bytes16
    package init(raw: Bytes16) { self.raw = raw }
    /// The tag of events about no subject.
    public static let none = SubjectTag(raw: .zero)
    /// Takes 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard let raw = Bytes16(bytes) else { return nil }
        self.raw = raw
    }
    /// The 16 bytes.
    public var bytes: [UInt8] { raw.bytes }
    /// Orders by bytes.
    public static func < (left: SubjectTag, right: SubjectTag) -> Bool { left.raw < right.raw }
}

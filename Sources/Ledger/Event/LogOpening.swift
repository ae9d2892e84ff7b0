/// The payload of `logOpened`: whose log it is, and which own log it continues.
///
/// ```swift
/// if case .opening(let opening) = entry.event.content { openings.append(opening) }
/// let founding: LogOpening.Founding? = opening.founding
/// let earlier: LogOpening.Continuation? = opening.continues
/// let reason: LogOpening.Reason = opening.reason
/// ```
public struct LogOpening: Sendable, Hashable {
    /// Why a replica opens a log.
    public enum Reason: UInt8, Word {
        /// The replica's first.
        case new
        /// Its state was restored from a copy.
        case restored
        /// Its state was moved to another machine.
        case moved
        /// A peer held more of its own log than it did.
        case behindPeer
        /// The word.
        public var description: String {
            ["new", "restored", "moved", "behindPeer"][Int(rawValue)]
        }
    }

    /// Proof of the ledger's founder, in the founder's first log alone.
    public struct Founding: Sendable, Hashable {
        /// The Ed25519 public key of the recovery pair.
        public let recoveryKey: Bytes32
        /// Makes the ledger's id unique.
        public let nonce: Bytes16

        /// Makes the proof.
        ///
        /// - Parameters:
        ///   - recoveryKey: the Ed25519 public key of the recovery pair.
        ///   - nonce: 16 random bytes.
        public init(recoveryKey: Bytes32, nonce: Bytes16) {
            self.recoveryKey = recoveryKey
            self.nonce = nonce
        }
    }

    /// An earlier log of the same replica, and how much of it was known.
    public struct Continuation: Sendable, Hashable {
        /// The earlier log.
        public let log: LogID
        /// How many of its events were known.
        public let size: UInt64
        /// Their root.
        public let root: Bytes32
    }

    /// The writer.
    public let replica: ReplicaID
    /// The unbroken life this log belongs to.
    public let epoch: Bytes16
    /// The writer's X25519 public key, for keys sealed to it.
    public let sealingKey: Bytes32
    /// The founder's proof.
    public let founding: Founding?
    /// The own log this one continues.
    public let continues: Continuation?
    /// Why it was opened.
    public let reason: Reason

    private enum Key {
        static let replica: UInt64 = 40
        static let epoch: UInt64 = 41
        static let sealingKey: UInt64 = 42
        static let recoveryKey: UInt64 = 43
        static let nonce: UInt64 = 44
        static let continuesLog: UInt64 = 45
        static let continuesSize: UInt64 = 46
        static let continuesRoot: UInt64 = 47
        static let reason: UInt64 = 48
    }

    /// The deterministic encoding.
    package var encoded: [UInt8] {
        var fields = FieldWriter()
        fields.bytes(Key.replica, replica.raw)
        fields.byteString(Key.epoch, epoch.bytes)
        fields.bytes(Key.sealingKey, sealingKey)
        fields.bytes(Key.recoveryKey, founding?.recoveryKey)
        fields.byteString(Key.nonce, founding?.nonce.bytes)
        fields.byteString(Key.continuesLog, continues?.log.bytes)
        fields.number(Key.continuesSize, continues?.size)
        fields.bytes(Key.continuesRoot, continues?.root)
        fields.number(Key.reason, UInt64(reason.rawValue))
        return fields.finish()
    }

    package init(
        replica: ReplicaID, epoch: Bytes16, sealingKey: Bytes32, founding: Founding?,
        continues: Continuation?, reason: Reason
    ) {
        self.replica = replica
        self.epoch = epoch
        self.sealingKey = sealingKey
        self.founding = founding
        self.continues = continues
        self.reason = reason
    }

    /// Reads the payload of a `logOpened`.
    ///
    /// - Parameter bytes: the payload.
    /// - Throws: `malformed` when it is not canonical or lacks a field.
    package init(encoded bytes: [UInt8]) throws(LedgerError) {
        let fields = try FieldMap(bytes)
        replica = ReplicaID(raw: try fields.bytes32(Key.replica))
        epoch = try fields.bytes16(Key.epoch)
        sealingKey = try fields.bytes32(Key.sealingKey)
        guard let reason = Reason(rawValue: UInt8(clamping: try fields.number(Key.reason))) else {
            throw LedgerError(.malformed, "logOpened gives a reason this version does not know.")
        }
        self.reason = reason
        founding =
            fields.has(Key.recoveryKey)
            ? Founding(
                recoveryKey: try fields.bytes32(Key.recoveryKey),
                nonce: try fields.bytes16(Key.nonce)) : nil
        continues =
            fields.has(Key.continuesLog)
            ? Continuation(
                log: LogID(raw: try fields.bytes16(Key.continuesLog)),
                size: try fields.number(Key.continuesSize),
                root: try fields.bytes32(Key.continuesRoot)) : nil
    }
}

/// A small payload read whole, for the kinds that are rare.
struct FieldMap {
    private let values: [UInt64: CBORValue]

    init(_ bytes: [UInt8]) throws(LedgerError) {
        guard case .map(let pairs) = try CBORReader.decode(bytes) else {
            throw LedgerError(.malformed, "CBOR at byte 0: a map expected.")
        }
        var values: [UInt64: CBORValue] = [:]
        for pair in pairs {
            guard case .unsigned(let key) = pair.key else {
                throw LedgerError(.malformed, "CBOR at byte 0: a key that is not a number.")
            }
            values[key] = pair.value
        }
        self.values = values
    }

    func has(_ key: UInt64) -> Bool { values[key] != nil }

    func value(_ key: UInt64) -> CBORValue? { values[key] }

    func bytes32(_ key: UInt64) throws(LedgerError) -> Bytes32 {
        guard case .bytes(let bytes) = values[key], let value = Bytes32(bytes) else {
            throw missing(key, "32 bytes")
        }
        return value
    }

    func bytes16(_ key: UInt64) throws(LedgerError) -> Bytes16 {
        guard case .bytes(let bytes) = values[key], let value = Bytes16(bytes) else {
            throw missing(key, "16 bytes")
        }
        return value
    }

    func number(_ key: UInt64) throws(LedgerError) -> UInt64 {
        guard case .unsigned(let value) = values[key] else { throw missing(key, "a number") }
        return value
    }

    private func missing(_ key: UInt64, _ what: String) -> LedgerError {
        LedgerError(.malformed, "The payload's field \(key) is not \(what).")
    }
}

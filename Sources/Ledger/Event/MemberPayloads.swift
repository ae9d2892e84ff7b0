/// The payload of `memberAdmitted`.
///
/// ```swift
/// if case .admission(let admission) = event.content {
///     names[admission.replica] = admission.name ?? admission.replica.short
/// }
/// ```
public struct MemberAdmission: Sendable, Hashable {
    /// The replica that is admitted.
    public let replica: ReplicaID
    /// What people call it.
    public let name: String?
    /// The removals that a return with the recovery key overrules.
    public let overrules: [EventID]
    /// Secrets of the drop folder, sealed to the replica that is admitted.
    package let folderKeys: [FolderKey]

    /// The secret that a removal made, sealed to the replica that is admitted.
    package struct FolderKey: Sendable, Hashable {
        package let generation: UInt64
        package let removal: EventID
        package let bytes: [UInt8]
    }

    /// Sealed secrets that leave room for the rest of a payload.
    static let keysMax = 256

    private enum Key {
        static let replica: UInt64 = 40
        static let name: UInt64 = 50
        static let overrules: UInt64 = 51
        static let folderKeys: UInt64 = 55
    }

    /// The deterministic encoding.
    package var encoded: [UInt8] {
        var fields = FieldWriter()
        fields.bytes(Key.replica, replica.raw)
        fields.text(Key.name, name)
        if !overrules.isEmpty {
            fields.value(Key.overrules, .array(overrules.map { .bytes($0.bytes) }))
        }
        if !folderKeys.isEmpty {
            fields.value(
                Key.folderKeys,
                .array(
                    folderKeys.map {
                        .array([
                            .unsigned($0.generation), .bytes($0.removal.bytes), .bytes($0.bytes),
                        ])
                    }))
        }
        return fields.finish()
    }

    /// Makes an admission.
    ///
    /// - Parameters:
    ///   - replica: the replica that is admitted.
    ///   - name: what people call it.
    ///   - overrules: the removals that a return with the recovery key overrules.
    public init(replica: ReplicaID, name: String? = nil, overrules: [EventID] = []) {
        self.replica = replica
        self.name = name
        self.overrules = overrules.sorted()
        folderKeys = []
    }

    init(replica: ReplicaID, name: String? = nil, folderKeys: [FolderKey]) {
        self.replica = replica
        self.name = name
        self.folderKeys = folderKeys
        overrules = []
    }

    package init(encoded bytes: [UInt8]) throws(LedgerError) {
        let fields = try FieldMap(bytes)
        replica = ReplicaID(raw: try fields.bytes32(Key.replica))
        if case .text(let text) = fields.value(Key.name) { name = text } else { name = nil }
        overrules = try fields.array(Key.overrules) { value in
            if case .bytes(let bytes) = value { EventID(bytes: bytes) } else { nil }
        }
        folderKeys = try fields.array(Key.folderKeys) { value in
            guard case .array(let parts) = value, parts.count == 3,
                case .unsigned(let generation) = parts[0], case .bytes(let removal) = parts[1],
                case .bytes(let bytes) = parts[2], let removal = EventID(bytes: removal)
            else { return nil }
            return FolderKey(generation: generation, removal: removal, bytes: bytes)
        }
    }
}

/// The payload of `memberRemoved`.
///
/// ```swift
/// guard case .removal(let removal) = event.content else { continue }
/// let points: [MemberRemoval.Point] = removal.points
/// let keys: [MemberRemoval.SealedKey] = removal.sealedKeys
/// ```
public struct MemberRemoval: Sendable, Hashable {
    /// How much of one of the removed replica's logs was known.
    public struct Point: Sendable, Hashable {
        /// The log.
        public let log: LogID
        /// How many of its events were known.
        public let size: UInt64
        /// Their root.
        public let root: Bytes32
    }
    /// The next folder key, sealed to one remaining member.
    public struct SealedKey: Sendable, Hashable {
        /// The member it is sealed to.
        public let replica: ReplicaID
        /// The sealed bytes.
        public let bytes: [UInt8]
    }

    /// The replica that is removed.
    public let replica: ReplicaID
    /// What lies beyond these points no longer counts.
    public let points: [Point]
    /// The generation of the next folder key.
    public let generation: UInt64
    /// The next folder key for each remaining member.
    public let sealedKeys: [SealedKey]

    /// Points that leave room for the rest of a payload.
    static let pointsMax = 256

    init(
        replica: ReplicaID, points: [Point], generation: UInt64, sealedKeys: [SealedKey]
    ) {
        self.replica = replica
        self.points = points
        self.generation = generation
        self.sealedKeys = sealedKeys
    }

    private enum Key {
        static let replica: UInt64 = 40
        static let points: UInt64 = 52
        static let generation: UInt64 = 53
        static let sealedKeys: UInt64 = 54
    }

    /// The deterministic encoding.
    package var encoded: [UInt8] {
        var fields = FieldWriter()
        fields.bytes(Key.replica, replica.raw)
        fields.value(
            Key.points,
            .array(
                points.map {
                    .array([.bytes($0.log.bytes), .unsigned($0.size), .bytes($0.root.bytes)])
                }))
        fields.number(Key.generation, generation)
        fields.value(
            Key.sealedKeys,
            .array(sealedKeys.map { .array([.bytes($0.replica.bytes), .bytes($0.bytes)]) }))
        return fields.finish()
    }

    package init(encoded bytes: [UInt8]) throws(LedgerError) {
        let fields = try FieldMap(bytes)
        replica = ReplicaID(raw: try fields.bytes32(Key.replica))
        generation = try fields.number(Key.generation)
        points = try fields.array(Key.points) { value in
            guard case .array(let parts) = value, parts.count == 3,
                case .bytes(let log) = parts[0], case .unsigned(let size) = parts[1],
                case .bytes(let root) = parts[2], let log = LogID(bytes: log),
                let root = Bytes32(root)
            else { return nil }
            return Point(log: log, size: size, root: root)
        }
        sealedKeys = try fields.array(Key.sealedKeys) { value in
            guard case .array(let parts) = value, parts.count == 2,
                case .bytes(let replica) = parts[0], case .bytes(let bytes) = parts[1],
                let replica = ReplicaID(bytes: replica)
            else { return nil }
            return SealedKey(replica: replica, bytes: bytes)
        }
    }
}

extension FieldMap {
    /// The elements of an array field; an absent field is an empty array.
    func array<T>(_ key: UInt64, _ read: (CBORValue) -> T?) throws(LedgerError) -> [T] {
        guard let value = value(key) else { return [] }
        guard case .array(let values) = value else {
            throw LedgerError(.malformed, "The payload's field \(key) is not an array.")
        }
        var elements: [T] = []
        for value in values {
            guard let element = read(value) else {
                throw LedgerError(.malformed, "The payload's field \(key) holds a bad element.")
            }
            elements.append(element)
        }
        return elements
    }
}

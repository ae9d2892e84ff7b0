/// What makes a ledger this ledger, as its database keeps it.
struct LedgerIdentity: Sendable {
    let id: LedgerID
    let key: [UInt8]
    /// The replica that made this copy's entries; nil in a backup opened elsewhere.
    let replica: ReplicaID?
    /// The log it writes into; another one after every doubt about its own past.
    var ownLog: LogID?

    private static let idDomain = Array("consent-ledger/ledger/1".utf8)
    private static let logDomain = Array("consent-ledger/log/1".utf8)

    init(_ store: EventStore) throws(LedgerError) {
        guard let id = LedgerID(bytes: try store.meta(.ledger) ?? []),
            let key = try store.meta(.ledgerKey), key.count == 32
        else {
            throw LedgerError(
                .damaged, "\(store.database.path) holds no ledger; restore a backup beside it.")
        }
        self.id = id
        self.key = key
        replica = ReplicaID(bytes: try store.meta(.replica) ?? [])
        ownLog = LogID(bytes: try store.meta(.ownLog) ?? [])
    }

    /// The id that proves founder and recovery key.
    static func ledgerID(
        founder: ReplicaID, recoveryKey: Bytes32, nonce: Bytes16
    ) throws(LedgerError) -> LedgerID {
        let digest = try Crypto.sha256(idDomain + founder.bytes + recoveryKey.bytes + nonce.bytes)
        return LedgerID(raw: Bytes16(a: digest.a, b: digest.b))
    }

    /// The id of a replica's log in one epoch.
    static func logID(
        ledger: LedgerID, replica: ReplicaID, epoch: Bytes16
    ) throws(LedgerError) -> LogID {
        let digest = try Crypto.sha256(logDomain + ledger.bytes + replica.bytes + epoch.bytes)
        return LogID(raw: Bytes16(a: digest.a, b: digest.b))
    }
}

/// Turns subjects into tags.
struct SubjectTagger {
    private let hash: KeyedHash
    /// By the names as given.
    private var known = DigestTable<SubjectTag>()
    /// A tag costs about a microsecond; this many names cost a few megabytes.
    private static let knownMax = 65_536

    init(ledgerKey: [UInt8]) throws(LedgerError) {
        hash = try KeyedHash(key: try Crypto.derive(from: ledgerKey, label: "consent-ledger/tag/1"))
    }

    mutating func tag(_ subject: String) throws(LedgerError) -> SubjectTag {
        let digest =
            subject.utf8.withContiguousStorageIfAvailable { KeyDigest(UnsafeRawBufferPointer($0)) }
            ?? Array(subject.utf8).withUnsafeBytes { KeyDigest($0) }
        if let tag = known[digest] { return tag }
        let code = try hash.code(of: Identifier.canonicalBytes(subject))
        let tag = SubjectTag(raw: Bytes16(a: code.a, b: code.b))
        if known.count >= Self.knownMax { known = DigestTable() }
        known.insert(tag, digest)
        return tag
    }

    /// A key for the table of idempotent calls, from which the name cannot be read.
    func callKey(_ name: String) throws(LedgerError) -> [UInt8] {
        try hash.code(of: [0] + Identifier.canonicalBytes(name)).bytes
    }

    /// A digest of what a call said, keyed since what people say is easily guessed.
    func callContent(_ bytes: [UInt8]) throws(LedgerError) -> [UInt8] {
        try hash.code(of: [1] + bytes).bytes
    }
}

@testable import Ledger

/// The fixed keys behind all vectors, and the ids that follow from them.
struct VectorIdentity {
    let founder: SigningKey
    let recovery: SigningKey
    let sealing: SealingKey
    let nonce: Bytes16
    let epochs: [Bytes16]
    let ledgerKey: [UInt8]
    let ledger: LedgerID
    let logs: [LogID]

    init() throws {
        founder = try SigningKey(seed: Self.ramp(0x01, 32))
        recovery = try SigningKey(seed: Self.ramp(0x41, 32))
        sealing = try SealingKey(secret: Self.ramp(0x81, 32))
        nonce = try Self.bytes16(Self.ramp(0xC1, 16))
        epochs = try [Self.bytes16(Self.ramp(0xD1, 16)), Self.bytes16(Self.ramp(0xE1, 16))]
        ledgerKey = Self.ramp(0x21, 32)
        ledger = LedgerID(
            raw: try Self.hash16(
                "consent-ledger/ledger/1", founder.publicKey.bytes, recovery.publicKey.bytes,
                nonce.bytes))
        var logs: [LogID] = []
        for epoch in epochs {
            logs.append(
                LogID(
                    raw: try Self.hash16(
                        "consent-ledger/log/1", ledger.bytes, founder.publicKey.bytes, epoch.bytes))
            )
        }
        self.logs = logs
    }

    var replica: ReplicaID { ReplicaID(raw: founder.publicKey) }

    func tag(_ subject: String) throws -> SubjectTag {
        let key = try Crypto.derive(from: ledgerKey, label: "consent-ledger/tag/1")
        let code = try Crypto.hmac(key: key, Identifier.canonicalBytes(subject))
        return SubjectTag(raw: try Self.bytes16(Array(code.bytes.prefix(16))))
    }

    /// `count` bytes that count up from `first`.
    static func ramp(_ first: UInt8, _ count: Int) -> [UInt8] {
        (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
    }

    static func bytes16(_ bytes: [UInt8]) throws -> Bytes16 {
        guard let value = Bytes16(bytes) else { throw LedgerError(.invalid, "Not 16 bytes.") }
        return value
    }

    private static func hash16(_ label: String, _ parts: [UInt8]...) throws -> Bytes16 {
        let digest = try Crypto.sha256(Array(label.utf8) + parts.flatMap(\.self))
        return try bytes16(Array(digest.bytes.prefix(16)))
    }

    static let subjects = [
        "me", "caf\u{E9}", "cafe\u{301}", "\u{1100}\u{1161}", "\u{AC00}",
        "\u{1F9D1}\u{200D}\u{1F4BB}",
    ]

    /// A published unit is named by this digest of its canonical bytes.
    static let unit: [UInt8] = [0xA1, 0x01, 0x66] + Array("camera".utf8)

    static func unitDigest(_ content: [UInt8]) throws -> Bytes32 {
        try Crypto.sha256(Array("consent-ledger/unit/1".utf8) + content)
    }

    func json() throws -> JSON {
        var folderKeys: [JSON] = []
        for generation in [0, 1, 10] {
            let label = "consent-ledger/folder/1/\(generation)"
            folderKeys.append(
                .object([
                    ("generation", .number(Int64(generation))),
                    ("key", .hex(try Crypto.derive(from: ledgerKey, label: label))),
                ]))
        }
        return .object([
            ("founderSeed", .hex(founder.seed)),
            ("founder", .hex(founder.publicKey.bytes)),
            ("founderText", .text(replica.description)),
            ("recoverySeed", .hex(recovery.seed)),
            ("recoveryKey", .hex(recovery.publicKey.bytes)),
            ("sealingSecret", .hex(sealing.secret)),
            ("sealingKey", .hex(sealing.publicKey.bytes)),
            ("nonce", .hex(nonce.bytes)),
            ("ledger", .hex(ledger.bytes)),
            ("ledgerText", .text(ledger.description)),
            (
                "logs",
                .list(
                    zip(epochs, logs).map { epoch, log in
                        .object([
                            ("epoch", .hex(epoch.bytes)), ("log", .hex(log.bytes)),
                            ("logText", .text(log.description)),
                        ])
                    })
            ),
            ("ledgerKey", .hex(ledgerKey)),
            ("tagKey", .hex(try Crypto.derive(from: ledgerKey, label: "consent-ledger/tag/1"))),
            ("folderKeys", .list(folderKeys)),
            (
                "subjects",
                .list(
                    try Self.subjects.map {
                        .object([("subject", .text($0)), ("tag", .hex(try tag($0).bytes))])
                    })
            ),
            (
                "units",
                .list([
                    .object([
                        ("content", .hex(Self.unit)),
                        ("digest", .hex(try Self.unitDigest(Self.unit).bytes)),
                    ])
                ])
            ),
        ])
    }
}

/// The secret keys of a replica, kept in a file of their own beside the database, so that a copy
/// of the database alone cannot write in its name.
struct ReplicaKeys: Sendable {
    let signing: SigningKey
    let sealing: SealingKey

    private static let magic = "consent-ledger/key/1"

    init(random: (Int) throws(LedgerError) -> [UInt8]) throws(LedgerError) {
        signing = try SigningKey(seed: try random(32))
        sealing = try SealingKey(secret: try random(32))
    }

    /// The pair with which the recovery key writes a log, as any replica does.
    init(recovery key: RecoveryKey) throws(LedgerError) {
        signing = try SigningKey(seed: key.seed)
        sealing = try SealingKey(
            secret: try Crypto.derive(from: key.seed, label: "consent-ledger/recovery-sealing/1"))
    }

    var replica: ReplicaID { ReplicaID(raw: signing.publicKey) }

    func write(to path: String) throws(LedgerError) {
        let text =
            "\(Self.magic)\n\(Base32.encode(signing.seed))\n\(Base32.encode(sealing.secret))\n"
        try Files.writeNew(Array(text.utf8), to: path)
    }

    /// Nil when there is no such file.
    init?(readFrom path: String) throws(LedgerError) {
        guard Files.exists(path) else { return nil }
        guard let bytes = SmallFile.read(path, max: 4096) else { throw .file("read", path) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 3, lines[0] == Self.magic, let seed = Base32.decode(String(lines[1])),
            let secret = Base32.decode(String(lines[2])), seed.count == 32, secret.count == 32
        else {
            throw LedgerError(
                .damaged,
                "\(path) is not a replica's key; restore it, or join again as a new replica.")
        }
        signing = try SigningKey(seed: seed)
        sealing = try SealingKey(secret: secret)
    }
}

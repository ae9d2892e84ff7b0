/// The private half of the recovery pair, to be kept off the machine.
///
/// ```swift
/// let recoveryKey: RecoveryKey = try Ledger.create(at: directory).recoveryKey
/// let paper = recoveryKey.description
/// ```
public struct RecoveryKey: Sendable, Hashable, CustomStringConvertible {
    /// The Ed25519 seed.
    public let seed: [UInt8]
    /// The seed in base32.
    public var description: String { Base32.encode(seed) }

    init(seed: [UInt8]) { self.seed = seed }

    /// Reads the seed from its base32 form.
    ///
    /// - Parameter text: as ``description`` wrote it; spaces around it do not matter.
    /// - Throws: `malformed` when it was cut or mistyped; the text is not repeated.
    public init(_ text: String) throws(LedgerError) {
        guard let trimmed = text.split(whereSeparator: \.isWhitespace).first,
            let seed = Base32.decode(String(trimmed)), seed.count == 32,
            text.split(whereSeparator: \.isWhitespace).count == 1
        else {
            throw LedgerError(
                .malformed, "This is not a recovery key: it has 52 letters and digits 2 to 7.")
        }
        self.seed = seed
    }
}

/// What a device needs to join a ledger; whoever reads it can read the ledger.
///
/// ```swift
/// let text = try ledger.invitation().text
/// let invitation = try Invitation(text)
/// let tablet = try Ledger.join(invitation, at: directory)
/// ```
public struct Invitation: Sendable, Hashable {
    /// The ledger's id.
    public let ledger: LedgerID
    /// The ledger's key.
    package let key: [UInt8]
    /// Who invites.
    public let inviter: ReplicaID

    private static let prefix = "ledger1-"
    private static let checkLength = 4

    init(ledger: LedgerID, key: [UInt8], inviter: ReplicaID) {
        self.ledger = ledger
        self.key = key
        self.inviter = inviter
    }

    /// One string that carries it all, with a checksum against typing errors.
    public var text: String {
        let bytes = ledger.bytes + key + inviter.bytes
        let check = (try? Crypto.sha256(bytes).bytes.prefix(Self.checkLength)) ?? []
        return Self.prefix + Base32.encode(bytes + check)
    }

    /// Reads the string.
    ///
    /// - Parameter text: as ``text`` wrote it.
    /// - Throws: `malformed` when it was cut or mistyped.
    public init(_ text: String) throws(LedgerError) {
        guard text.hasPrefix(Self.prefix),
            let bytes = Base32.decode(String(text.dropFirst(Self.prefix.count))),
            bytes.count == 80 + Self.checkLength
        else {
            throw LedgerError(
                .malformed, "This is not an invitation, or part of it is missing; copy it whole.")
        }
        guard try Crypto.sha256(Array(bytes.prefix(80))).bytes.starts(with: bytes.suffix(4)),
            let ledger = LedgerID(bytes: bytes[0..<16]),
            let inviter = ReplicaID(bytes: bytes[48..<80])
        else {
            throw LedgerError(.malformed, "The invitation was altered on its way; copy it again.")
        }
        self.init(ledger: ledger, key: Array(bytes[16..<48]), inviter: inviter)
    }
}

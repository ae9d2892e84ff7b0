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

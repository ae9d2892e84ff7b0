/// A signed statement of a log's size and root: a C2SP signed note over a tlog-checkpoint.
///
/// (https://c2sp.org/tlog-checkpoint, https://c2sp.org/signed-note)
///
/// ```swift
/// let note = try ledger.sign().note(by: author)
/// let checkpoint = try Checkpoint(note: note, by: author)
/// ```
public struct Checkpoint: Sendable, Hashable {
    /// The log.
    public let log: LogID
    /// How many events it covers.
    public let size: UInt64
    /// The root over their headers.
    public let root: Bytes32
    /// The Ed25519 signature over the note's text.
    public let signature: [UInt8]

    static let originPrefix = "consent-ledger/1/"
    private static let lengthMax = 4096

    package init(log: LogID, size: UInt64, root: Bytes32, signature: [UInt8]) {
        self.log = log
        self.size = size
        self.root = root
        self.signature = signature
    }

    package static func sign(
        log: LogID, size: UInt64, root: Bytes32, with key: SigningKey
    ) throws(LedgerError) -> Checkpoint {
        let text = text(log: log, size: size, root: root)
        return Checkpoint(
            log: log, size: size, root: root, signature: try key.sign(Array(text.utf8)))
    }

    /// Whether `replica` signed this checkpoint.
    ///
    /// - Parameter replica: the author of the log.
    /// - Returns: false for any other signature. Costs one Ed25519 verification, about 0.1 ms.
    public func isSigned(by replica: ReplicaID) -> Bool {
        let text = Self.text(log: log, size: size, root: root)
        return SigningKey.verify(signature, of: Array(text.utf8), by: replica.raw)
    }

    private static func text(log: LogID, size: UInt64, root: Bytes32) -> String {
        "\(originPrefix)\(log)\n\(size)\n\(Crypto.base64(root.bytes))\n"
    }

    /// The note as other tools read it.
    ///
    /// - Parameter replica: the author, whose key id stands in the signature line.
    /// - Returns: the text of the signed note, ending in a line break.
    public func note(by replica: ReplicaID) -> String {
        let name = Self.originPrefix + log.description
        let line = Crypto.base64(Self.keyHash(name: name, replica) + signature)
        return Self.text(log: log, size: size, root: root) + "\n\u{2014} \(name) \(line)\n"
    }

    private static func keyHash(name: String, _ replica: ReplicaID) -> [UInt8] {
        let input = Array(name.utf8) + [0x0A, 0x01] + replica.bytes
        return (try? Crypto.sha256(input)).map { Array($0.bytes.prefix(4)) } ?? []
    }

    /// Reads a signed note; signatures by other keys are skipped.
    ///
    /// - Parameters:
    ///   - note: the text of the note.
    ///   - replica: the author whose signature is wanted.
    /// - Throws: `malformed` when it is not such a note, `notVerified` when the author's
    ///   signature is missing or wrong.
    public init(note: String, by replica: ReplicaID) throws(LedgerError) {
        guard note.utf8.count <= Self.lengthMax, note.hasSuffix("\n"),
            let blank = note.firstRange(of: "\n\n")
        else { throw LedgerError(.malformed, "Not a signed note.") }
        let lines = note[..<blank.lowerBound].split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].hasPrefix(Self.originPrefix),
            let log = LogID(String(lines[0].dropFirst(Self.originPrefix.count))),
            let size = UInt64(lines[1]), String(size) == lines[1],
            let root = Crypto.decodeBase64(String(lines[2])).flatMap(Bytes32.init)
        else { throw LedgerError(.malformed, "Not a checkpoint of a consent ledger's log.") }
        let name = Self.originPrefix + log.description
        let hash = Self.keyHash(name: name, replica)
        for line in note[blank.upperBound...].split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "\u{2014}", parts[1] == name,
                let bytes = Crypto.decodeBase64(String(parts[2])), bytes.count == 68,
                Array(bytes.prefix(4)) == hash
            else { continue }
            self.init(log: log, size: size, root: root, signature: Array(bytes.dropFirst(4)))
            guard isSigned(by: replica) else { break }
            return
        }
        throw LedgerError(
            .notVerified, "The checkpoint lacks a valid signature of its log's author.")
    }
}

package import Ledger

/// A small file beside the segments, from one replica to others (`docs/SYNC.md`, "Letters").
///
/// Like a segment it is judged by its content, and its trailer decides whether it is whole. Nothing
/// rests on who wrote it: what is sealed to a replica, that one opens or not.
package enum FolderLetter: Sendable, Equatable {
    /// Secrets from which folder keys follow, each sealed to one member.
    case keys([FolderKeyShare])
    /// Somebody asks the inviter to be admitted.
    case request(SealedJoinRequest)
    /// The inviter says why it does not admit somebody.
    case answer(SealedJoinAnswer)

    package static let magicLength = 6
    package static let lengthMax = 1 << 20
    private static let version: UInt16 = 1
    private static let keysMagic = Array("CLKEY/".utf8)
    private static let requestMagic = Array("CLASK/".utf8)
    private static let answerMagic = Array("CLSAY/".utf8)
    private static let shareLength = 72 + FolderKeyShare.sealedLength

    /// Whether a file begins like one.
    static func isOne(_ beginning: [UInt8]) -> Bool {
        beginning.starts(with: keysMagic) || beginning.starts(with: requestMagic)
            || beginning.starts(with: answerMagic)
    }

    /// How the file's name begins.
    var prefix: String {
        switch self {
        case .keys: "k"
        case .request: "j"
        case .answer: "a"
        }
    }

    /// The whole file.
    package func encoded(for ledger: LedgerID) throws(SyncError) -> [UInt8] {
        var writer = ByteWriter(reserving: 512)
        switch self {
        case .keys: writer.raw(Self.keysMagic)
        case .request: writer.raw(Self.requestMagic)
        case .answer: writer.raw(Self.answerMagic)
        }
        writer.fixed(Self.version)
        writer.half(ledger.raw)
        switch self {
        case .keys(let shares):
            writer.fixed(UInt32(shares.count))
            for share in shares {
                writer.hash(share.name.recipient.raw)
                writer.fixed(share.name.generation)
                writer.hash(share.name.removal.raw)
                writer.raw(share.sealed)
            }
        case .request(let request):
            for part in [request.inviter.raw, request.replica.raw, request.sealingKey] {
                writer.hash(part)
            }
            writer.hash(request.digest)
            writer.raw(request.sealed)
        case .answer(let answer):
            for part in [answer.inviter.raw, answer.replica.raw, answer.digest] {
                writer.hash(part)
            }
            writer.raw(answer.sealed)
        }
        var file = writer.bytes
        try fromLedger { () throws(LedgerError) in try SegmentTrailer.append(to: &file) }
        return file
    }

    /// Reads a whole file.
    ///
    /// - Throws: `incomplete` for one that is cut or damaged, `version`, `foreignLedger`,
    ///   `malformed`.
    package init(_ file: [UInt8], of ledger: LedgerID) throws(SyncError) {
        let isWhole = try fromLedger { () throws(LedgerError) in try SegmentTrailer.isValid(file) }
        guard isWhole else {
            throw SyncError(
                .incomplete, "The file is cut off or damaged; it is taken once it is whole.")
        }
        let content = Array(file.dropLast(SegmentTrailer.length))
        self = try ByteReader.decode(content) { (reader) throws(SyncError) in
            try FolderLetter(&reader, ledger)
        }
    }

    private init(_ reader: inout ByteReader, _ ledger: LedgerID) throws(SyncError) {
        let magic = Array(try reader.take(Self.magicLength))
        let version = try reader.fixed(UInt16.self)
        guard version == Self.version else {
            throw SyncError(
                .version, "A letter of format \(version); this version reads format 1.")
        }
        guard LedgerID(raw: try reader.half()) == ledger else {
            throw SyncError(.foreignLedger, "The file belongs to another ledger.")
        }
        switch magic {
        case Self.keysMagic:
            let count = Int(try reader.fixed(UInt32.self))
            guard count * Self.shareLength == reader.remaining else {
                throw reader.malformed("another number of keys than announced")
            }
            var shares: [FolderKeyShare] = []
            for _ in 0..<count {
                let name = FolderKeyShare.Name(
                    recipient: ReplicaID(raw: try reader.hash()),
                    generation: try reader.fixed(UInt64.self),
                    removal: EventID(raw: try reader.hash()))
                let sealed = Array(try reader.take(FolderKeyShare.sealedLength))
                shares.append(FolderKeyShare(name, sealed: sealed))
            }
            self = .keys(shares)
        case Self.requestMagic:
            self = .request(
                SealedJoinRequest(
                    inviter: ReplicaID(raw: try reader.hash()),
                    replica: ReplicaID(raw: try reader.hash()), sealingKey: try reader.hash(),
                    digest: try reader.hash(),
                    sealed: Array(try reader.take(FolderKeyShare.sealedLength))))
        case Self.answerMagic:
            self = .answer(
                SealedJoinAnswer(
                    inviter: ReplicaID(raw: try reader.hash()),
                    replica: ReplicaID(raw: try reader.hash()), digest: try reader.hash(),
                    sealed: Array(try reader.take(FolderKeyShare.sealedLength))))
        default: throw SyncError(.notASegment, "The file is no letter of a consent ledger.")
        }
    }
}

/// A letter and where it lies.
struct FoundLetter: Sendable {
    /// Its path below the folder.
    let key: String
    let name: String
    let letter: FolderLetter
    /// It lies in this replica's own directory.
    let isOwn: Bool
}

package import Ledger

/// The clear beginning of a segment: whose events it holds and how it is sealed
/// (`docs/SYNC.md`, "Segment").
package struct SegmentPrologue: Sendable, Hashable {
    package static let magic: [UInt8] = Array("CLSEG/".utf8)
    /// The format that is written.
    package static let version: UInt16 = 2
    package static let length = 152

    /// Format 1 forgets earlier what was said before.
    package var format: UInt16
    package var ledger: LedgerID
    package var log: LogID
    package var first: UInt64
    package var count: UInt64
    /// The root of the log at the end of the range: tells branches of one log apart.
    package var root: Bytes32
    package var keyGeneration: UInt64
    /// From which, with the folder key, the file's own key is derived.
    package var salt: [UInt8]
    /// The length of the content before it was sealed.
    package var contentLength: UInt64

    /// How much of its intervals is remembered for those that follow.
    package var memory: StreamMemory { Self.memory(ofFormat: format) }

    static func memory(ofFormat format: UInt16) -> StreamMemory { format == 1 ? .narrow : .wide }

    package var end: UInt64 { first + count }
    package var tip: Tip { Tip(log: log, size: end, root: root) }

    /// The length of the whole file.
    package var fileLength: Int {
        Self.length + Sealing.sealedLength(of: Int(contentLength)) + SegmentTrailer.length
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter(reserving: Self.length)
        writer.raw(Self.magic)
        writer.fixed(format)
        writer.half(ledger.raw)
        writer.half(log.raw)
        writer.fixed(first)
        writer.fixed(count)
        writer.hash(root)
        writer.fixed(keyGeneration)
        writer.raw(salt)
        writer.fixed(contentLength)
        writer.raw([UInt8](repeating: 0, count: Self.length - writer.bytes.count))
        return writer.bytes
    }

    /// Reads a prologue.
    ///
    /// - Parameter bytes: the beginning of a file, as much of it as there is.
    /// - Throws: `notASegment`, `incomplete`, `version`, `limit` or `malformed`.
    package init(_ bytes: [UInt8]) throws(SyncError) {
        guard bytes.starts(with: Self.magic.prefix(bytes.count)) else {
            throw SyncError(.notASegment, "The file is not a segment of a consent ledger.")
        }
        guard bytes.count >= Self.length else {
            throw SyncError(.incomplete, "The file ends within its prologue; it may still grow.")
        }
        self = try ByteReader.decode(Array(bytes.prefix(Self.length))) {
            (reader) throws(SyncError) in try SegmentPrologue(&reader)
        }
    }

    private init(_ reader: inout ByteReader) throws(SyncError) {
        _ = try reader.take(Self.magic.count)
        format = try reader.fixed(UInt16.self)
        guard (1...Self.version).contains(format) else {
            throw SyncError(
                .version,
                "A segment of format \(format); this version reads formats 1 to \(Self.version), "
                    + "a newer ledgerd reads it.")
        }
        ledger = LedgerID(raw: try reader.half())
        log = LogID(raw: try reader.half())
        first = try reader.fixed(UInt64.self)
        count = try reader.fixed(UInt64.self)
        root = try reader.hash()
        keyGeneration = try reader.fixed(UInt64.self)
        salt = Array(try reader.take(Sealing.saltLength))
        contentLength = try reader.fixed(UInt64.self)
        guard count > 0, count <= WireLimits.sizeMax, first <= WireLimits.sizeMax - count else {
            throw reader.malformed("an impossible range")
        }
        guard contentLength <= UInt64(SegmentFormat.contentLengthMax) else {
            throw SyncError(.limit, "A segment of over 16 MiB.")
        }
        guard try reader.take(reader.remaining).allSatisfy({ $0 == 0 }) else {
            throw reader.malformed("reserved bytes are set")
        }
    }

    package init(
        ledger: LedgerID, log: LogID, first: UInt64, count: UInt64, root: Bytes32,
        keyGeneration: UInt64, salt: [UInt8], contentLength: UInt64, format: UInt16 = Self.version
    ) {
        self.format = format
        self.ledger = ledger
        self.log = log
        self.first = first
        self.count = count
        self.root = root
        self.keyGeneration = keyGeneration
        self.salt = salt
        self.contentLength = contentLength
    }
}

package import Ledger

/// The end of a segment: the length of all before it and SHA-256 over that and the length.
///
/// It alone decides whether a file is whole: names, times and locks in a synchronised folder lie.
package enum SegmentTrailer {
    package static let length = 40

    package static func append(to file: inout [UInt8]) throws(LedgerError) {
        var writer = ByteWriter(reserving: 8)
        writer.fixed(UInt64(file.count))
        file += writer.bytes
        file += try Crypto.sha256(file).bytes
    }

    package static func isValid(_ file: [UInt8]) throws(LedgerError) -> Bool {
        guard file.count >= length else { return false }
        let hashed = file.count - 32
        let announced = file[(hashed - 8)..<hashed].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard announced == UInt64(hashed - 8) else { return false }
        let digest = try Digester()
        let found = file.withUnsafeBytes {
            digest.digest(UnsafeRawBufferPointer(rebasing: $0[..<hashed]))
        }
        return found.bytes == Array(file[hashed...])
    }
}

/// Makes and reads whole segment files in memory.
package enum SegmentFormat {
    /// What a file may hold before it is sealed; writers stay near 1 MiB.
    package static let contentLengthMax = 16 << 20
    package static let contentLengthTarget = 1 << 20
    package static let suffix = ".cls"

    /// Packs contiguous intervals of one log.
    package static func encode(
        _ intervals: [Interval], of ledger: LedgerID, host: any IntervalHost, key: [UInt8],
        generation: UInt64, salt: [UInt8]
    ) throws(SyncError) -> [UInt8] {
        var builder = SegmentBuilder(ledger: ledger, host: host)
        for interval in intervals { try builder.append(interval) }
        return try builder.sealed(key: key, generation: generation, salt: salt).file
    }

    /// Judges a file by its content alone, without the key.
    package static func checkWhole(
        _ file: [UInt8], _ prologue: SegmentPrologue
    ) throws(SyncError) {
        guard file.count >= prologue.fileLength else {
            throw SyncError(.incomplete, "The file is cut off; it is taken once it is whole.")
        }
        let isValid = try fromLedger { () throws(LedgerError) in try SegmentTrailer.isValid(file) }
        guard file.count == prologue.fileLength, isValid else {
            throw SyncError(.malformed, "The file is damaged; it is left as it is.")
        }
    }

    /// Opens a whole file; its intervals are decoded when their turn comes.
    ///
    /// A generation has several keys when replicas made one apart; each of `keys` is tried.
    ///
    /// - Throws: `otherKey` when none of them opens it, `malformed` when its content is not what the
    ///   prologue announces.
    static func open(
        _ file: [UInt8], _ prologue: SegmentPrologue, host: any IntervalHost, keys: [[UInt8]]
    ) throws(SyncError) -> EncodedIntervals {
        let sealed = file[SegmentPrologue.length..<(file.count - SegmentTrailer.length)]
        let clear = Array(file.prefix(SegmentPrologue.length))
        for key in keys {
            let fileKey = try fromLedger { () throws(LedgerError) in
                try Sealing.fileKey(key, salt: prologue.salt)
            }
            guard let content = try Sealing.open(sealed, key: fileKey, prologue: clear) else {
                continue
            }
            let decoder = IntervalDecoder(host: host, memory: prologue.memory)
            return EncodedIntervals(
                try intervals(in: content, prologue), of: prologue.log, decoder)
        }
        throw SyncError(
            .otherKey, "The file is sealed with another key, or was made up without it.")
    }

    private static func intervals(
        in content: [UInt8], _ prologue: SegmentPrologue
    ) throws(SyncError) -> [EncodedIntervals.Item] {
        try ByteReader.decode(content) { (reader) throws(SyncError) in
            var items: [EncodedIntervals.Item] = []
            var next = prologue.first
            while reader.remaining > 0 {
                let length = try reader.number(atMost: reader.remaining, "an interval")
                let item = try EncodedIntervals.Item(Array(try reader.take(length)))
                guard item.head.first == next else { throw reader.malformed("a gap") }
                next = item.head.end
                items.append(item)
            }
            guard next == prologue.end, items.last?.head.root == prologue.root else {
                throw reader.malformed("another range than announced")
            }
            return items
        }
    }
}

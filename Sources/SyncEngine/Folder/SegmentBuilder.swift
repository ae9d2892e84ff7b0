package import Ledger

/// Collects contiguous intervals of one log and seals them into a segment.
package struct SegmentBuilder {
    private let ledger: LedgerID
    private let format: UInt16
    private var content = ByteWriter(reserving: SegmentFormat.contentLengthTarget + (64 << 10))
    private var first: UInt64 = 0
    private var last: Tip?

    private var encoder: IntervalEncoder

    package init(
        ledger: LedgerID, host: any IntervalHost, format: UInt16 = SegmentPrologue.version
    ) {
        self.ledger = ledger
        self.format = format
        encoder = IntervalEncoder(host: host, memory: SegmentPrologue.memory(ofFormat: format))
    }

    /// How long the content is so far.
    package var length: Int { content.bytes.count }

    package mutating func append(_ interval: Interval) throws(SyncError) {
        let tip = interval.tip
        guard last == nil || last?.log == tip.log && last?.size == interval.first else {
            throw SyncError(.invalid, "A segment holds neighbouring intervals of one log.")
        }
        if last == nil { first = interval.first }
        let encoded = try encoder.encode(interval)
        content.number(UInt64(encoded.count))
        content.raw(encoded)
        guard length <= SegmentFormat.contentLengthMax else {
            throw SyncError(
                .limit, "An interval of log \(tip.log.short) is too large for a segment.")
        }
        last = tip
    }

    /// The bytes of the file.
    package func sealed(
        key: [UInt8], generation: UInt64, salt: [UInt8]
    ) throws(SyncError) -> (prologue: SegmentPrologue, file: [UInt8]) {
        guard let last else {
            throw SyncError(.invalid, "A segment needs at least one interval.")
        }
        let prologue = SegmentPrologue(
            ledger: ledger, log: last.log, first: first, count: last.size - first,
            root: last.root, keyGeneration: generation, salt: salt,
            contentLength: UInt64(length), format: format)
        let clear = prologue.encoded
        var file = clear
        file.reserveCapacity(prologue.fileLength)
        let fileKey = try fromLedger { () throws(LedgerError) in
            try Sealing.fileKey(key, salt: salt)
        }
        try Sealing.seal(content.bytes, key: fileKey, prologue: clear, to: &file)
        do throws(LedgerError) { try SegmentTrailer.append(to: &file) } catch {
            throw SyncError(error)
        }
        return (prologue, file)
    }
}

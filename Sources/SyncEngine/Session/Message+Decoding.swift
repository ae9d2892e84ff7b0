internal import Ledger

extension Message {
    /// Decodes a frame.
    ///
    /// - Returns: nil for a type this version does not know and need not understand.
    package static func decode(_ frame: Frame) throws(SyncError) -> Message? {
        guard let type = FrameType(rawValue: frame.type) else {
            guard frame.flags & Frame.mustUnderstand == 0 else {
                throw SyncError(
                    .version,
                    "The peer sent frame type \(frame.type), which this version does not know; "
                        + "update this side.")
            }
            return nil
        }
        return try ByteReader.decode(frame.body) { (reader) throws(SyncError) in
            switch type {
            case .hello: .hello(try hello(&reader))
            case .tips: try tips(&reader)
            case .want: .want(try want(&reader))
            case .part: .part(try part(&reader))
            case .end: .end(try end(&reader))
            case .acknowledge:
                .acknowledge(
                    Acknowledgement(
                        stream: try reader.fixed(UInt32.self), size: try size(&reader),
                        newEvents: try size(&reader), credit: try size(&reader)))
            case .setAside:
                .setAside(
                    Refusal(
                        log: LogID(raw: try reader.half()), size: try size(&reader),
                        reason: try reader.text(atMost: WireLimits.reasonLengthMax)))
            case .digest:
                .digest(RoundEnd(round: try reader.number(), digest: try reader.hash()))
            case .bye: .bye(try bye(&reader))
            }
        }
    }

    private static func hello(_ reader: inout ByteReader) throws(SyncError) -> Hello {
        guard try reader.fixed(UInt32.self) == Hello.magic else {
            throw reader.malformed("not a consent ledger")
        }
        let (low, high) = (try reader.number(), try reader.number())
        guard low <= high else { throw reader.malformed("versions in the wrong order") }
        return Hello(
            versions: low...high, ledger: LedgerID(raw: try reader.half()),
            replica: try reader.hash(), nonce: try reader.half(), digest: try reader.hash())
    }

    private static func size(_ reader: inout ByteReader) throws(SyncError) -> UInt64 {
        let value = try reader.number()
        guard value <= WireLimits.sizeMax else { throw reader.malformed("a size over 2^53") }
        return value
    }

    private static func tip(_ reader: inout ByteReader) throws(SyncError) -> Tip {
        Tip(
            log: LogID(raw: try reader.half()), size: try size(&reader), root: try reader.hash())
    }

    private static func tips(_ reader: inout ByteReader) throws(SyncError) -> Message {
        let isLast = try reader.byte() == 1
        let count = try reader.number(atMost: WireLimits.tipsPerFrameMax, "tips")
        guard count <= reader.remaining / 50 else { throw reader.malformed("cut off") }
        var entries: [TipEntry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let tip = try tip(&reader)
            let missing = try size(&reader)
            let digest = missing > 0 ? try reader.fixed(UInt64.self) : 0
            guard tip.size > 0, missing <= tip.size else { throw reader.malformed("an empty tip") }
            entries.append(TipEntry(tip: tip, missingCount: missing, missingDigest: digest))
        }
        return .tips(entries, isLast: isLast)
    }

    private static func want(_ reader: inout ByteReader) throws(SyncError) -> Want {
        let want = Want(
            stream: try reader.fixed(UInt32.self), tip: try tip(&reader),
            first: try size(&reader), end: try size(&reader), credit: try size(&reader),
            wholeIDs: try reader.flag())
        guard want.first < want.end, want.end <= want.tip.size else {
            throw reader.malformed("an impossible range")
        }
        return want
    }

    private static func part(_ reader: inout ByteReader) throws(SyncError) -> Part {
        Part(
            stream: try reader.fixed(UInt32.self), isLast: try reader.byte() == 1,
            bytes: Array(try reader.take(reader.remaining)))
    }

    private static func end(_ reader: inout ByteReader) throws(SyncError) -> StreamEnd {
        let stream = try reader.fixed(UInt32.self)
        guard let outcome = StreamEnd.Outcome(rawValue: try reader.byte()) else {
            throw reader.malformed("an unknown outcome")
        }
        return StreamEnd(stream: stream, outcome: outcome)
    }

    private static func bye(_ reader: inout ByteReader) throws(SyncError) -> Bye {
        let reason = Bye.Reason(rawValue: try reader.byte()) ?? .failed
        return Bye(reason: reason, text: try reader.text(atMost: WireLimits.reasonLengthMax))
    }
}

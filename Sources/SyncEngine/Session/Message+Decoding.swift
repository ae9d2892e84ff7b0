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
            case .ranges: try ranges(&reader)
            case .news: .news(try entries(&reader))
            case .ping: .ping(try reader.hash())
            case .pong: .pong(try reader.hash())
            case .push: .push(try push(&reader))
            case .taken:
                .taken(
                    Taken(
                        log: LogID(raw: try reader.half()), size: try size(&reader),
                        newEvents: try size(&reader)))
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
            replica: try reader.hash(), digest: try reader.hash(), staysOpen: try reader.flag())
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

    private static func ranges(_ reader: inout ByteReader) throws(SyncError) -> Message {
        let isLast = try reader.flag()
        let count = try reader.number(atMost: reader.remaining, "ranges")
        var ranges: [TipRange] = []
        for _ in 0..<count { ranges.append(try range(&reader)) }
        return .ranges(ranges, isLast: isLast)
    }

    private static func range(_ reader: inout ByteReader) throws(SyncError) -> TipRange {
        let kind = try reader.byte()
        guard kind <= 7 else { throw reader.malformed("an unknown range") }
        var end: LogID?
        if kind & 4 != 0 {
            let count = try reader.number(atMost: 16, "a boundary")
            let bytes = Array(try reader.take(count))
            guard let last = bytes.last, last != 0 else {
                throw reader.malformed("a boundary not in the fewest bytes")
            }
            end = LogID(bytes: bytes + [UInt8](repeating: 0, count: 16 - count))
        }
        switch kind & 3 {
        case 0: return TipRange(end: end, .same)
        case 1: return TipRange(end: end, .fingerprint(try reader.half()))
        case 2: return TipRange(end: end, .list(try entries(&reader)))
        default: return TipRange(end: end, .rest(try entries(&reader)))
        }
    }

    private static func entries(_ reader: inout ByteReader) throws(SyncError) -> [TipEntry] {
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
        return entries
    }

    private static func push(_ reader: inout ByteReader) throws(SyncError) -> Push {
        Push(
            log: LogID(raw: try reader.half()), bytes: Array(try reader.take(reader.remaining)))
    }

    private static func want(_ reader: inout ByteReader) throws(SyncError) -> Want {
        var want = Want(
            stream: try reader.fixed(UInt32.self), tip: try tip(&reader),
            first: try size(&reader), end: try size(&reader), credit: try size(&reader))
        let flags = try reader.byte()
        guard flags <= 3 else { throw reader.malformed("unknown flags") }
        (want.wholeIDs, want.continues) = (flags & 1 == 1, flags & 2 == 2)
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

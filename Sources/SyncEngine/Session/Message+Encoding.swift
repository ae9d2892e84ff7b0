internal import Ledger

extension Message {
    /// The frame's bytes, length field and all.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .hello(let hello): Self.append(hello, &writer)
        case .ranges(let ranges, let isLast):
            writer.byte(isLast ? 1 : 0)
            writer.number(UInt64(ranges.count))
            for range in ranges { Self.append(range, &writer) }
        case .news(let entries): Self.append(entries, &writer)
        case .ping(let digest), .pong(let digest): writer.hash(digest)
        case .push(let push):
            writer.half(push.log.raw)
            writer.raw(push.bytes)
        case .taken(let taken):
            writer.half(taken.log.raw)
            writer.number(taken.size)
            writer.number(taken.newEvents)
        case .want(let want):
            writer.fixed(want.stream)
            Self.append(want.tip, &writer)
            writer.number(want.first)
            writer.number(want.end)
            writer.number(want.credit)
            writer.byte((want.wholeIDs ? 1 : 0) | (want.continues ? 2 : 0))
        case .part(let part):
            return Self.encode(part.bytes[...], of: part.stream, isLast: part.isLast)
        case .end(let end):
            writer.fixed(end.stream)
            writer.byte(end.outcome.rawValue)
        case .acknowledge(let message):
            writer.fixed(message.stream)
            writer.number(message.size)
            writer.number(message.newEvents)
            writer.number(message.credit)
        case .setAside(let refusal):
            writer.half(refusal.log.raw)
            writer.number(refusal.size)
            writer.text(refusal.reason.clipped)
        case .digest(let end):
            writer.number(end.round)
            writer.hash(end.digest)
        case .bye(let bye):
            writer.byte(bye.reason.rawValue)
            writer.text(bye.text.clipped)
        }
        return Frame.encode(type, writer.bytes)
    }

    /// The frames of one encoded interval.
    package static func parts(of bytes: [UInt8], stream: UInt32) -> [UInt8] {
        let size = WireLimits.partLengthMax
        var frames: [UInt8] = []
        frames.reserveCapacity(bytes.count + 16 * (bytes.count / size + 1))
        for start in stride(from: 0, to: max(bytes.count, 1), by: size) {
            let end = min(start + size, bytes.count)
            frames += encode(bytes[start..<end], of: stream, isLast: end == bytes.count)
        }
        return frames
    }

    private static func encode(
        _ bytes: ArraySlice<UInt8>, of stream: UInt32, isLast: Bool
    ) -> [UInt8] {
        var writer = ByteWriter(reserving: bytes.count + 11)
        writer.fixed(UInt32(bytes.count + 5 + Frame.headLength))
        writer.byte(FrameType.part.rawValue)
        writer.byte(Frame.mustUnderstand)
        writer.fixed(stream)
        writer.byte(isLast ? 1 : 0)
        writer.raw(bytes)
        return writer.bytes
    }

    private var type: FrameType {
        switch self {
        case .hello: .hello
        case .ranges: .ranges
        case .want: .want
        case .part: .part
        case .end: .end
        case .acknowledge: .acknowledge
        case .setAside: .setAside
        case .digest: .digest
        case .bye: .bye
        case .news: .news
        case .ping: .ping
        case .pong: .pong
        case .push: .push
        case .taken: .taken
        }
    }

    private static func append(_ hello: Hello, _ writer: inout ByteWriter) {
        writer.fixed(Hello.magic)
        writer.number(hello.versions.lowerBound)
        writer.number(hello.versions.upperBound)
        writer.half(hello.ledger.raw)
        writer.hash(hello.replica)
        writer.hash(hello.digest)
        writer.byte(hello.staysOpen ? 1 : 0)
    }

    private static func append(_ tip: Tip, _ writer: inout ByteWriter) {
        writer.half(tip.log.raw)
        writer.number(tip.size)
        writer.hash(tip.root)
    }

    private static func append(_ range: TipRange, _ writer: inout ByteWriter) {
        let kind: UInt8 =
            switch range.content {
            case .same: 0
            case .fingerprint: 1
            case .list: 2
            case .rest: 3
            }
        writer.byte(kind | (range.end == nil ? 0 : 4))
        if let end = range.end {
            // The zeros at the end of a boundary go without saying.
            let bytes = end.bytes
            let count = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
            writer.byte(UInt8(count))
            writer.raw(bytes[..<count])
        }
        switch range.content {
        case .same: break
        case .fingerprint(let fingerprint): writer.half(fingerprint)
        case .list(let entries), .rest(let entries): append(entries, &writer)
        }
    }

    private static func append(_ entries: [TipEntry], _ writer: inout ByteWriter) {
        writer.number(UInt64(entries.count))
        for entry in entries {
            append(entry.tip, &writer)
            writer.number(entry.missingCount)
            if entry.missingCount > 0 { writer.fixed(entry.missingDigest) }
        }
    }
}

extension String {
    /// Short enough for a frame and for a log line; a character that is cut is replaced.
    var clipped: String {
        guard utf8.count > WireLimits.reasonLengthMax else { return self }
        return String(decoding: utf8.prefix(WireLimits.reasonLengthMax - 16), as: UTF8.self)
    }
}

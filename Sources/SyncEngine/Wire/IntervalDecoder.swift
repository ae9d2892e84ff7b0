package import Ledger

/// Rebuilds the intervals of one stream; the headers come out byte for byte as they were hashed.
///
/// Nothing is believed: a wrong field gives another header, hence another root, and the ledger
/// refuses the interval. What is checked here is that no header breaks the layout's own rules, and
/// that a few bytes do not become many without limit. After an error the stream is over.
package struct IntervalDecoder: Sendable {
    private let host: any IntervalHost
    private let memory: StreamMemory
    private var shapes: [Shape] = []
    private var tags: [SubjectTag] = []
    private var values = ValueList()
    /// The tags of remembered subjects, by the value's number.
    private var subjectTags: [Int: SubjectTag] = [:]
    private var recent = RecentIDs()
    private var milliseconds: Int64 = 0
    private var counter = 0
    /// How often everything remembered was forgotten.
    private(set) var forgettings = 0

    /// What the payload in hand is put together in, behind its salt.
    private var body: [UInt8] = []
    /// The tag of the subject that the payload in hand names.
    private var derivedTag: SubjectTag?

    struct Shape: Sendable {
        var kind: EventKind
        var flags: UInt8
        var keys: [UInt8] = []

        var hole: UInt8 { flags >> ShapeFlag.holeShift & ShapeFlag.holeMask }
    }

    private static let saltLength = 16

    /// Begins a stream of a sender that remembers as much as `memory`.
    package init(host: any IntervalHost, memory: StreamMemory = .wide) {
        self.host = host
        self.memory = memory
    }

    /// Decodes the stream's next interval.
    package mutating func decode(
        _ bytes: [UInt8], of log: LogID
    ) throws(SyncError) -> Interval {
        try ByteReader.decode(bytes) { (reader) throws(SyncError) in
            try interval(of: log, &reader)
        }
    }

    /// Decodes an interval that fills the rest of the reader.
    package mutating func interval(
        of log: LogID, _ reader: inout ByteReader
    ) throws(SyncError) -> Interval {
        let digester = try fromLedger { () throws(LedgerError) in try Digester() }
        let head = try IntervalHead(&reader)
        let (first, count) = (head.first, head.count)
        let signature = Array(try reader.take(64))
        let rawLength = try reader.number(atMost: WireLimits.intervalLengthMax, "hashes")
        guard count <= rawLength / 16 else {
            throw reader.malformed("more events announced than bytes sent")
        }
        let raw = ByteReader(try reader.take(rawLength))
        let content = try Self.content(&reader)
        let (events, ids) = try content.withBytes { (bytes) throws(SyncError) in
            var parts = try ColumnReader(bytes, raw: raw)
            return try self.events(
                of: log, first..<(first + UInt64(count)), &parts, digester)
        }
        forgetIfFull()
        let checkpoint = Checkpoint(
            log: log, size: head.end, root: head.root, signature: signature)
        return Interval(first: first, events: events, checkpoint: checkpoint, ids: ids)
    }

    /// The columns, expanded.
    private static func content(_ reader: inout ByteReader) throws(SyncError) -> Content {
        let length = try reader.number()
        guard length >> 1 <= UInt64(WireLimits.intervalContentMax) else {
            throw SyncError(.limit, "An interval's content is over 16 MiB.")
        }
        let rest = try reader.take(reader.remaining)
        if length & 1 == 1 { return Content(try Deflate.expand(rest, to: Int(length >> 1))) }
        guard Int(length >> 1) == rest.count else { throw reader.malformed("another length") }
        return Content(Array(rest))
    }

    private struct Content {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func withBytes<T>(
            _ body: (UnsafeRawBufferPointer) throws(SyncError) -> T
        ) throws(SyncError) -> T {
            let outcome: Result<T, SyncError> = bytes.withUnsafeBytes { buffer in
                do throws(SyncError) { return .success(try body(buffer)) } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }

    /// What is kept from the intervals so far.
    var remembered: (entries: Int, bytes: Int) {
        (values.count + shapes.count + tags.count, values.arena.count)
    }

    private mutating func forgetIfFull() {
        let (entries, bytes) = remembered
        guard memory.isFull(entries: entries, bytes: bytes) else { return }
        forgettings += 1
        shapes = []
        tags = []
        values = ValueList()
        subjectTags = [:]
    }

    private mutating func events(
        of log: LogID, _ sequences: Range<UInt64>, _ parts: inout ColumnReader,
        _ digester: Digester
    ) throws(SyncError) -> (events: [StoredEvent], ids: [EventID]) {
        recent.begin(at: sequences.lowerBound, of: log)
        let earlier = try earlierIDs(of: log, sequences, parts)
        var events: [StoredEvent] = []
        events.reserveCapacity(sequences.count)
        var ids: [EventID] = []
        ids.reserveCapacity(sequences.count)
        var headerBytes: [UInt8] = []
        var length = 0
        for sequence in sequences {
            let event = try event(
                EventPlace(log: log, sequence: sequence, end: sequences.upperBound), &parts,
                earlier, digester)
            // A token of a byte may stand for a value of 256: what comes out is bounded, too.
            length += event.body?.payloadLength ?? 0
            guard length <= WireLimits.intervalContentMax else {
                throw SyncError(.limit, "An interval's payloads are over 16 MiB.")
            }
            let id = event.header.id(digester, in: &headerBytes)
            recent.add(id)
            ids.append(id)
            events.append(event)
        }
        try parts.end()
        return (events, ids)
    }

    /// The ids that references beyond the stream stand for, looked up at once.
    private func earlierIDs(
        of log: LogID, _ sequences: Range<UInt64>, _ parts: ColumnReader
    ) throws(SyncError) -> [UInt64: EventID] {
        var reader = parts
        var wanted: Set<UInt64> = []
        while !reader.isAtEnd(Column.reference) {
            let distance = try reader.number(Column.reference)
            guard distance > UInt64(sequences.count) else { continue }
            guard distance <= sequences.upperBound else {
                throw reader.malformed("a reference to before the log")
            }
            let sequence = sequences.upperBound - distance
            if recent.id(at: sequence) == nil { wanted.insert(sequence) }
        }
        guard !wanted.isEmpty else { return [:] }
        let sorted = wanted.sorted()
        let ids = try fromLedger { () throws(LedgerError) in
            try host.eventIDs(at: sorted, of: log)
        }
        var found: [UInt64: EventID] = [:]
        for (sequence, id) in zip(sorted, ids) { found[sequence] = id }
        return found
    }

    private struct EventPlace {
        let log: LogID
        let sequence: UInt64
        /// The interval's.
        let end: UInt64
    }

    private mutating func event(
        _ place: EventPlace, _ parts: inout ColumnReader, _ earlier: [UInt64: EventID],
        _ digester: Digester
    ) throws(SyncError) -> StoredEvent {
        let shape = try shape(&parts)
        body.removeAll(keepingCapacity: true)
        if shape.hole == 0 { body += try parts.raw.take(Self.saltLength) }
        let commitment = shape.hole == 0 ? Bytes32.zero : try parts.raw.hash()
        let timestamp = try timestamp(&parts)
        var listed = SubjectTag.none
        let tagMode = ShapeFlag.Tag(rawValue: shape.flags >> ShapeFlag.tagShift & ShapeFlag.tagMask)
        if tagMode == .listed { listed = try tag(&parts) }
        let replaces = try replaces(shape, place, &parts, earlier)
        derivedTag = nil
        if shape.hole == 0 {
            try appendPayload(shape, place, &parts, earlier)
            guard body.count - Self.saltLength <= EventHeader.payloadLengthMax else {
                throw parts.malformed("a payload over 64 KiB")
            }
        }
        if tagMode == .derived {
            guard let derivedTag else { throw parts.malformed("no subject that gives the tag") }
            listed = derivedTag
        }
        let length =
            shape.hole == 0
            ? body.count - Self.saltLength
            : try parts.number(
                Column.holeLength, atMost: EventHeader.payloadLengthMax, "a payload")
        let header = EventHeader(
            log: place.log, sequence: place.sequence, timestamp: timestamp, kind: shape.kind,
            isCritical: shape.flags & ShapeFlag.critical != 0, replaces: replaces,
            subjectTag: listed, payloadLength: length,
            commitment: shape.hole == 0
                ? body.withUnsafeBytes { digester.digest($0) } : commitment)
        guard shape.hole == 0 else {
            return StoredEvent(header: header, hole: .init(rawValue: shape.hole) ?? .missing)
        }
        return StoredEvent(header: header, body: .init(bytes: Array(body)))
    }

    private mutating func shape(_ parts: inout ColumnReader) throws(SyncError) -> Shape {
        let token = try parts.number(Column.shape)
        guard token == 0 else {
            guard token <= UInt64(shapes.count) else {
                throw parts.malformed("a shape that did not come before")
            }
            return shapes[Int(token) - 1]
        }
        let kind = UInt16(try parts.byte(Column.newShape)) << 8
        var shape = Shape(
            kind: EventKind(code: kind | UInt16(try parts.byte(Column.newShape))),
            flags: try parts.byte(Column.newShape))
        let tag = ShapeFlag.Tag(rawValue: shape.flags >> ShapeFlag.tagShift & ShapeFlag.tagMask)
        let hasFields = shape.flags & ShapeFlag.fields != 0
        guard shape.flags & ~ShapeFlag.known == 0, let tag,
            shape.hole == 0 || (!hasFields && tag != .derived)
        else { throw parts.malformed("flags that do not go together") }
        if hasFields {
            let count = Int(try parts.byte(Column.newShape))
            guard count <= CBORFields.keysMax else { throw parts.malformed("over 64 fields") }
            shape.keys = Array(try parts.take(Column.newShape, count))
            guard shape.keys.last ?? 0 < CBORFields.keysMax,
                zip(shape.keys, shape.keys.dropFirst()).allSatisfy({ $0 < $1 })
            else {
                throw parts.malformed("keys over 63 or unsorted")
            }
        }
        shapes.append(shape)
        return shape
    }

    private mutating func timestamp(_ parts: inout ColumnReader) throws(SyncError) -> Timestamp {
        let step = try parts.signed(Column.time)
        let (sum, overflow) = milliseconds.addingReportingOverflow(step)
        let expected = step == 0 ? Int64(counter) + 1 : 0
        let (value, counterOverflow) = expected.addingReportingOverflow(
            try parts.signed(Column.counter))
        guard !overflow, sum >= 0, sum < 1 << 48, !counterOverflow, value >= 0, value <= 0xFFFF
        else { throw parts.malformed("a time outside 48 bits") }
        milliseconds = sum
        counter = Int(value)
        return Timestamp(value: UInt64(sum) << 16 | UInt64(value))
    }

    private mutating func tag(_ parts: inout ColumnReader) throws(SyncError) -> SubjectTag {
        let token = try parts.number(Column.tag)
        guard token == 0 else {
            guard token <= UInt64(tags.count) else {
                throw parts.malformed("a tag that did not come before")
            }
            return tags[Int(token) - 1]
        }
        let tag = SubjectTag(raw: try parts.raw.half())
        tags.append(tag)
        return tag
    }

    private func replaces(
        _ shape: Shape, _ place: EventPlace, _ parts: inout ColumnReader,
        _ earlier: [UInt64: EventID]
    ) throws(SyncError) -> [EventID] {
        guard shape.flags & ShapeFlag.replaces != 0 else { return [] }
        let count = try parts.number(
            Column.replacedCount, atMost: EventHeader.replacesMax, "replaced ids")
        var ids: [EventID] = []
        for _ in 0..<count {
            let id = try reference(place, &parts, earlier)
            if let last = ids.last, last >= id {
                throw parts.malformed("unsorted replaced ids")
            }
            ids.append(id)
        }
        return ids
    }

    private func reference(
        _ place: EventPlace, _ parts: inout ColumnReader, _ earlier: [UInt64: EventID]
    ) throws(SyncError) -> EventID {
        let distance = try parts.number(Column.reference)
        if distance == 0 { return EventID(raw: try parts.raw.hash()) }
        guard distance <= place.end else { throw parts.malformed("a reference to before the log") }
        let sequence = place.end - distance
        guard sequence < place.sequence, let id = recent.id(at: sequence) ?? earlier[sequence]
        else { throw parts.malformed("a reference to an event that is not here") }
        return id
    }

    // MARK: Payloads

    private mutating func appendPayload(
        _ shape: Shape, _ place: EventPlace, _ parts: inout ColumnReader,
        _ earlier: [UInt64: EventID]
    ) throws(SyncError) {
        guard shape.flags & ShapeFlag.fields != 0 else {
            return try appendValue(Column.wholePayload, place, &parts, earlier)
        }
        CBORFields.appendHead(count: shape.keys.count, to: &body)
        for key in shape.keys {
            CBORFields.append(key: key, to: &body)
            try appendValue(Int(key), place, &parts, earlier)
            guard body.count <= EventHeader.payloadLengthMax + Self.saltLength else {
                throw parts.malformed("a payload over 64 KiB")
            }
        }
    }

    private mutating func appendValue(
        _ key: Int, _ place: EventPlace, _ parts: inout ColumnReader,
        _ earlier: [UInt64: EventID]
    ) throws(SyncError) {
        let token = try parts.number(Column.tokens(key))
        let start = body.count
        let number: Int
        if token > 0 {
            guard token <= UInt64(values.count(key)), let range = values.value(key, Int(token) - 1)
            else { throw parts.malformed("a value that did not come before") }
            body += values.arena[range]
            number = Int(token) - 1
        } else {
            try appendLiteral(key, place, &parts, earlier)
            number = values.count(key)
            body.withUnsafeBytes {
                values.add(key, UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
        }
        if key == Int(Payload.subjectKey) { try deriveTag(number, start, isKnown: token > 0) }
    }

    /// The tag of the subject that was just put into the payload, computed once a stream.
    private mutating func deriveTag(
        _ number: Int, _ start: Int, isKnown: Bool
    ) throws(SyncError) {
        if isKnown, let known = subjectTags[number] {
            derivedTag = known
            return
        }
        let name = body.withUnsafeBytes {
            CBORFields.text(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        guard let name else { return }
        derivedTag = try fromLedger { () throws(LedgerError) in try host.subjectTag(of: name) }
        // One that is too long to be remembered has no number of its own.
        if number < values.count(Int(Payload.subjectKey)) { subjectTags[number] = derivedTag }
    }

    private mutating func appendLiteral(
        _ key: Int, _ place: EventPlace, _ parts: inout ColumnReader,
        _ earlier: [UInt64: EventID]
    ) throws(SyncError) {
        let column = Column.literals(key)
        let last = values.lasts[key]
        let shared = try parts.number(column, atMost: last.count, "a shared beginning")
        let word = try parts.number(column)
        let count = Int(clamping: word >> 2)
        guard count <= EventHeader.payloadLengthMax else {
            throw parts.malformed("a value over 64 KiB")
        }
        body += values.arena[last.prefix(shared)]
        switch word & 3 {
        case LiteralForm.bytes: body += try parts.take(column, count)
        case LiteralForm.hex:
            for byte in try parts.take(column, count) {
                body.append(Self.hexDigits[Int(byte >> 4)])
                body.append(Self.hexDigits[Int(byte & 15)])
            }
        case LiteralForm.eventID where shared == 0 && count == 0:
            body += LiteralForm.eventIDHead
            try reference(place, &parts, earlier).raw.withBytes { body.append(contentsOf: $0) }
        default: throw parts.malformed("an unknown spelling of a value")
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

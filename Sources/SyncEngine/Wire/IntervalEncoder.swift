package import Ledger

/// Writes the intervals of one stream without what the receiver computes: ids, hashes, the
/// commitments and tags of payloads that travel along, log id and sequences
/// (`docs/SYNC.md`, "Interval").
///
/// A stream is what one receiver decodes in the same order: the answer to one want, the intervals
/// of one file. What was said in it is not said again.
package struct IntervalEncoder: Sendable {
    /// Shorter contents are sent as they are.
    private static let packedLengthMin = 96

    private let host: any IntervalHost
    private let memory: StreamMemory
    /// Whether ids of earlier events of the log are sent as references.
    private var refersToEvents: Bool
    private var shapes: [[UInt8]: Int] = [:]
    private var tags: [SubjectTag: Int] = [:]
    private var values = ValueTable()
    /// The tags of the remembered subjects, by the value's number.
    private var subjectTags: [SubjectTag?] = []
    /// The number of the subject of the payload in hand, once it was looked up.
    private var subjectNumber: Int?
    /// The tag that the ledger derives from the subject of the payload in hand, once computed.
    private var derivedTag: SubjectTag?
    private let references: EventReferences
    private var milliseconds: Int64 = 0
    private var counter = 0

    // What the interval in hand consists of.
    private var columns = [[UInt8]](repeating: [], count: Column.count)
    private var raw: [UInt8] = []
    private var fields: [CBORFields.Field] = []
    private var definition: [UInt8] = []
    private var headerBytes: [UInt8] = []
    private var end: UInt64 = 0
    private var log: LogID?
    /// The sequence of the event in hand: it can refer only to those before it.
    private var sequence: UInt64 = 0

    /// Begins a stream.
    ///
    /// - Parameters:
    ///   - host: the ledger, for the tags of subjects.
    ///   - memory: how much the receiver remembers.
    ///   - references: where events lie, as other streams have found out.
    ///   - wholeIDs: send the ids of events in full, for a receiver that could not use references.
    package init(
        host: any IntervalHost, memory: StreamMemory = .wide,
        references: EventReferences = EventReferences(), wholeIDs: Bool = false
    ) {
        self.host = host
        self.memory = memory
        self.references = references
        refersToEvents = !wholeIDs
    }

    /// Answers the next want of the same receiver.
    package mutating func goOn(wholeIDs: Bool) {
        refersToEvents = !wholeIDs
    }

    /// Encodes the stream's next interval.
    package mutating func encode(_ interval: Interval) throws(SyncError) -> [UInt8] {
        let digester = try fromLedger { () throws(LedgerError) in try Digester() }
        begin(interval)
        for event in interval.events { try append(event, digester) }
        var content = ByteWriter(reserving: columns.reduce(64) { $0 + $1.count })
        var edges: [Int] = []
        content.number(UInt64(columns.count { !$0.isEmpty }))
        for (number, column) in columns.enumerated() where !column.isEmpty {
            content.number(UInt64(number))
            content.number(UInt64(column.count))
        }
        for column in columns where !column.isEmpty {
            content.raw(column)
            edges.append(content.bytes.count)
        }
        var writer = ByteWriter(reserving: raw.count + content.bytes.count + 128)
        writer.number(interval.first)
        writer.number(UInt64(interval.events.count))
        writer.hash(interval.checkpoint.root)
        writer.raw(interval.checkpoint.signature)
        writer.number(UInt64(raw.count))
        writer.raw(raw)
        try Self.append(content.bytes, edges, to: &writer)
        forgetIfFull()
        return writer.bytes
    }

    private static func append(
        _ content: [UInt8], _ edges: [Int], to writer: inout ByteWriter
    ) throws(SyncError) {
        if content.count >= packedLengthMin {
            let packed = try Deflate.compress(content, edges: edges)
            if packed.count < content.count {
                writer.number(UInt64(content.count) << 1 | 1)
                writer.raw(packed)
                return
            }
        }
        writer.number(UInt64(content.count) << 1)
        writer.raw(content)
    }

    private mutating func begin(_ interval: Interval) {
        for index in columns.indices where !columns[index].isEmpty {
            columns[index].removeAll(keepingCapacity: true)
        }
        raw.removeAll(keepingCapacity: true)
        end = interval.first + UInt64(interval.events.count)
        log = interval.checkpoint.log
    }

    private mutating func forgetIfFull() {
        let entries = values.count + shapes.count + tags.count
        guard memory.isFull(entries: entries, bytes: values.arena.count) else { return }
        shapes = [:]
        tags = [:]
        values = ValueTable()
        subjectTags = []
    }

    private mutating func put(_ column: Int, _ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            columns[column].append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        columns[column].append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func put(_ column: Int, signed value: Int64) {
        put(column, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    // MARK: An event

    private mutating func append(
        _ event: StoredEvent, _ digester: Digester
    ) throws(SyncError) {
        let header = event.header
        sequence = header.sequence
        fields.removeAll(keepingCapacity: true)
        var flags = header.isCritical ? ShapeFlag.critical : 0
        if let body = event.body {
            raw += body.bytes[..<(body.bytes.count - body.payloadLength)]
            if body.withPayload({ CBORFields.split($0, into: &fields) }) {
                flags |= ShapeFlag.fields
            } else {
                fields.removeAll(keepingCapacity: true)
            }
        } else {
            raw += header.commitment.bytes
            flags |= event.hole.rawValue << ShapeFlag.holeShift
            put(Column.holeLength, UInt64(header.payloadLength))
        }
        let tag = try tagMode(event)
        flags |= tag.rawValue << ShapeFlag.tagShift
        if !header.replaces.isEmpty { flags |= ShapeFlag.replaces }
        appendShape(header.kind.code, flags)
        appendTime(header.timestamp)
        if tag == .listed { append(header.subjectTag) }
        if !header.replaces.isEmpty {
            put(Column.replacedCount, UInt64(header.replaces.count))
            for id in header.replaces { append(id) }
        }
        if let body = event.body { body.withPayload { append(payload: $0) } }
        guard refersToEvents, header.kind.mayBeReferredTo else { return }
        let id = header.id(digester, in: &headerBytes)
        references.add(id, header.sequence, in: header.log)
    }

    private mutating func appendShape(_ kind: UInt16, _ flags: UInt8) {
        definition.removeAll(keepingCapacity: true)
        definition.append(UInt8(truncatingIfNeeded: kind >> 8))
        definition.append(UInt8(truncatingIfNeeded: kind))
        definition.append(flags)
        if flags & ShapeFlag.fields != 0 {
            definition.append(UInt8(fields.count))
            for field in fields { definition.append(field.key) }
        }
        if let known = shapes[definition] {
            put(Column.shape, UInt64(known) + 1)
        } else {
            shapes[definition] = shapes.count
            put(Column.shape, 0)
            columns[Column.newShape] += definition
        }
    }

    private mutating func appendTime(_ timestamp: Timestamp) {
        let step = timestamp.milliseconds &- milliseconds
        put(Column.time, signed: step)
        let expected = step == 0 ? counter + 1 : 0
        counter = Int(timestamp.counter)
        put(Column.counter, signed: Int64(counter - expected))
        milliseconds = timestamp.milliseconds
    }

    private mutating func append(_ tag: SubjectTag) {
        if let known = tags[tag] {
            put(Column.tag, UInt64(known) + 1)
        } else {
            tags[tag] = tags.count
            put(Column.tag, 0)
            tag.raw.withBytes { raw.append(contentsOf: $0) }
        }
    }

    /// A reference counts back from the interval's last event; 0 is followed by the whole id.
    private mutating func append(_ id: EventID) {
        if let distance = distance(to: id) {
            put(Column.reference, distance)
        } else {
            put(Column.reference, 0)
            id.raw.withBytes { raw.append(contentsOf: $0) }
        }
    }

    /// How far before the interval's end an event was sent; nil for one that was not.
    private func distance(to id: EventID) -> UInt64? {
        guard refersToEvents, let log,
            let found = references.sequence(of: id, in: log), found < sequence
        else { return nil }
        return end - found
    }

    /// Whether the receiver can tell the tag from the payload.
    private mutating func tagMode(_ event: StoredEvent) throws(SyncError) -> ShapeFlag.Tag {
        (derivedTag, subjectNumber) = (nil, nil)
        let tag = event.header.subjectTag
        guard tag != .none else { return .none }
        guard let body = event.body,
            let field = fields.first(where: { $0.key == Payload.subjectKey })
        else { return .listed }
        let number = body.withPayload { bytes in
            values.known(
                Int(Payload.subjectKey), UnsafeRawBufferPointer(rebasing: bytes[field.value]))
        }
        subjectNumber = number
        if let number, let known = subjectTags[number] {
            derivedTag = known
        } else {
            let name = body.withPayload { bytes in
                CBORFields.text(UnsafeRawBufferPointer(rebasing: bytes[field.value]))
            }
            guard let name else { return .listed }
            derivedTag = try fromLedger { () throws(LedgerError) in try host.subjectTag(of: name) }
            if let number { subjectTags[number] = derivedTag }
        }
        return derivedTag == tag ? .derived : .listed
    }

    // MARK: Payloads

    private mutating func append(payload: UnsafeRawBufferPointer) {
        guard !fields.isEmpty else {
            // An empty map is taken apart into nothing; anything else is one value.
            if !(payload.count == 1 && payload[0] == 0xA0) {
                append(Column.wholePayload, payload)
            }
            return
        }
        for field in fields {
            if field.key == Payload.subjectKey, let subjectNumber {
                put(Column.tokens(Int(field.key)), UInt64(subjectNumber) + 1)
            } else {
                append(Int(field.key), UnsafeRawBufferPointer(rebasing: payload[field.value]))
            }
        }
    }

    private mutating func append(_ key: Int, _ value: UnsafeRawBufferPointer) {
        if let known = values.index(key, value) {
            return put(Column.tokens(key), UInt64(known) + 1)
        }
        put(Column.tokens(key), 0)
        appendLiteral(key, value)
        guard value.count <= StreamMemory.valueLengthMax else { return }
        values.noteLast(key, count: value.count)
        if key == Int(Payload.subjectKey) { subjectTags.append(derivedTag) }
    }

    private mutating func appendLiteral(_ key: Int, _ value: UnsafeRawBufferPointer) {
        let column = Column.literals(key)
        if value.count == 34, value.starts(with: LiteralForm.eventIDHead),
            let id = value.baseAddress.map({ EventID(raw: Bytes32(at: $0 + 2)) }),
            let distance = distance(to: id)
        {
            put(column, 0)
            put(column, LiteralForm.eventID)
            return put(Column.reference, distance)
        }
        let last = values.last(key)
        var shared = 0
        while shared < min(last.count, value.count),
            values.arena[last.lowerBound + shared] == value[shared]
        {
            shared += 1
        }
        if let start = Self.hexStart(value, shared: shared) {
            put(column, UInt64(start))
            put(column, UInt64((value.count - start) / 2) << 2 | LiteralForm.hex)
            for place in stride(from: start, to: value.count, by: 2) {
                columns[column].append(
                    (Self.hexDigit(value[place]) ?? 0) << 4
                        | (Self.hexDigit(value[place + 1]) ?? 0))
            }
        } else {
            put(column, UInt64(shared))
            put(column, UInt64(value.count - shared) << 2 | LiteralForm.bytes)
            columns[column].append(contentsOf: value[shared...])
        }
    }

    /// From where on a value is an even number of hexadecimal digits, where that is worth it.
    private static func hexStart(_ value: UnsafeRawBufferPointer, shared: Int) -> Int? {
        guard value.count - shared >= 8, value[shared...].allSatisfy({ hexDigit($0) != nil })
        else { return nil }
        if (value.count - shared).isMultiple(of: 2) { return shared }
        return shared > 0 && hexDigit(value[shared - 1]) != nil ? shared - 1 : nil
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

extension EventKind {
    /// Events that others name: questions are answered, decisions are replaced.
    var mayBeReferredTo: Bool {
        self == .promptAsked || self == .answerGiven || self == .settingsChanged
    }
}

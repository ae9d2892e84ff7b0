package import Ledger

/// Rebuilds intervals; the headers come out byte for byte as their writer hashed them.
///
/// Nothing is believed: a wrong field gives another header, hence another root, and the ledger
/// refuses the interval. What is checked here is that no header breaks the layout's own rules.
package struct IntervalDecoder {
    private let digester: Digester
    private static let saltLength = 16
    /// Flags, time, payload length and a salt without payload.
    private static let eventLengthMin = 19
    private static let knownFlags: UInt8 = 0x7F

    package init() throws(SyncError) {
        digester = try fromLedger { () throws(LedgerError) in try Digester() }
    }

    /// Decodes exactly one interval of a log.
    package func decode(_ bytes: [UInt8], of log: LogID) throws(SyncError) -> Interval {
        try ByteReader.decode(bytes) { (reader) throws(SyncError) in
            try interval(of: log, &reader)
        }
    }

    package func interval(of log: LogID, _ reader: inout ByteReader) throws(SyncError) -> Interval {
        let first = try reader.number()
        let count = try reader.number(atMost: WireLimits.intervalEventsMax, "events")
        guard count > 0, first < WireLimits.sizeMax - UInt64(count) else {
            throw reader.malformed("an impossible range")
        }
        let root = try reader.hash()
        let signature = Array(try reader.take(64))
        guard count <= reader.remaining / Self.eventLengthMin else {
            throw reader.malformed("more events announced than bytes sent")
        }
        var events: [StoredEvent] = []
        events.reserveCapacity(count)
        var context = DecodingContext(log: log)
        for index in 0..<count {
            events.append(try event(first + UInt64(index), &context, &reader))
        }
        let checkpoint = Checkpoint(
            log: log, size: first + UInt64(count), root: root, signature: signature)
        return Interval(first: first, events: events, checkpoint: checkpoint)
    }

    private func event(
        _ sequence: UInt64, _ context: inout DecodingContext, _ reader: inout ByteReader
    ) throws(SyncError) -> StoredEvent {
        let flags = try reader.byte()
        guard flags & ~Self.knownFlags == 0 else { throw reader.malformed("unknown flags") }
        if flags & IntervalEncoder.Flag.sameKind == 0 {
            context.kind = UInt16(try reader.number(atMost: 0xFFFF, "a kind"))
        }
        let timestamp = try timestamp(flags, &context, &reader)
        let tag = try tag(flags, &context, &reader)
        let replaces = try replaces(flags, &reader)
        let length = try reader.number(atMost: EventHeader.payloadLengthMax, "a payload")
        let hasBody = flags & IntervalEncoder.Flag.body != 0
        let tail = try reader.take(hasBody ? Self.saltLength + length : 32)
        guard let base = tail.baseAddress else { throw reader.malformed("cut off") }
        let header = EventHeader(
            log: context.log, sequence: sequence, timestamp: timestamp,
            kind: EventKind(code: context.kind),
            isCritical: flags & IntervalEncoder.Flag.critical != 0, replaces: replaces,
            subjectTag: tag, payloadLength: length,
            commitment: hasBody ? digester.digest(tail) : Bytes32(at: base))
        guard hasBody else { return StoredEvent(header: header, body: nil) }
        let body = StoredEvent.Body(
            salt: Array(tail[..<Self.saltLength]), payload: Array(tail[Self.saltLength...]))
        return StoredEvent(header: header, body: body)
    }

    private func timestamp(
        _ flags: UInt8, _ context: inout DecodingContext, _ reader: inout ByteReader
    ) throws(SyncError) -> Timestamp {
        let (milliseconds, overflow) = context.milliseconds.addingReportingOverflow(
            try reader.signed())
        guard !overflow, milliseconds >= 0, milliseconds < 1 << 48 else {
            throw reader.malformed("a time outside 48 bits")
        }
        context.milliseconds = milliseconds
        let hasCounter = flags & IntervalEncoder.Flag.counter != 0
        let counter = hasCounter ? try reader.number(atMost: 0xFFFF, "a counter") : 0
        return Timestamp(value: UInt64(milliseconds) << 16 | UInt64(counter))
    }

    private func tag(
        _ flags: UInt8, _ context: inout DecodingContext, _ reader: inout ByteReader
    ) throws(SyncError) -> SubjectTag {
        if flags & IntervalEncoder.Flag.noTag != 0 { return .none }
        if flags & IntervalEncoder.Flag.knownTag != 0 {
            let index = try reader.number()
            guard index < UInt64(context.tags.count) else {
                throw reader.malformed("a tag that did not come before")
            }
            return context.tags[Int(index)]
        }
        let tag = SubjectTag(raw: try reader.half())
        context.tags.append(tag)
        return tag
    }

    private func replaces(
        _ flags: UInt8, _ reader: inout ByteReader
    ) throws(SyncError) -> [EventID] {
        guard flags & IntervalEncoder.Flag.replaces != 0 else { return [] }
        let count = try reader.number(atMost: EventHeader.replacesMax, "replaced ids")
        guard count <= reader.remaining / 32 else { throw reader.malformed("cut off") }
        var ids: [EventID] = []
        ids.reserveCapacity(count)
        for _ in 0..<count {
            let id = EventID(raw: try reader.hash())
            if let last = ids.last, last >= id { throw reader.malformed("unsorted replaced ids") }
            ids.append(id)
        }
        return ids
    }

    private struct DecodingContext {
        let log: LogID
        var kind: UInt16 = 0
        var milliseconds: Int64 = 0
        var tags: [SubjectTag] = []
    }
}

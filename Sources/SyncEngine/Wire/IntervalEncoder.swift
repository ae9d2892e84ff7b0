package import Ledger

/// Writes intervals without what the receiver computes: ids, hashes, the commitments of payloads
/// that travel along, log id, sequences and magic (`docs/SYNC.md`, "Interval").
package enum IntervalEncoder {
    /// What an event's first byte says.
    package enum Flag {
        package static let critical: UInt8 = 1
        package static let body: UInt8 = 2
        package static let noTag: UInt8 = 4
        package static let knownTag: UInt8 = 8
        package static let replaces: UInt8 = 16
        package static let sameKind: UInt8 = 32
        package static let counter: UInt8 = 64
    }

    package static func encode(_ interval: Interval) -> [UInt8] {
        let length = interval.events.reduce(into: 160) { total, event in
            total += 64 + 32 * event.header.replaces.count + (event.body?.payload.count ?? 32)
        }
        var writer = ByteWriter(reserving: length)
        append(interval, to: &writer)
        return writer.bytes
    }

    package static func append(_ interval: Interval, to writer: inout ByteWriter) {
        writer.number(interval.first)
        writer.number(UInt64(interval.events.count))
        writer.hash(interval.checkpoint.root)
        writer.raw(interval.checkpoint.signature)
        var context = IntervalContext()
        for event in interval.events { append(event, &context, to: &writer) }
    }

    private static func append(
        _ event: StoredEvent, _ context: inout IntervalContext, to writer: inout ByteWriter
    ) {
        let header = event.header
        let tag = context.tagIndex[header.subjectTag]
        var flags: UInt8 = header.isCritical ? Flag.critical : 0
        if event.body != nil { flags |= Flag.body }
        if header.subjectTag == .none {
            flags |= Flag.noTag
        } else if tag != nil {
            flags |= Flag.knownTag
        }
        if !header.replaces.isEmpty { flags |= Flag.replaces }
        if header.kind.code == context.kind { flags |= Flag.sameKind }
        if header.timestamp.counter != 0 { flags |= Flag.counter }
        writer.byte(flags)
        if flags & Flag.sameKind == 0 { writer.number(UInt64(header.kind.code)) }
        writer.signed(header.timestamp.milliseconds &- context.milliseconds)
        if flags & Flag.counter != 0 { writer.number(UInt64(header.timestamp.counter)) }
        if let tag, flags & Flag.knownTag != 0 {
            writer.number(UInt64(tag))
        } else if flags & Flag.noTag == 0 {
            writer.half(header.subjectTag.raw)
            context.tagIndex[header.subjectTag] = context.tagIndex.count
        }
        if flags & Flag.replaces != 0 {
            writer.number(UInt64(header.replaces.count))
            for id in header.replaces { writer.hash(id.raw) }
        }
        writer.number(UInt64(header.payloadLength))
        if let body = event.body {
            writer.raw(body.salt)
            writer.raw(body.payload)
        } else {
            writer.hash(header.commitment)
        }
        context.kind = header.kind.code
        context.milliseconds = header.timestamp.milliseconds
    }
}

/// What an event is written relative to.
struct IntervalContext {
    var kind: UInt16 = 0
    var milliseconds: Int64 = 0
    var tagIndex: [SubjectTag: Int] = [:]
}

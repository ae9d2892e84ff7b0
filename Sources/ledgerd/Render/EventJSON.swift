internal import Ledger

/// An event as a JSON object, and its payload's members under the names that `record` reads.
struct EventJSON {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "id": "the event's id",
        "time": "when it was recorded, by the writer's hybrid logical clock",
        "kind": "what it records",
        "subject, resource, …": "what it says: the members that record reads, and beside them "
            + "wall (the writer's clock where it differs) and unitKind; times with an offset",
        "doubtfulClock": "true where the writer's clock was more than 5 minutes off, by its own "
            + "account or because the event's time lies ahead of this machine's",
        "content": "opening, admission, removal, undecodable, missing or erased; absent for an "
            + "event that says the above",
        "critical": "true where a reader that does not understand it must not grant on it",
        "replaces": "ids of the deciding events it replaces; absent where none",
        "log": "the log it belongs to",
        "sequence": "its place in that log, from 0",
        "author": "the replica that wrote it",
        "position": "its place in the order of arrival here",
        "words": "the words that were shown, where their catalog unit is here",
    ]

    let zone: TimeZoneRules
    /// This machine's clock, to tell times that cannot be right.
    let now: Int64

    /// Writes the members of one event into the object that is open.
    func write(_ entry: HistoryEntry, words: ShownWords?, to writer: inout JSONWriter) {
        let header = entry.event.header
        writer.field("id", entry.event.id.description)
        writer.field("time", zone.text(header.timestamp.milliseconds))
        writer.field("kind", header.kind.description)
        if let payload = entry.event.payload {
            write(payload, to: &writer)
            if entry.event.hasDoubtfulClock || entry.event.isAhead(of: now) {
                writer.field("doubtfulClock", true)
            }
        } else {
            writer.field("content", entry.event.content.name)
        }
        if header.isCritical { writer.field("critical", true) }
        if !header.replaces.isEmpty {
            writer.arrayField("replaces") { writer in
                for id in header.replaces { writer.value(id.description) }
            }
        }
        writer.field("log", header.log.description)
        writer.field("sequence", header.sequence)
        writer.field("author", entry.author.description)
        writer.field("position", entry.position)
        if let words { writer.field("words", words.json) }
    }

    private func write(_ payload: Payload, to writer: inout JSONWriter) {
        writer.field("subject", ifPresent: payload.subject)
        writer.field("resource", ifPresent: payload.resource)
        writer.field("device", ifPresent: payload.device)
        writer.field("install", ifPresent: payload.install)
        writer.field("scope", ifPresent: payload.scope?.description)
        writer.field("feature", ifPresent: payload.feature)
        writer.field("answers", ifPresent: payload.answers?.description)
        writer.field("outcome", ifPresent: payload.outcome?.description)
        writer.field("status", ifPresent: payload.status?.description)
        writer.field("extent", ifPresent: payload.extent?.description)
        writer.field("authority", ifPresent: payload.authority?.description)
        writer.field("askedExtent", ifPresent: payload.askedExtent?.description)
        writer.field("oldStatus", ifPresent: payload.oldStatus?.description)
        writer.field("oldExtent", ifPresent: payload.oldExtent?.description)
        writeTimes(payload, to: &writer)
        writer.field("primer", ifPresent: payload.primer)
        writer.field("unit", ifPresent: payload.unit.map { Base32.encode($0.bytes) })
        writer.field("unitKind", ifPresent: payload.unitKind?.description)
        writer.field("revision", ifPresent: payload.revision?.description)
        writer.field("locale", ifPresent: payload.locale)
        writer.field("surface", ifPresent: payload.surface)
        if let buttons = payload.buttons {
            writer.arrayField("buttons") { writer in
                for button in buttons { writer.value(button) }
            }
        }
        writer.field("application", ifPresent: payload.application)
        writer.field("applicationVersion", ifPresent: payload.applicationVersion)
        writer.field("signingIdentity", ifPresent: payload.signingIdentity)
        writer.field("idempotencyKey", ifPresent: payload.idempotencyKey)
        writer.field("source", ifPresent: payload.source)
        writer.field("note", ifPresent: payload.note)
    }

    private func writeTimes(_ payload: Payload, to writer: inout JSONWriter) {
        writer.field("wall", ifPresent: payload.wall.map(zone.text))
        writer.field("occurredAt", ifPresent: payload.occurredAt.map(zone.text))
        writer.field("windowStart", ifPresent: payload.windowStart.map(zone.text))
        writer.field("windowEnd", ifPresent: payload.windowEnd.map(zone.text))
        writer.field("end", ifPresent: payload.end.map(zone.text))
    }
}

extension Event.Content {
    /// The word for JSON and CSV.
    var name: String {
        switch self {
        case .payload: "consent"
        case .opening: "opening"
        case .admission: "admission"
        case .removal: "removal"
        case .undecodable: "undecodable"
        case .missing: "missing"
        case .erased: "erased"
        }
    }
}

extension Event {
    private static let doubtfulMilliseconds: UInt64 = 5 * 60 * 1000

    /// Whether it was written more than 5 minutes after now.
    func isAhead(of now: Int64) -> Bool {
        header.timestamp.milliseconds - now > Int64(Self.doubtfulMilliseconds)
    }

    /// Whether the writer's wall clock was more than 5 minutes away from the event's time.
    var hasDoubtfulClock: Bool {
        guard let wall = payload?.wall else { return false }
        let difference = wall.subtractingReportingOverflow(header.timestamp.milliseconds)
        return difference.overflow || difference.partialValue.magnitude > Self.doubtfulMilliseconds
    }
}

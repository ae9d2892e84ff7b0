extension ExportRecord {
    /// What people read beside the bytes; computed from the bytes alone, so that a reader can
    /// compute it again and name a field that was changed.
    static func readable(_ event: StoredEvent, _ digester: Digester) -> Fields {
        let header = event.header
        let id = header.bytes.withUnsafeBytes { digester.leaf($0) }
        var fields: Fields = [
            ("record", .text("event")),
            ("time", .text(ISO8601.format(header.timestamp.milliseconds))),
            ("kind", .text(header.kind.description)),
        ]
        fields += content(event)
        if header.isCritical { fields.append(("critical", .text("yes"))) }
        if !header.replaces.isEmpty {
            fields.append(("replaces", .list(header.replaces.map(\.description))))
        }
        return fields + [
            ("id", .text(EventID(raw: id).description)),
            ("log", .text(header.log.description)), ("sequence", .number(header.sequence)),
        ]
    }

    private static func content(_ event: StoredEvent) -> Fields {
        guard let body = event.body else { return [("content", .text("missing"))] }
        switch event.header.kind {
        case .logOpened, .memberAdmitted, .memberRemoved: return []
        default:
            guard let payload = try? Payload(encoded: body.payload) else {
                return [("content", .text("undecodable"))]
            }
            return words(payload) + origins(payload)
        }
    }

    private static func words(_ payload: Payload) -> Fields {
        present([
            ("subject", payload.subject), ("resource", payload.resource),
            ("scope", payload.scope?.description), ("device", payload.device),
            ("install", payload.install), ("outcome", payload.outcome?.description),
            ("status", payload.status?.description), ("extent", payload.extent?.description),
            ("authority", payload.authority?.description), ("end", time(payload.end)),
            ("occurredAt", time(payload.occurredAt)), ("feature", payload.feature),
            ("primer", payload.primer), ("locale", payload.locale),
            ("revision", payload.revision?.description),
            ("askedExtent", payload.askedExtent?.description),
            ("oldStatus", payload.oldStatus?.description),
            ("oldExtent", payload.oldExtent?.description),
            ("windowStart", time(payload.windowStart)), ("windowEnd", time(payload.windowEnd)),
        ])
    }

    private static func origins(_ payload: Payload) -> Fields {
        var fields = present([
            ("application", payload.application),
            ("applicationVersion", payload.applicationVersion),
            ("signingIdentity", payload.signingIdentity), ("surface", payload.surface),
        ])
        if let buttons = payload.buttons { fields.append(("buttons", .list(buttons))) }
        return fields
            + present([
                ("source", payload.source), ("note", payload.note),
                ("idempotencyKey", payload.idempotencyKey), ("wall", time(payload.wall)),
                ("unitKind", payload.unitKind?.description),
                ("unit", payload.unit.map { Base32.encode($0.bytes) }),
                ("answers", payload.answers?.description),
            ])
    }

    private static func present(_ pairs: [(String, String?)]) -> Fields {
        pairs.compactMap { name, text in text.map { (name, .text($0)) } }
    }

    private static func time(_ milliseconds: Int64?) -> String? {
        milliseconds.map { ISO8601.format($0) }
    }
}

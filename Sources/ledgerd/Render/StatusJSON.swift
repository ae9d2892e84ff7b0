internal import Ledger

/// A status as a JSON object.
struct StatusJSON {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "subject": "the person; absent where only the tag is known",
        "resource": "what access is asked for",
        "scope": "device or person", "device": "the device, for device scope",
        "install": "the installation, for device scope",
        "status":
            "notDetermined, denied, restricted, limited, provisional, ephemeral or authorized",
        "extent": "full, or words joined by +",
        "authority": "who decided: person, guardian, policy, system, default or unknown",
        "reason":
            "nothingRecorded, inForce, mostRestrictive, expired, undecodable or erased",
        "end": "when the grant ends; absent where it does not",
        "revision": "the highest revision agreed to; absent where none",
        "evidence": "ids of the events it rests on",
        "conflicting": "several events in force differ",
        "expired": "the grant's end has passed",
        "outdated": "the agreed words are below the catalog's revision",
        "canAsk": "whether the system would still ask: yes, no or unknown",
        "primersShown": "how often a primer was shown on this install",
        "promptsAsked": "how often the prompt was asked on this install",
        "promptsUndecided": "how many prompts ended without a decision on this install",
        "pending": "a question is open",
        "consented": "the person's acts allow it",
        "lastAct": "the person's last act: event, time, outcome; absent where there is none",
        "changedWithoutPerson": "what holds was observed and differs from the person's last act",
        "doubtfulClock": "an event it rests on was written with a clock more than 5 minutes off",
    ]

    let zone: TimeZoneRules

    /// Writes the members of one status into the object that is open.
    func write(_ entry: KeyedStatus, to writer: inout JSONWriter) {
        let status = entry.status
        writer.field("subject", ifPresent: entry.subject)
        writer.field("resource", entry.resource)
        writer.field("scope", (entry.place == nil ? Scope.person : .device).description)
        writer.field("device", ifPresent: entry.place?.device)
        writer.field("install", ifPresent: entry.place?.install)
        writer.field("status", status.status.description)
        writer.field("extent", status.extent.description)
        writer.field("authority", status.authority.description)
        writer.field("reason", status.reason.rawValue)
        writer.field("end", ifPresent: status.end.map(zone.text))
        writer.field("revision", ifPresent: status.revision?.description)
        writer.arrayField("evidence") { writer in
            for id in status.evidence { writer.value(id.description) }
        }
        writer.field("conflicting", status.isConflicting)
        writer.field("expired", status.isExpired)
        writer.field("outdated", entry.isOutdated)
        writer.field("canAsk", status.canAsk.description)
        writer.field("primersShown", status.primersShown)
        writer.field("promptsAsked", status.promptsAsked)
        writer.field("promptsUndecided", status.promptsUndecided)
        writer.field("pending", status.isPending)
        writer.field("consented", status.isConsented)
        if let act = status.lastAct {
            writer.objectField("lastAct") { writer in
                writer.field("event", act.event.description)
                writer.field("time", zone.text(act.timestamp.milliseconds))
                writer.field("outcome", act.outcome.description)
            }
        }
        writer.field("changedWithoutPerson", status.changedWithoutPerson)
        writer.field("doubtfulClock", status.hasDoubtfulClock)
    }
}

/// A status with its key, wherever it came from.
struct KeyedStatus {
    let subject: String?
    let resource: String
    let place: Place?
    let status: Status
    /// Below the catalog's revision.
    let isOutdated: Bool
}

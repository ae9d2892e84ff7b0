internal import Ledger

/// Finds an event by a prefix of its id.
typealias EventResolver = (String) throws(Failure) -> EventID

/// One thing an event can say, as an option and as a JSON member.
struct DraftField: Sendable {
    /// The member's name in JSON.
    let key: String
    let option: OptionSpec
    /// What the value looks like, after “must be”.
    let form: String
    /// Takes one value; false when it has another form.
    let set: @Sendable (inout Draft, String, EventResolver) throws(Failure) -> Bool

    /// What `record` takes.
    static var all: [DraftField] { texts + words + times + references }

    private static func text(
        _ key: String, _ option: String, _ valueName: String,
        _ path: any WritableKeyPath<Payload, String?> & Sendable, _ help: String
    ) -> DraftField {
        DraftField(key: key, option: .value(option, valueName, help), form: "a text") {
            draft, text, _ throws(Failure) in
            draft.payload[keyPath: path] = text
            return true
        }
    }

    private static var texts: [DraftField] {
        [
            text("subject", "subject", "NAME", \.subject, "The person."),
            text("resource", "resource", "NAME", \.resource, "What access is asked for."),
            text("device", "device", "NAME", \.device, "The device."),
            text("install", "install", "ID", \.install, "The installation of the app there."),
            text("locale", "locale", "TAG", \.locale, "The language shown, as BCP 47 tag."),
            text("feature", "feature", "NAME", \.feature, "What the person wanted to do."),
            text("primer", "primer", "ID", \.primer, "The primer's id in the catalog."),
            text("application", "app", "ID", \.application, "The application's id."),
            text(
                "applicationVersion", "app-version", "VERSION", \.applicationVersion,
                "The application's version."),
            text(
                "signingIdentity", "signing-identity", "ID", \.signingIdentity,
                "The application's signing identity."),
            text(
                "surface", "surface", "NAME", \.surface,
                "Where it was shown: a dialog, a settings page, a paper form."),
            text(
                "idempotencyKey", "key", "KEY", \.idempotencyKey,
                "Names this call, so that repeating it records nothing."),
            text("source", "source", "NAME", \.source, "Where the fact is said to come from."),
            text("note", "note", "TEXT", \.note, "A remark."),
            DraftField(
                key: "buttons",
                option: .value(
                    "button", "TITLE", repeatable: true, "The title of a button that was shown."),
                form: "a text"
            ) { draft, text, _ throws(Failure) in
                draft.payload.buttons = (draft.payload.buttons ?? []) + [text]
                return true
            },
        ]
    }

    private static func word<W: CaseIterable & CustomStringConvertible & Sendable>(
        _ key: String, _ option: String, _ type: W.Type,
        _ path: any WritableKeyPath<Payload, W?> & Sendable, _ help: String
    ) -> DraftField {
        let words = W.allCases.map(\.description)
        return DraftField(
            key: key, option: .word(option, "WORD", words, help),
            form: "one of \(words.joined(separator: ", "))"
        ) { draft, text, _ throws(Failure) in
            guard let word = W.allCases.first(where: { $0.description == text }) else {
                return false
            }
            draft.payload[keyPath: path] = word
            return true
        }
    }

    private static func extent(
        _ key: String, _ option: String, _ path: any WritableKeyPath<Payload, Extent?> & Sendable,
        _ help: String
    ) -> DraftField {
        DraftField(
            key: key, option: .value(option, "EXTENT", help + ", such as whenInUse+reduced."),
            form: "full, or words such as whenInUse, always, reduced, precise, selected, all "
                + "joined by +"
        ) { draft, text, _ throws(Failure) in
            guard let extent = Extent(text) else { return false }
            draft.payload[keyPath: path] = extent
            return true
        }
    }

    private static var words: [DraftField] {
        [
            word("scope", "scope", Scope.self, \.scope, "Where the fact holds"),
            word("outcome", "outcome", Outcome.self, \.outcome, "How it ended"),
            word(
                "status", "status", PermissionStatus.self, \.status,
                "The status that was given or observed"),
            extent("extent", "extent", \.extent, "How far it reaches"),
            word("authority", "authority", Authority.self, \.authority, "Who decided"),
            extent("askedExtent", "asked", \.askedExtent, "How far the question reached"),
            word(
                "oldStatus", "old-status", PermissionStatus.self, \.oldStatus,
                "The status before an observation"),
            extent("oldExtent", "old-extent", \.oldExtent, "The extent before an observation"),
            DraftField(
                key: "revision",
                option: .value("revision", "N.N", "Revision of the words that were shown."),
                form: "numbers joined by dots"
            ) { draft, text, _ throws(Failure) in
                draft.payload.revision = Revision(text)
                return draft.payload.revision != nil
            },
            DraftField(
                key: "unit",
                option: .value("unit", "DIGEST", "The catalog unit whose words were shown."),
                form: "a digest as catalog show prints it"
            ) { draft, text, _ throws(Failure) in
                draft.payload.unit = Base32.decode(text).flatMap { Bytes32($0) }
                return draft.payload.unit != nil
            },
        ]
    }

    private static func time(
        _ key: String, _ option: String, _ path: any WritableKeyPath<Payload, Int64?> & Sendable,
        _ help: String
    ) -> DraftField {
        DraftField(
            key: key, option: .value(option, "TIME", help),
            form: "a time with Z or an offset, such as 2026-01-31T08:00:00Z"
        ) { draft, text, _ throws(Failure) in
            guard let time = ISO8601.parse(text) else { return false }
            draft.payload[keyPath: path] = time
            return true
        }
    }

    private static var times: [DraftField] {
        [
            time(
                "occurredAt", "occurred-at", \.occurredAt,
                "When it happened, if earlier than it is recorded."),
            time("end", "end", \.end, "When the grant ends."),
            time(
                "windowStart", "window-start", \.windowStart,
                "When the old status was last seen."),
            time("windowEnd", "window-end", \.windowEnd, "When the new status was noticed."),
        ]
    }

    private static var references: [DraftField] {
        [
            DraftField(
                key: "answers",
                option: .value("answers", "ID", "The event that is answered; a prefix will do."),
                form: "an event's id"
            ) { draft, text, resolve throws(Failure) in
                draft.payload.answers = try resolve(text)
                return true
            },
            DraftField(
                key: "expect",
                option: .value(
                    "expect", "ID,…",
                    "Fail unless exactly these events are in force; none when empty. "
                        + "A denial never fails."),
                form: "event ids joined by commas"
            ) { draft, text, resolve throws(Failure) in
                var ids = draft.expect ?? []
                for id in text.split(separator: ",") { ids.append(try resolve(String(id))) }
                draft.expect = ids
                return true
            },
        ]
    }
}

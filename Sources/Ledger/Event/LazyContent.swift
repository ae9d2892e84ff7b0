internal import Synchronization

/// The content of an event, decoded at most once and shared by the event's copies.
final class LazyContent: Sendable {
    private let known: Mutex<Event.Content?>

    init(_ content: Event.Content?) { known = Mutex(content) }

    /// What salt and payload of an event of `kind` say.
    func value(_ kind: EventKind, _ body: [UInt8]) -> Event.Content {
        known.withLock { known in
            if let known { return known }
            let content = Event.Content(kind, body, at: StoredRow.saltLength)
            known = content
            return content
        }
    }
}

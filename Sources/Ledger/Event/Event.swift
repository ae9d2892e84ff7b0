/// One immutable fact: a header, and the payload if it is here and readable.
///
/// ```swift
/// func words(_ content: Event.Content) -> String {
///     switch content {
///     case .payload(let payload): payload.resource ?? "an event"
///     case .opening(let opening): "a log was opened (\(opening.reason))"
///     case .admission(let admission): "\(admission.name ?? admission.replica.short) joined"
///     case .removal(let removal): "\(removal.replica.short) was removed"
///     case .undecodable, .missing: "cannot be read here"
///     case .erased: "was erased"
///     }
/// }
/// ```
public struct Event: Sendable, Hashable {
    /// What is known of the payload.
    public enum Content: Sendable, Hashable {
        /// The payload is here and decodes.
        case payload(Payload)
        /// The payload is here and opens a log.
        case opening(LogOpening)
        /// The payload is here and admits a replica.
        case admission(MemberAdmission)
        /// The payload is here and removes a replica.
        case removal(MemberRemoval)
        /// The payload is here, matches the header, and is not canonical or not understood.
        case undecodable
        /// The payload never came.
        case missing
        /// The payload was erased with its subject.
        case erased
    }

    /// The RFC 6962 leaf hash of the header.
    public let id: EventID
    /// The part that is hashed and never erased.
    public let header: EventHeader
    /// Salt and payload as received, in one buffer; empty when they are not here.
    let body: [UInt8]
    /// Read when first asked for: who lists a history often wants the headers alone.
    private let contents: LazyContent
    /// What the payload says; decoded at the first call and kept.
    public var content: Content { contents.value(header.kind, body) }

    init(id: EventID, header: EventHeader, body: [UInt8], content: Content) {
        self.id = id
        self.header = header
        self.body = body
        contents = LazyContent(content)
    }

    /// An event whose payload is here.
    init(id: EventID, header: EventHeader, body: [UInt8]) {
        self.id = id
        self.header = header
        self.body = body
        contents = LazyContent(nil)
    }

    /// Equal when the bytes are, and what is known of them.
    public static func == (left: Event, right: Event) -> Bool {
        left.id == right.id && left.body == right.body && left.header == right.header
            && left.content == right.content
    }

    /// Hashes the id, which all else follows from.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The salt in front of the payload in the commitment; empty when the payload is not here.
    public var salt: [UInt8] { Array(body.prefix(StoredRow.saltLength)) }
    /// The payload's bytes as received; empty when it is not here.
    public var payloadBytes: [UInt8] { Array(body.dropFirst(StoredRow.saltLength)) }

    /// The payload of a consent event, if it is here and decodes.
    public var payload: Payload? {
        if case .payload(let payload) = content { payload } else { nil }
    }
}

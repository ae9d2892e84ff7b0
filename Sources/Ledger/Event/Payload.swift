/// What an event says; every field is optional here, and ``Draft`` knows which kind needs which.
///
/// ```swift
/// var payload = Payload()
/// payload.subject = "me"
/// payload.resource = "camera"
/// payload.device = "phone"
/// payload.install = "1"
/// payload.outcome = .allowed
/// ```
public struct Payload: Sendable, Hashable {
    /// The person; an opaque string, `me` in a one-person app.
    public var subject: String?
    /// Where a system permission lives.
    public var device: String?
    /// One installation of the app on the device, new after a reinstall or a reset.
    public var install: String?
    /// What access is asked for.
    public var resource: String?
    /// Where the fact holds.
    public var scope: Scope?
    /// What became of the primer, prompt or form.
    public var outcome: Outcome?
    /// The status that was given or observed.
    public var status: PermissionStatus?
    /// How far it reaches.
    public var extent: Extent?
    /// Who decided.
    public var authority: Authority?
    /// The event that is answered.
    public var answers: EventID?
    /// Digest of the catalog unit whose words were shown.
    public var unit: Bytes32?
    /// Revision of the resource whose words were shown.
    public var revision: Revision?
    /// BCP 47 tag of the language that was rendered.
    public var locale: String?
    /// What the person wanted to do.
    public var feature: String?
    /// The primer's id in the catalog.
    public var primer: String?
    /// The extent that was asked for.
    public var askedExtent: Extent?
    /// The application's id.
    public var application: String?
    /// The application's version.
    public var applicationVersion: String?
    /// The writer's wall clock in Unix milliseconds, where it differs from the timestamp.
    public var wall: Int64?
    /// The status before an observation.
    public var oldStatus: PermissionStatus?
    /// The extent before an observation.
    public var oldExtent: Extent?
    /// The last time the old status was seen, Unix milliseconds.
    public var windowStart: Int64?
    /// When the new status was noticed, Unix milliseconds.
    public var windowEnd: Int64?
    /// When it happened, if earlier than it was recorded, Unix milliseconds.
    public var occurredAt: Int64?
    /// When a grant ends, Unix milliseconds.
    public var end: Int64?
    /// The application's signing identity.
    public var signingIdentity: String?
    /// Where it was shown: a dialog, a settings page, a paper form.
    public var surface: String?
    /// The titles of the buttons that were shown.
    public var buttons: [String]?
    /// Names the call, so that repeating it changes nothing; scoped to this replica.
    public var idempotencyKey: String?
    /// Where an import says it comes from.
    public var source: String?
    /// A remark.
    public var note: String?
    /// Which kind of catalog unit is published.
    public var unitKind: CatalogUnitKind?
    /// The canonical bytes of the published unit.
    public var unitContent: [UInt8]?
    /// Whether the bytes held fields that this version does not know.
    public internal(set) var hasUnknownFields = false

    /// An empty payload.
    public init() {}
}

/// The kinds of catalog units that are published on their own.
public enum CatalogUnitKind: UInt8, Word {
    /// One resource with its purpose strings.
    case resource
    /// One primer in one language.
    case primer
    /// All features.
    case features
    /// The word.
    public var description: String { ["resource", "primer", "features"][Int(rawValue)] }
}

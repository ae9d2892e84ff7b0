/// What an event says; every field is optional here, and ``Draft`` knows which kind needs which.
///
/// ```swift
/// var payload = Payload()
/// payload.subject = "me"
/// payload.resource = "location"
/// payload.device = phone.device
/// payload.install = phone.install
/// payload.outcome = .allowed
/// payload.extent = Extent(time: .whenInUse, accuracy: .reduced)
/// try ledger.append(Draft(.answerGiven, payload))
/// ```
public struct Payload: Sendable, Hashable {
    /// Shared until one of the copies changes: an event passes through many hands unchanged.
    private var storage: Storage

    /// An empty payload.
    public init() { storage = Storage(Fields()) }

    /// Reads the fields in place: they are too many to be moved once more.
    mutating func decode(_ bytes: [UInt8], at start: Int) throws(LedgerError) {
        try storage.fields.decode(bytes, at: start)
    }

    /// The deterministic encoding behind a prefix, in one buffer; read in place, too.
    func encoded(after prefix: ArraySlice<UInt8>) -> [UInt8] {
        storage.fields.encoded(after: prefix)
    }

    /// Everything at once, for reading.
    var fields: Fields { storage.fields }

    /// `@unchecked Sendable`: changed only in `change`, while one value alone refers to it and the
    /// caller has that value to itself; every other reference makes `change` copy first.
    private final class Storage: @unchecked Sendable {
        var fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    /// Equal when every field is.
    public static func == (left: Payload, right: Payload) -> Bool {
        left.storage === right.storage || left.fields == right.fields
    }

    /// Hashes every field.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    private mutating func change(_ body: (inout Fields) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
        body(&storage.fields)
    }

    /// The fields as they stand, without sharing.
    struct Fields: Sendable, Hashable {
        var subject: String?
        var device: String?
        var install: String?
        var resource: String?
        var scope: Scope?
        var outcome: Outcome?
        var status: PermissionStatus?
        var extent: Extent?
        var authority: Authority?
        var answers: EventID?
        var unit: Bytes32?
        var revision: Revision?
        var locale: String?
        var feature: String?
        var primer: String?
        var askedExtent: Extent?
        var application: String?
        var applicationVersion: String?
        var wall: Int64?
        var oldStatus: PermissionStatus?
        var oldExtent: Extent?
        var windowStart: Int64?
        var windowEnd: Int64?
        var occurredAt: Int64?
        var end: Int64?
        var signingIdentity: String?
        var surface: String?
        var buttons: [String]?
        var idempotencyKey: String?
        var source: String?
        var note: String?
        var unitKind: CatalogUnitKind?
        var unitContent: [UInt8]?
        var hasUnknownFields = false
    }
}

extension Payload {
    /// The person; an opaque string, `me` in a one-person app.
    public var subject: String? {
        get { storage.fields.subject }
        set { change { $0.subject = newValue } }
    }
    /// Where a system permission lives.
    public var device: String? {
        get { storage.fields.device }
        set { change { $0.device = newValue } }
    }
    /// One installation of the app on the device, new after a reinstall or a reset.
    public var install: String? {
        get { storage.fields.install }
        set { change { $0.install = newValue } }
    }
    /// What access is asked for.
    public var resource: String? {
        get { storage.fields.resource }
        set { change { $0.resource = newValue } }
    }
    /// Where the fact holds.
    public var scope: Scope? {
        get { storage.fields.scope }
        set { change { $0.scope = newValue } }
    }
    /// What became of the primer, prompt or form.
    public var outcome: Outcome? {
        get { storage.fields.outcome }
        set { change { $0.outcome = newValue } }
    }
    /// The status that was given or observed.
    public var status: PermissionStatus? {
        get { storage.fields.status }
        set { change { $0.status = newValue } }
    }
    /// How far it reaches.
    public var extent: Extent? {
        get { storage.fields.extent }
        set { change { $0.extent = newValue } }
    }
    /// Who decided.
    public var authority: Authority? {
        get { storage.fields.authority }
        set { change { $0.authority = newValue } }
    }
    /// The event that is answered.
    public var answers: EventID? {
        get { storage.fields.answers }
        set { change { $0.answers = newValue } }
    }
    /// Digest of the catalog unit whose words were shown.
    public var unit: Bytes32? {
        get { storage.fields.unit }
        set { change { $0.unit = newValue } }
    }
    /// Revision of the resource whose words were shown.
    public var revision: Revision? {
        get { storage.fields.revision }
        set { change { $0.revision = newValue } }
    }
    /// BCP 47 tag of the language that was rendered.
    public var locale: String? {
        get { storage.fields.locale }
        set { change { $0.locale = newValue } }
    }
    /// What the person wanted to do.
    public var feature: String? {
        get { storage.fields.feature }
        set { change { $0.feature = newValue } }
    }
    /// The primer's id in the catalog.
    public var primer: String? {
        get { storage.fields.primer }
        set { change { $0.primer = newValue } }
    }
    /// The extent that was asked for.
    public var askedExtent: Extent? {
        get { storage.fields.askedExtent }
        set { change { $0.askedExtent = newValue } }
    }
    /// The application's id.
    public var application: String? {
        get { storage.fields.application }
        set { change { $0.application = newValue } }
    }
    /// The application's version.
    public var applicationVersion: String? {
        get { storage.fields.applicationVersion }
        set { change { $0.applicationVersion = newValue } }
    }
    /// The writer's wall clock in Unix milliseconds, where it differs from the timestamp.
    public var wall: Int64? {
        get { storage.fields.wall }
        set { change { $0.wall = newValue } }
    }
    /// The status before an observation.
    public var oldStatus: PermissionStatus? {
        get { storage.fields.oldStatus }
        set { change { $0.oldStatus = newValue } }
    }
    /// The extent before an observation.
    public var oldExtent: Extent? {
        get { storage.fields.oldExtent }
        set { change { $0.oldExtent = newValue } }
    }
    /// The last time the old status was seen, Unix milliseconds.
    public var windowStart: Int64? {
        get { storage.fields.windowStart }
        set { change { $0.windowStart = newValue } }
    }
    /// When the new status was noticed, Unix milliseconds.
    public var windowEnd: Int64? {
        get { storage.fields.windowEnd }
        set { change { $0.windowEnd = newValue } }
    }
    /// When it happened, if earlier than it was recorded, Unix milliseconds.
    public var occurredAt: Int64? {
        get { storage.fields.occurredAt }
        set { change { $0.occurredAt = newValue } }
    }
    /// When a grant ends, Unix milliseconds.
    public var end: Int64? {
        get { storage.fields.end }
        set { change { $0.end = newValue } }
    }
    /// The application's signing identity.
    public var signingIdentity: String? {
        get { storage.fields.signingIdentity }
        set { change { $0.signingIdentity = newValue } }
    }
    /// Where it was shown: a dialog, a settings page, a paper form.
    public var surface: String? {
        get { storage.fields.surface }
        set { change { $0.surface = newValue } }
    }
    /// The titles of the buttons that were shown.
    public var buttons: [String]? {
        get { storage.fields.buttons }
        set { change { $0.buttons = newValue } }
    }
    /// Names the call, so that repeating it changes nothing; scoped to this replica.
    public var idempotencyKey: String? {
        get { storage.fields.idempotencyKey }
        set { change { $0.idempotencyKey = newValue } }
    }
    /// Where an import says it comes from.
    public var source: String? {
        get { storage.fields.source }
        set { change { $0.source = newValue } }
    }
    /// A remark.
    public var note: String? {
        get { storage.fields.note }
        set { change { $0.note = newValue } }
    }
    /// Which kind of catalog unit is published.
    public var unitKind: CatalogUnitKind? {
        get { storage.fields.unitKind }
        set { change { $0.unitKind = newValue } }
    }
    /// The canonical bytes of the published unit.
    public var unitContent: [UInt8]? {
        get { storage.fields.unitContent }
        set { change { $0.unitContent = newValue } }
    }
    /// Whether the bytes held fields that this version does not know.
    public var hasUnknownFields: Bool { storage.fields.hasUnknownFields }
}

/// The kinds of catalog units that are published on their own.
///
/// ```swift
/// payload.unitKind = unit.kind
/// payload.unitContent = unit.content
/// ```
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

/// Which key a status is asked for.
///
/// ```swift
/// var query = StatusQuery("me", resource: "camera", at: phone)
/// query.moment = moment
/// let then = try ledger.status(query)
/// ```
public struct StatusQuery: Sendable, Hashable {
    /// The moment a status is asked for.
    public enum Moment: Sendable, Hashable {
        /// With everything known now.
        case now
        /// From the events recorded up to this time by their timestamps, Unix milliseconds.
        case asOf(Int64)
        /// From the events that had arrived here by this time, Unix milliseconds.
        case asKnownHere(Int64)
    }

    /// The person.
    public var subject: String
    /// What access is asked for.
    public var resource: String
    /// Where; nil for the person-scoped key.
    public var place: Place?
    /// At which moment.
    public var moment = Moment.now
    /// The platform whose rules tell whether the system can still ask.
    public var platform: Platform?
    /// The extent an upgrade would ask for, for ``Status/canAsk``.
    public var askedExtent: Extent?
    /// Whether the app is active, where the platform asks only then; nil when not known.
    public var isAppActive: Bool?
    /// The revision of the reader's own catalog, to tell outdated words.
    public var currentRevision: Revision?
    /// Which of the system's permissions the resource is; nil when it is the resource's own name.
    public var systemPermission: String?

    /// Makes a query about now.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what access is asked for.
    ///   - place: where; nil for the person-scoped key.
    public init(_ subject: String, resource: String, at place: Place?) {
        self.subject = subject
        self.resource = resource
        self.place = place
    }
}

/// The platforms whose rules of asking are known.
///
/// ```swift
/// query.platform = Platform(rawValue: "ios")
/// let canAsk: Status.Askability = try ledger.status(query).canAsk
/// ```
public enum Platform: String, Sendable, Hashable, CaseIterable {
    /// iOS and iPadOS.
    case ios
    /// macOS.
    case macos
    /// Android.
    case android
    /// Web browsers.
    case web
    /// Linux desktop portals.
    case xdg
}

/// Which events a history shows.
///
/// ```swift
/// var filter = HistoryFilter()
/// filter.subject = "me"
/// filter.kinds = [.promptAsked, .answerGiven]
/// ```
public struct HistoryFilter: Sendable, Hashable {
    /// Only this person's.
    public var subject: String?
    /// Only from this device.
    public var device: String?
    /// Only about this resource.
    public var resource: String?
    /// Only for this feature.
    public var feature: String?
    /// Only of these kinds; empty means all.
    public var kinds: Set<EventKind> = []
    /// Only recorded at or after this time, Unix milliseconds.
    public var since: Int64?
    /// Only recorded before this time, Unix milliseconds.
    public var before: Int64?
    /// Only events that arrived here after this position; see ``HistoryEntry/position``.
    public var afterPosition: Int64?

    /// A filter that lets everything through.
    public init() {}
}

/// One event of a history.
///
/// ```swift
/// var entries: [HistoryEntry] = []
/// try ledger.history(filter) { entry in
///     entries.append(entry)
///     return true
/// }
/// ```
public struct HistoryEntry: Sendable, Hashable {
    /// The event.
    public let event: Event
    /// Its place in the order of arrival here, from 1; for paging and following.
    public let position: Int64
    /// Who wrote it.
    public let author: ReplicaID
}

/// A status with the key it belongs to, for lists across the ledger.
///
/// ```swift
/// var granted: [StatusEntry] = []
/// try ledger.statuses(StatusQuery("", resource: "", at: nil)) { entry in
///     if entry.status.grants() { granted.append(entry) }
///     return true
/// }
/// ```
public struct StatusEntry: Sendable, Hashable {
    /// The person, as first given; nil where only the tag is known.
    public let subject: String?
    /// What access is asked for.
    public let resource: String
    /// Where; nil for a person-scoped key.
    public let place: Place?
    /// The status now.
    public let status: Status
}

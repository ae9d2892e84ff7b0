/// What is allowed now, and why.
///
/// ```swift
/// let status: Status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
/// let reason: Status.Reason = status.reason
/// let act: Status.Act? = status.lastAct
/// ```
public struct Status: Sendable, Hashable {
    /// Whether the system can still put its question.
    public enum Askability: Sendable, Hashable, CustomStringConvertible {
        /// It would show its prompt.
        case yes
        /// It would answer by itself.
        case no
        /// Nothing tells.
        case unknown
        /// The word.
        public var description: String {
            switch self {
            case .yes: "yes"
            case .no: "no"
            case .unknown: "unknown"
            }
        }
    }

    /// The rule that made the status what it is.
    public enum Reason: String, Sendable, Hashable {
        /// No deciding event is known for the key.
        case nothingRecorded
        /// One event is in force.
        case inForce
        /// Several are in force; the most restrictive holds.
        case mostRestrictive
        /// The grant's end has passed.
        case expired
        /// A deciding event cannot be read: not granted until a deciding event names it.
        case undecodable
        /// The subject was erased.
        case erased
    }

    /// The person's last act on the key.
    public struct Act: Sendable, Hashable {
        /// The event.
        public let event: EventID
        /// When it was recorded.
        public let timestamp: Timestamp
        /// Allowed or denied.
        public let outcome: Outcome
    }

    /// The status word that holds.
    public internal(set) var status: PermissionStatus = .notDetermined
    /// How far it reaches.
    public internal(set) var extent: Extent = .full
    /// Who decided; `unknown` when nothing is in force.
    public internal(set) var authority: Authority = .unknown
    /// When the grant ends, Unix milliseconds.
    public internal(set) var end: Int64?
    /// The events it rests on, ascending by id.
    public internal(set) var evidence: [EventID] = []
    /// The rule that made it so.
    public internal(set) var reason: Reason = .nothingRecorded
    /// The highest revision of the words that was agreed to, for grants.
    public internal(set) var revision: Revision?
    /// Several events are in force and their statuses or extents differ.
    public internal(set) var isConflicting = false
    /// The grant's end has passed.
    public internal(set) var isExpired = false
    /// The agreed words are below the catalog's revision; false without a catalog.
    public internal(set) var isOutdated = false
    /// Whether the system can still ask.
    public internal(set) var canAsk: Askability = .unknown
    /// How often a primer was shown on this install.
    public internal(set) var primersShown = 0
    /// How often the prompt was asked on this install.
    public internal(set) var promptsAsked = 0
    /// How many prompts ended without a decision on this install.
    public internal(set) var promptsUndecided = 0
    /// A question is open: asked, not yet answered or closed.
    public internal(set) var isPending = false
    /// Whether acts of this person, on this install or else the last one, allow it.
    public internal(set) var isConsented = false
    /// The person's last act, on this install or else the last one.
    public internal(set) var lastAct: Act?
    /// The status in force is an observation that differs from the person's last act.
    public internal(set) var changedWithoutPerson = false
    /// An event it rests on was written with a clock more than 5 minutes off.
    public internal(set) var hasDoubtfulClock = false

    /// The status of a key of which nothing is known.
    public init() {}

    /// Whether it grants at least `need` at this moment.
    ///
    /// - Parameter need: the extent a feature needs.
    /// - Returns: false for anything that is not granted in that extent.
    public func grants(_ need: Extent = .full) -> Bool {
        status.isGranting && (need == .full || extent.covers(need))
    }
}

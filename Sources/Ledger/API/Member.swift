/// A replica as the ledger's events tell of it.
///
/// ```swift
/// let members: [Member] = try ledger.members()
/// for member in members where member.standing == .removed {
///     let removals: [Member.Removal] = member.removals
///     let reach = removals.flatMap(\.points).map(\.size).max() ?? 0
///     lines.append("\(member.name ?? member.replica.short) counts up to event \(reach)")
/// }
/// ```
public struct Member: Sendable, Hashable {
    /// What a replica is to the ledger.
    public enum Standing: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// It made the ledger.
        case founder
        /// It was admitted and not removed.
        case member
        /// It was removed: what it wrote beyond the removal points grants nothing.
        case removed
        /// Its logs are taken, but nobody who could admit it did: what it wrote grants nothing.
        case known
        /// Nobody admitted it; other replicas do not take its log.
        case unknown

        /// The word.
        public var description: String { rawValue }
    }

    /// One removal of it.
    public struct Removal: Sendable, Hashable {
        /// The event, as an admission with the recovery key names it.
        public let event: EventID
        /// Who removed it.
        public let author: ReplicaID
        /// When, by the author's clock.
        public let timestamp: Timestamp
        /// What lies beyond these points grants nothing; a log that is not named lies beyond.
        public let points: [MemberRemoval.Point]
        /// Whether an admission with the recovery key overrules it.
        public let isOverruled: Bool
    }

    /// Its id.
    public let replica: ReplicaID
    /// What people call it.
    public let name: String?
    /// What it is now.
    public let standing: Standing
    /// Whether it made the ledger; true even after it was removed.
    public let isFounder: Bool
    /// Who admitted it first; nil for the founder, and where no admission counts.
    public let admittedBy: ReplicaID?
    /// When it was admitted first, by the clock of whoever did; for the founder, when it began.
    public let since: Timestamp?
    /// Its removals, in order of their times.
    public let removals: [Removal]
    /// Whether it is a member to whom the newest folder key could not be sealed yet, because its
    /// log is not here; that is made up for as soon as it comes.
    public let lacksFolderKey: Bool
}

/// A replica that nobody admitted and whose log was offered here; it was counted and not stored.
///
/// ```swift
/// let strangers: [Stranger] = try ledger.strangers()
/// for stranger in strangers { try ledger.admit(stranger.replica, name: "tablet") }
/// ```
public struct Stranger: Sendable, Hashable {
    /// Its id.
    public let replica: ReplicaID
    /// How many logs of it were offered.
    public internal(set) var logCount: Int
    /// How many events they had, as far as they were offered.
    public internal(set) var eventCount: UInt64
    /// When the last one was offered, Unix milliseconds of this machine's clock.
    public internal(set) var lastOffered: Int64
}

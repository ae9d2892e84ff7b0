/// A log that has more than one past: its author's state was copied or rolled back unnoticed, and
/// both went on.
///
/// The events of all branches are in the ledger and count. The author goes on in a new log once it
/// sees the fork.
///
/// ```swift
/// let forks: [Fork] = try ledger.forks()
/// for fork in forks {
///     let branches: [Fork.Branch] = fork.branches
///     report.append((fork.log, branches.map(\.sharedSize), fork.isHealed))
/// }
/// ```
public struct Fork: Sendable, Hashable {
    /// One of the pasts.
    public struct Branch: Sendable, Hashable {
        /// How far it is signed.
        public let tip: Tip
        /// How many events it shares with the branch that it parts from last.
        public let sharedSize: UInt64
        /// The first event after that; nil where all that is here of it is shared.
        public let firstEvent: EventID?
        /// The time that event gives.
        public let firstTimestamp: Timestamp?
        /// When this branch came in from a peer, Unix milliseconds; nil for one written here.
        public let arrival: Int64?
        /// The logs in which its writer went on, by the time of their opening.
        public let continuedIn: [LogID]
    }

    /// The log.
    public let log: LogID
    /// Who writes it.
    public let author: ReplicaID
    /// How many events all branches share.
    public let sharedSize: UInt64
    /// The branches, ascending by size and root.
    public let branches: [Branch]

    /// Whether the author has left the log after the fork and goes on in another.
    ///
    /// A copy that has not merged since may still be writing here.
    public var isHealed: Bool { branches.contains { !$0.continuedIn.isEmpty } }
    /// The earliest time that a branch gives for parting from the others.
    public var since: Timestamp? { branches.compactMap(\.firstTimestamp).min() }
}

/// One log, and why its author opened it.
///
/// ```swift
/// let epochs: [Epoch] = try ledger.epochs()
/// let own = epochs.filter { $0.opening.replica == ledger.replica }
/// let reasons = own.map(\.opening.reason)
/// ```
public struct Epoch: Sendable, Hashable {
    /// The log.
    public let log: LogID
    /// How many events of its longest branch are here.
    public let size: UInt64
    /// The time its first event gives.
    public let openedAt: Timestamp
    /// Who opened it, why, and which own log it continues.
    public let opening: LogOpening
}

extension Ledger {
    /// The logs with more than one past, ascending.
    ///
    /// Reads on a connection of its own and keeps nobody waiting.
    ///
    /// - Returns: empty as long as no replica's state was copied or rolled back unnoticed.
    /// - Throws: `busy`, `damaged`, `io`.
    /// - Complexity: O(n) in the number of logs.
    public func forks() throws(LedgerError) -> [Fork] {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.forks() }
        }
    }

    /// All logs and why they were opened, by the time of their opening.
    ///
    /// Reads on a connection of its own and keeps nobody waiting.
    ///
    /// - Returns: one entry a log whose first event is here with its content.
    /// - Throws: `busy`, `damaged`, `io`.
    /// - Complexity: O(n) in the number of logs.
    public func epochs() throws(LedgerError) -> [Epoch] {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.epochs() }
        }
    }
}

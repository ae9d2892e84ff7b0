public import Ledger

/// What one session with a peer did.
///
/// ```swift
/// let report: SyncReport = try UnixSocketSync(socket, of: ledger).sync()
/// let isDone = report.isInSync && report.setAside.isEmpty
/// ```
public struct SyncReport: Sendable {
    /// What moved of one log.
    public struct Transfer: Sendable, Hashable {
        /// The log.
        public let log: LogID
        /// Events that were new here.
        public internal(set) var eventsReceived = 0
        /// Payloads that came in for events that were here already.
        public internal(set) var payloadsReceived = 0
        /// Payloads that did not match their header and were not stored.
        public internal(set) var payloadsRefused = 0
        /// Events that were new at the peer, as it acknowledged them.
        public internal(set) var eventsSent = 0

        mutating func add(_ other: Transfer) {
            eventsReceived += other.eventsReceived
            payloadsReceived += other.payloadsReceived
            payloadsRefused += other.payloadsRefused
            eventsSent += other.eventsSent
        }
    }

    /// Who was at the other end; nil when it has no key of its own.
    public internal(set) var peer: ReplicaID?
    /// Whether the digests of what both sides have stored were equal when they were compared last,
    /// and nothing was left out since.
    public internal(set) var isInSync = false
    /// Whether the peer runs under this replica's own id: one of the two is a copy.
    public internal(set) var peerIsCopy = false
    /// How often tips were exchanged; 0 when both were equal from the start.
    public internal(set) var rounds = 0
    /// Bytes that left.
    public internal(set) var bytesSent = 0
    /// Bytes that came.
    public internal(set) var bytesReceived = 0
    /// Logs of which more than one chain is held here.
    public internal(set) var forks: [LogID] = []
    /// What the peer did not take, in its words.
    public internal(set) var refusedByPeer: [SetAside] = []
    /// Why the session ended early, or why this side could take nothing more.
    public internal(set) var failure: SyncError?

    var transfersByLog: [LogID: Transfer] = [:]
    var aside = SetAsideList()

    /// What moved, by log, ascending.
    public var transfers: [Transfer] { transfersByLog.values.sorted { $0.log < $1.log } }
    /// What was not taken, and why; at most the first 1,000.
    public var setAside: [SetAside] { aside.items }
    /// How many things were not taken.
    public var setAsideCount: Int { aside.count }
    /// Events that were new here, over all logs.
    public var eventsReceived: Int {
        transfersByLog.values.reduce(0) { $0 + $1.eventsReceived }
    }
    /// Events that were new at the peer, over all logs.
    public var eventsSent: Int { transfersByLog.values.reduce(0) { $0 + $1.eventsSent } }

    /// Gives what was counted, and begins to count anew; what is known of the peer stays.
    mutating func take() -> SyncReport {
        defer {
            transfersByLog = [:]
            aside = SetAsideList()
            (refusedByPeer, forks) = ([], [])
            (rounds, bytesSent, bytesReceived) = (0, 0, 0)
        }
        return self
    }

    /// Whether there is something to tell.
    var hasMoved: Bool {
        setAsideCount > 0 || !refusedByPeer.isEmpty || eventsSent > 0
            || transfersByLog.values.contains { $0.eventsReceived + $0.payloadsReceived > 0 }
    }

    mutating func noteFork(of log: LogID) {
        guard !forks.contains(log) else { return }
        forks = (forks + [log]).sorted()
    }

    /// Lends the entry of a log for a change.
    mutating func count(_ log: LogID, _ change: (inout Transfer) -> Void) {
        change(&transfersByLog[log, default: Transfer(log: log)])
    }
}

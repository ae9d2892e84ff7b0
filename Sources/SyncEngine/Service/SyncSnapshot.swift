public import Ledger

/// How a service stands at one moment.
///
/// ```swift
/// let snapshot: SyncSnapshot = service.snapshot()
/// let reachable = snapshot.peers.filter { $0.phase == .connected }.map(\.replica)
/// ```
public struct SyncSnapshot: Sendable {
    /// Where the service listens, with the ports that the system chose.
    public internal(set) var listening: [SocketAddress] = []
    /// The peers that are called and the members that called, ascending by id.
    public internal(set) var peers: [PeerState] = []
    /// Callers that were no members, or did not prove to be.
    public internal(set) var strangersRefused = 0
    /// Callers on the line that have not proven to be members yet.
    public internal(set) var strangersOnLine = 0
}

/// What a service knows of one peer.
///
/// ```swift
/// func line(_ peer: PeerState) -> String {
///     "\(peer.replica.short) \(peer.phase): \(peer.bytesReceived) bytes in"
/// }
/// ```
public struct PeerState: Sendable, Identifiable {
    /// Where the connection stands.
    public enum Phase: String, Sendable, CustomStringConvertible {
        /// There is none, and none is due.
        case idle
        /// It is being made: no word of the peer has come yet.
        case calling
        /// The peer proved its key and greeted.
        case connected
        /// The last attempt failed; the next one follows after a pause.
        case waiting

        /// The phase in one word.
        public var description: String { rawValue }
    }

    /// The peer's id.
    public let replica: ReplicaID
    /// Where it is called; nil for one that only calls.
    public internal(set) var address: SocketAddress?
    /// Where the connection stands.
    public internal(set) var phase = Phase.idle
    /// When the peer was last heard, by the service's clock in milliseconds; nil if never.
    public internal(set) var lastHeard: Int64?
    /// How many events of each log the peer is known to hold, from the first on.
    ///
    /// As many as it acknowledged or said it holds, and all where both digests were equal. It is kept
    /// when the connection ends.
    public internal(set) var acknowledged: [LogID: UInt64] = [:]
    /// Whether both held the same when they compared last.
    public internal(set) var isInSync = false
    /// How often both compared what they hold to a conclusion.
    public internal(set) var comparisons = 0
    /// Logs of which this replica held more than one chain when it merged with the peer.
    public internal(set) var forks: [LogID] = []
    /// Why the last connection failed; nil once one has succeeded.
    public internal(set) var failure: SyncError?
    /// When the peer is called again, by the service's clock in milliseconds.
    public internal(set) var nextCall: Int64?
    /// Connections that came to be, and those that failed, by the code of their failure.
    public internal(set) var connections = 0
    /// How often connecting or a session failed, by code.
    public internal(set) var failures: [SyncError.Code: Int] = [:]
    /// Bytes that came from the peer, with those of the encryption.
    public internal(set) var bytesReceived = 0
    /// Bytes that left to the peer, with those of the encryption.
    public internal(set) var bytesSent = 0
    /// Events that were new here.
    public internal(set) var eventsReceived = 0
    /// Events that were new at the peer, as it acknowledged them.
    public internal(set) var eventsSent = 0
    /// Merges that came to their end.
    public internal(set) var merges = 0
    /// The last merge; of a connection that stays open, what moved since the one before.
    public internal(set) var lastMerge: SyncReport?
    var aside = SetAsideList()

    /// What the peer brought that was not taken, since the connection began; at most the first 1,000.
    public var setAside: [SetAside] { aside.items }
    /// How many things were not taken since the connection began.
    public var setAsideCount: Int { aside.count }
    /// The peer's id.
    public var id: ReplicaID { replica }

    init(_ replica: ReplicaID) { self.replica = replica }
}

extension PeerState {
    /// What was set aside is offered anew on a new connection.
    mutating func beginConnection() {
        aside = SetAsideList()
        isInSync = false
    }

    mutating func add(_ now: Connection.Progress, since before: Connection.Progress) {
        bytesReceived += now.bytesReceived - before.bytesReceived
        bytesSent += now.bytesSent - before.bytesSent
        eventsReceived += now.moved.eventsReceived - before.moved.eventsReceived
        eventsSent += now.moved.eventsSent - before.moved.eventsSent
        comparisons += now.moved.comparisons - before.moved.comparisons
        isInSync = now.isInSync
        acknowledged.merge(now.held) { $1 }
    }

    mutating func add(_ report: SyncReport) {
        merges += 1
        lastMerge = report
        if report.rounds > 0 { aside.remove(.unknownAuthor) }
        aside.add(report.aside)
        forks = Set(forks).union(report.forks).sorted()
    }
}

public import Ledger

/// Something that happened in a service, for progress and logs; it holds no personal data.
///
/// New cases may be added: always handle the rest.
///
/// ```swift
/// for await event in events {
///     guard case .merged(let replica, let report) = event else { continue }
///     lines.append("\(replica.short): \(report.eventsReceived) in, \(report.eventsSent) out")
///     break
/// }
/// ```
public enum SyncEvent: Sendable {
    /// The service listens here; a port that the system chose is named.
    case listening(SocketAddress)
    /// A peer is being called.
    case calling(PeerAddress)
    /// A member is connected: it proved its key and greeted.
    case connected(ReplicaID)
    /// A merge with a member came to its end, the first one of a connection or a later one: then the
    /// report holds what moved since the one before.
    case merged(ReplicaID, SyncReport)
    /// A connection with a member, or an attempt to reach one, is over; the reason is nil where
    /// nothing went wrong.
    case disconnected(ReplicaID, SyncError?)
    /// Somebody called who is no member, or did not prove to be one.
    case refusedStranger
    /// Somebody showed an invitation of this replica; it was admitted, or heard why not.
    case invitationShown(ReplicaID, JoinOutcome)
    /// The service itself met a difficulty and goes on.
    case troubled(SyncError)
}

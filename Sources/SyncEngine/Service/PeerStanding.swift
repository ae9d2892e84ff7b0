/// What the owner of a service lets a replica do that proved its key.
///
/// ```swift
/// let standing: PeerStanding = friends.contains(replica) ? .member : .stranger
/// ```
public enum PeerStanding: Sendable, Hashable {
    /// It is a member: a session with it begins.
    case member
    /// It is nobody, or a member that was removed: it hears nothing, whichever it is.
    case stranger
}

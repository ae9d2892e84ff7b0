public import Ledger

/// How a service merges: with whom, where it listens, and within which bounds.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration.listenAddresses = [try SocketAddress("tcp://127.0.0.1:0")]
/// ```
public struct SyncConfiguration: Sendable {
    /// Where to listen; none for a service that only calls others.
    public var listenAddresses: [SocketAddress] = []
    /// Whom to call, besides those added later.
    public var peers: [PeerAddress] = []
    /// Who of those that call may merge: asked on the service's thread once a key is proven, and
    /// again whenever the ledger changed; who may not any more is hung up on.
    ///
    /// Nil asks the ledger, also about those that are called. Whom it does not know at all is let in where it is called as well, so
    /// that a replica that just joined can be reached by who let it in.
    public var authorize: (@Sendable (ReplicaID) -> PeerStanding)?
    /// The bounds; the defaults suit replicas across the internet.
    public var limits = SyncLimits()
    /// Time and chance.
    public var environment = SyncEnvironment()

    /// Makes a configuration that calls nobody and listens nowhere.
    public init() {}
}

/// What a service takes from outside, so that a test or a simulator can replace it.
///
/// ```swift
/// var environment = SyncEnvironment()
/// environment.random = { limit in limit / 2 }
/// ```
public struct SyncEnvironment: Sendable {
    /// Milliseconds of any clock that does not run back.
    public var monotonicMilliseconds: @Sendable () -> Int64
    /// A number from 0 to below the limit, to spread what many would do at once.
    public var random: @Sendable (Int64) -> Int64

    /// Makes an environment of the system's clock and generator.
    public init() {
        monotonicMilliseconds = MonotonicClock.milliseconds
        random = { limit in limit > 0 ? Int64.random(in: 0..<limit) : 0 }
    }
}

/// The bounds of a service: what nobody from outside can make it pass.
///
/// ```swift
/// var limits = SyncLimits()
/// limits.handshakeMilliseconds = 5_000
/// ```
public struct SyncLimits: Sendable {
    /// How long connecting may take, then the handshake, in milliseconds.
    ///
    /// Whoever is not let in is hung up on after the same time, whatever the reason.
    public var handshakeMilliseconds: Int64 = 10_000
    /// How many callers may be on the line that have not proven to be members; one more, and the
    /// oldest is hung up on.
    public var strangersMax = 64
    /// How many members may be connected at once; further ones are hung up on.
    public var membersMax = 256
    /// The pause after the first failure with a peer, in milliseconds; it doubles with each.
    public var backOffMillisecondsMin: Int64 = 1_000
    /// The longest pause, in milliseconds.
    public var backOffMillisecondsMax: Int64 = 60_000
    /// How long a peer is left alone that broke the protocol, in milliseconds; when it calls
    /// meanwhile, it is treated as a stranger is.
    public var misbehaviourMilliseconds: Int64 = 300_000
    /// How long after a peer has left, or merged and ended, it is called again, in milliseconds.
    public var pauseMilliseconds: Int64 = 5_000
    /// How often to look whether another process changed the ledger, in milliseconds.
    public var lookMilliseconds: Int64 = 200
    /// How long the last words may take to leave when the service stops, in milliseconds.
    public var farewellMilliseconds: Int64 = 2_000

    /// Makes the default bounds.
    public init() {}
}

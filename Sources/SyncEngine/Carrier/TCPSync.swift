public import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Merges once with a replica that listens on TCP.
///
/// ```swift
/// let report: SyncReport = try TCPSync(peer, of: ledger).sync()
/// ```
public struct TCPSync: Sendable {
    private static let connectMillisecondsMax: Int64 = 10_000

    let peer: PeerAddress
    let ledger: Ledger

    /// Names a peer for a ledger; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - peer: whom to reach, and where.
    ///   - ledger: what is merged with it.
    public init(_ peer: PeerAddress, of ledger: Ledger) {
        self.peer = peer
        self.ledger = ledger
    }

    /// Connects, merges both ways, and ends.
    ///
    /// Blocks until the session is over: call it from a thread that may. Connecting, the handshake
    /// and the peer's greeting may take 10 seconds each.
    ///
    /// - Returns: what was done; `failure` tells of a session that broke off on the way.
    /// - Throws: `notFound` when nobody listens there, `refused` when somebody else does, `closed`
    ///   or `timedOut` when the peer does not take this replica for a member, `foreignLedger`,
    ///   `version`; `invalid` for an address that is not TCP.
    @discardableResult
    public func sync() throws(SyncError) -> SyncReport {
        let report = try Session.run(.initiator, log: ledger, over: try connect())
        guard report.peer == peer.replica else {
            throw SyncError(
                .refused, "The peer greeted under another id than its key's; it was dropped.")
        }
        return report
    }

    /// Connects, and proves both keys.
    func connect() throws(SyncError) -> TLSStream {
        guard case .tcp(let host, let port) = peer.address.kind else {
            throw SyncError(.invalid, "A peer on TCP is ID@HOST:PORT.")
        }
        let engine = try TLSEngine(.client(peer.replica), TLSContext(of: ledger))
        return try TLSStream(engine, over: try Self.connect(host, port))
    }

    private static func connect(_ host: String, _ port: UInt16) throws(SyncError) -> SocketStream {
        var failure = SyncError(.notFound, "The host \(host) has no address.")
        for address in try InternetAddress.resolve(host, port: port) {
            do throws(SyncError) { return try connect(address) } catch { failure = error }
        }
        throw failure
    }

    private static func connect(_ address: InternetAddress) throws(SyncError) -> SocketStream {
        let name = address.socketAddress?.description ?? "there"
        let descriptor = try TCPSocket.connect(to: address)
        let stream = try SocketStream(owning: descriptor)
        let end = MonotonicClock.milliseconds() + connectMillisecondsMax
        while true {
            let left = end - MonotonicClock.milliseconds()
            guard left > 0 else { throw SyncError(connecting: name, ETIMEDOUT) }
            let ready = try stream.wait(
                forReading: false, forWriting: true, milliseconds: Int32(clamping: left))
            let failure = TCPSocket.connectFailure(descriptor)
            guard failure == 0 else { throw SyncError(connecting: name, failure) }
            if ready.canWrite { return stream }
        }
    }
}

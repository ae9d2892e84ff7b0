public import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Merges with another process of the same user through a Unix-domain socket.
///
/// ```swift
/// let report: SyncReport = try UnixSocketSync(socket, of: ledger).sync()
/// ```
public struct UnixSocketSync: Sendable {
    let path: String
    let log: any ReplicaLog

    /// Names a socket for a ledger; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - path: the socket that another process listens at.
    ///   - ledger: what is merged with it.
    public init(_ path: String, of ledger: Ledger) { self.init(path, log: ledger) }

    package init(_ path: String, log: any ReplicaLog) {
        self.path = path
        self.log = log
    }

    /// Connects, merges both ways, and ends.
    ///
    /// Blocks until the session is over: call it from a thread that may. A peer that says nothing
    /// is given up after 90 seconds, before its greeting after 10.
    ///
    /// - Returns: what was done; `failure` tells of a session that broke off on the way.
    /// - Throws: `notFound` when nobody listens, `refused` for a socket of another user,
    ///   `foreignLedger` or `version` when the two sides do not fit.
    @discardableResult
    public func sync() throws(SyncError) -> SyncReport {
        let address = try UnixAddress(path)
        let descriptor = try UnixAddress.makeSocket()
        let stream = try SocketStream.connecting(descriptor, to: address)
        return try Session.run(.initiator, log: log, over: stream)
    }
}

extension SocketStream {
    static func connecting(
        _ descriptor: Int32, to address: UnixAddress
    ) throws(SyncError) -> SocketStream {
        let failure = address.connect(descriptor)
        guard failure == 0 else {
            _ = PosixCall.close(descriptor)
            throw SyncError(connecting: address.path.lastComponent, failure)
        }
        guard UnixAddress.isSameUser(descriptor) else {
            _ = PosixCall.close(descriptor)
            throw SyncError(
                .refused, "The other side runs as another user; nothing was said to it.")
        }
        return try SocketStream(owning: descriptor)
    }
}

extension SyncError {
    init(connecting name: String, _ failure: Int32) {
        let cause = PosixCall.message(failure)
        switch failure {
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN:
            self.init(
                .timedOut, "\(name) cannot be reached; check the address and the network.",
                cause: cause)
        case ENOENT, ECONNREFUSED:
            self.init(
                .notFound, "Nobody listens at \(name); start the other side first.", cause: cause)
        case EAGAIN:
            self.init(.timedOut, "The process at \(name) is busy; try again.", cause: cause)
        case EACCES, EPERM:
            self.init(.refused, "The socket \(name) belongs to another user.", cause: cause)
        default:
            self.init(.io, "The socket \(name) cannot be connected to.", cause: cause)
        }
    }
}

extension Session {
    /// Runs a session over a connected stream with the system's clock and generator.
    static func run(
        _ role: Role, log: any ReplicaLog, over stream: any ByteStream
    ) throws(SyncError) -> SyncReport {
        let session = Session(role, log: log)
        var driver = SessionDriver(session, over: stream, clock: MonotonicClock.milliseconds)
        return try driver.run()
    }
}

/// Time that does not run back, for time-outs alone.
enum MonotonicClock {
    static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

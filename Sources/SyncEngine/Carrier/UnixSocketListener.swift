public import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Listens at a Unix-domain socket and merges with whoever of the same user connects.
///
/// ```swift
/// let listener = try UnixSocketListener(socket, of: ledger)
/// while let report = try listener.serveOne() { reports.append(report) }
/// listener.close()
/// ```
public final class UnixSocketListener: Sendable {
    /// Where it listens.
    public let path: String
    let log: any ReplicaLog
    private let descriptor: Int32
    /// A byte in this pipe wakes whoever waits for a connection.
    private let wake: (read: Int32, write: Int32)

    /// Makes the socket (mode 0600) and listens; one that a dead process left behind is replaced.
    ///
    /// - Parameters:
    ///   - path: where to listen; its directory must be there.
    ///   - ledger: what is merged with those who connect.
    /// - Throws: `inUse` when a living process listens there, `invalid` when another kind of file
    ///   is there or the path is too long, `io`.
    public convenience init(_ path: String, of ledger: Ledger) throws(SyncError) {
        try self.init(path, log: ledger)
    }

    package init(_ path: String, log: any ReplicaLog) throws(SyncError) {
        self.path = path
        self.log = log
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else { throw SyncError(call: "pipe", errno) }
        wake = (pipes[0], pipes[1])
        for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        do throws(SyncError) { descriptor = try Self.listen(at: path) } catch {
            for end in pipes { _ = PosixCall.close(end) }
            throw error
        }
    }

    deinit {
        _ = PosixCall.close(descriptor)
        _ = PosixCall.close(wake.read)
        _ = PosixCall.close(wake.write)
    }

    /// Ends the waiting of ``serveOne(waitingMilliseconds:)``; may be called from any thread.
    public func stop() {
        _ = [UInt8(0)].withUnsafeBytes { PosixCall.write(wake.write, $0.baseAddress, 1) }
    }

    /// Removes the socket's name; call it when nobody serves any more.
    public func close() { unlink(path) }

    /// Waits for one peer, merges both ways, and ends.
    ///
    /// Blocks until then: call it from a thread that may, and from one at a time.
    ///
    /// - Parameter waitingMilliseconds: how long to wait for somebody; for ever by default.
    /// - Returns: what was done; nil when nobody came in time or ``stop()`` was called.
    /// - Throws: `closed` when the peer left before it greeted, `refused` for another user,
    ///   `foreignLedger`, `version`, or what else kept the two from greeting each other. Serving
    ///   may go on after any of them.
    public func serveOne(waitingMilliseconds: Int32 = -1) throws(SyncError) -> SyncReport? {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&entries, 2, waitingMilliseconds)
        if count < 0, errno != EINTR { throw SyncError(call: "poll", errno) }
        guard count > 0, entries[1].revents == 0 else { return nil }
        let peer = accept(descriptor, nil, nil)
        guard peer >= 0 else { throw SyncError(call: "accept", errno) }
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        guard UnixAddress.isSameUser(peer) else {
            _ = PosixCall.close(peer)
            throw SyncError(.refused, "Another user connected; nothing was said to it.")
        }
        return try Session.run(.responder, log: log, over: try SocketStream(owning: peer))
    }
}

extension UnixSocketListener {
    /// Binds and listens while it alone looks at the directory, so that of two processes that find
    /// a left-behind socket, the second does not remove the first one's.
    static func listen(at path: String) throws(SyncError) -> Int32 {
        let address = try UnixAddress(path)
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { String(path[...$0]) } ?? "."
        let guardian = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard guardian >= 0 else {
            throw SyncError(
                .notFound, "The directory for the socket is not there; make it first.",
                cause: PosixCall.message(errno))
        }
        defer { _ = PosixCall.close(guardian) }
        while flock(guardian, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SyncError(call: "flock", errno) }
        }
        try clear(address)
        let descriptor = try UnixAddress.makeSocket()
        var failure = address.bind(descriptor)
        // Nobody can connect before listen, so nobody sees the mode that bind gave it.
        if failure == 0, chmod(path, 0o600) != 0 { failure = errno }
        if failure == 0, PosixCall.listen(descriptor, 16) != 0 { failure = errno }
        guard failure == 0 else {
            _ = PosixCall.close(descriptor)
            throw SyncError(call: "bind", failure)
        }
        return descriptor
    }

    /// Makes the path free: tries the socket there first, for a number on paper proves nothing.
    private static func clear(_ address: UnixAddress) throws(SyncError) {
        var status = stat()
        guard lstat(address.path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SyncError(
                .invalid,
                "\(address.path.lastComponent) is there and is no socket; it is left as it is.")
        }
        let probe = try UnixAddress.makeSocket()
        let failure = address.connect(probe)
        _ = PosixCall.close(probe)
        guard failure == ECONNREFUSED else {
            throw SyncError(
                .inUse, "A living process listens at \(address.path.lastComponent); stop it first.")
        }
        guard unlink(address.path) == 0 || errno == ENOENT else {
            throw SyncError(call: "unlink", errno)
        }
    }
}

internal import Ledger
internal import SyncEngine

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Listens at the control socket and gives each client a thread.
final class ControlServer: Sendable {
    static let clientsMax = 64

    private let daemon: Daemon
    private let listener: Int32
    /// The socket's name, where this daemon made it.
    private let path: String?
    /// Written to once, never drained: all threads see it.
    private let stopped: WakePipe
    private let workers: WorkerGroup

    /// Listens at a path of its own.
    convenience init(at path: String, _ daemon: Daemon) throws(Failure) {
        let listener = try liftedSync { () throws(SyncError) in try LocalSocket.listen(at: path) }
        try self.init(listener, path: path, daemon)
    }

    /// Listens at a socket that was opened by others.
    convenience init(passed listener: Int32, _ daemon: Daemon) throws(Failure) {
        try self.init(listener, path: nil, daemon)
    }

    private init(_ listener: Int32, path: String?, _ daemon: Daemon) throws(Failure) {
        self.listener = listener
        self.path = path
        self.daemon = daemon
        stopped = try WakePipe()
        workers = try WorkerGroup()
    }

    func start() throws(Failure) {
        guard workers.start({ [self] in acceptClients() }) else {
            throw Failure(.io, code: "io", "The system has no thread left for the control socket.")
        }
    }

    /// How many clients are connected.
    var clientCount: Int { max(0, workers.count - 1) }

    /// Lets requests that were begun come to their end; false when they take longer.
    func stop(milliseconds: Int64) -> Bool {
        stopped.wake()
        if let path { unlink(path) }
        return workers.wait(milliseconds: milliseconds)
    }

    private func acceptClients() {
        defer { close(listener) }
        while true {
            let ready = PosixIO.ready(reading: [listener, stopped.read], milliseconds: -1)
            if ready.contains(stopped.read) { return }
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                // Out of descriptors or memory: the client waits, and so does this thread.
                if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) {
                    _ = PosixIO.ready(reading: [stopped.read], milliseconds: 100)
                }
                continue
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            serve(client)
        }
    }

    private func serve(_ client: Int32) {
        guard LocalSocket.isSameUser(client) else {
            close(client)
            daemon.log.warning("refused a control client of another user")
            return
        }
        guard clientCount < Self.clientsMax,
            workers.start({ [self] in converse(client) })
        else {
            let connection = ControlConnection(owning: client, stop: stopped.read)
            ControlReply(connection, line: 0, id: nil).error(
                Failure(.busy, code: "limit", "Too many clients are connected; try again later."))
            return
        }
    }

    private func converse(_ client: Int32) {
        let connection = ControlConnection(owning: client, stop: stopped.read)
        while true {
            do throws(Failure) {
                guard let line = try connection.nextLine() else { return }
                guard !line.isEmpty else { continue }
                ControlHandler(daemon, connection).answer(line)
            } catch {
                ControlReply(connection, line: connection.lineCount, id: nil).error(error)
                return
            }
        }
    }
}

internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Serves `GET /metrics` on a loopback address: one client at a time, a request of bounded size,
/// in bounded time, one answer a connection.
final class MetricsServer: Sendable {
    private static let requestBytesMax = 4096
    private static let millisecondsMax: Int64 = 2000

    private let daemon: Daemon
    private let listener: Int32
    private let stopped: WakePipe
    private let workers: WorkerGroup
    /// Where it listens; the port is the system's choice where 0 was asked for.
    let port: UInt16

    convenience init(at address: LoopbackAddress, _ daemon: Daemon) throws(Failure) {
        try self.init(passed: try LoopbackSocket.listen(address), daemon)
    }

    /// Listens at a socket that was opened by others.
    init(passed listener: Int32, _ daemon: Daemon) throws(Failure) {
        self.listener = listener
        self.daemon = daemon
        port = LoopbackSocket.port(listener)
        stopped = try WakePipe()
        workers = try WorkerGroup()
    }

    func start() throws(Failure) {
        guard workers.start({ [self] in serve() }) else {
            throw Failure(.io, code: "io", "The system has no thread left for the metrics.")
        }
    }

    func stop(milliseconds: Int64) -> Bool {
        stopped.wake()
        return workers.wait(milliseconds: milliseconds)
    }

    private func serve() {
        defer { close(listener) }
        while true {
            let ready = PosixIO.ready(reading: [listener, stopped.read], milliseconds: -1)
            if ready.contains(stopped.read) { return }
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                _ = PosixIO.ready(reading: [stopped.read], milliseconds: 100)
                continue
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            answer(client)
            close(client)
        }
    }

    private func answer(_ client: Int32) {
        let deadline = now + Self.millisecondsMax
        guard let head = request(client, deadline) else { return }
        let response = MetricsResponse(to: head) { [daemon] () throws(Failure) in
            try daemon.metricsText()
        }
        write(response.bytes, to: client, deadline)
        // Closing with unread input would reset the connection before the answer has arrived.
        shutdown(client, Int32(SHUT_WR))
        while now < deadline, wait(client, deadline), !read(client, 512).isEmpty {}
    }

    /// The request up to the empty line; nil when it does not come, or is too long.
    private func request(_ client: Int32, _ deadline: Int64) -> [UInt8]? {
        var head: [UInt8] = []
        while now < deadline, head.count <= Self.requestBytesMax {
            if MetricsResponse.isWhole(head) { return head }
            guard wait(client, deadline) else { return nil }
            let more = read(client, Self.requestBytesMax)
            if more.isEmpty { return nil }
            head += more
        }
        return head.count > Self.requestBytesMax ? head : nil
    }

    private var now: Int64 { SystemClock.monotonicNanoseconds() / 1_000_000 }

    private func wait(_ client: Int32, _ deadline: Int64) -> Bool {
        let left = Int32(clamping: max(0, deadline - now))
        let ready = PosixIO.ready(reading: [client, stopped.read], milliseconds: left)
        return ready.contains(client) && !ready.contains(stopped.read)
    }

    private func read(_ client: Int32, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { space, filled in
            filled = max(0, recv(client, space.baseAddress, count, 0))
        }
    }

    private func write(_ bytes: [UInt8], to client: Int32, _ deadline: Int64) {
        var offset = 0
        while offset < bytes.count, now < deadline {
            let count = bytes[offset...].withUnsafeBytes {
                PosixIO.write(client, $0.baseAddress, $0.count)
            }
            if count > 0 {
                offset += count
            } else if errno == EAGAIN {
                let left = Int32(clamping: max(0, deadline - now))
                _ = PosixIO.ready(reading: [], writing: client, milliseconds: left)
            } else if errno != EINTR {
                return
            }
        }
    }
}

/// The one thing that is served, and how everything else is refused (RFC 9112).
struct MetricsResponse {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - head: what the client sent, up to and with the empty line.
    ///   - metrics: computes the metrics, only when they are asked for.
    init(to head: [UInt8], metrics: () throws(Failure) -> String) {
        let lines = String(decoding: head, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.first?.split(separator: " ") ?? []
        guard Self.isWhole(head), words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            self.init("400 Bad Request", "Ask for /metrics.\n")
            return
        }
        // A page in a browser may have its own name resolve to this address.
        guard Self.isForLoopback(lines) else {
            self.init("403 Forbidden", "Ask by a loopback address.\n")
            return
        }
        let path = words[1].split(separator: "?", maxSplits: 1).first ?? ""
        switch (words[0], path) {
        case ("GET", "/metrics"):
            do throws(Failure) {
                self.init("200 OK", try metrics())
            } catch {
                self.init("503 Service Unavailable", "The ledger cannot be read.\n")
            }
        case (_, "/metrics"): self.init("405 Method Not Allowed", "Only GET.\n", "Allow: GET\r\n")
        default: self.init("404 Not Found", "Only /metrics is here.\n")
        }
    }

    private init(_ status: String, _ body: String, _ header: String = "") {
        bytes = Array(
            ("HTTP/1.1 \(status)\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\(header)\r\n\(body)")
                .utf8)
    }

    static func isWhole(_ head: [UInt8]) -> Bool {
        head.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A]
    }

    private static func isForLoopback(_ lines: [Substring]) -> Bool {
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
        guard let host = hosts.first else { return true }
        let name = host.dropFirst(5).drop { $0 == " " }
        return hosts.count == 1
            && ["127.0.0.1", "localhost", "[::1]"].contains { known in
                name == known || name.hasPrefix("\(known):")
            }
    }
}

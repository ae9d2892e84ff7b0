#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Listening sockets that the service manager opened before, by the protocol of sd_listen_fds(3).
struct SocketActivation: Sendable {
    /// One socket.
    struct Passed: Sendable, Equatable {
        let descriptor: Int32
        /// Its FileDescriptorName=, such as `control`.
        let name: String
        let isUnix: Bool
    }

    private static let firstDescriptor: Int32 = 3
    private static let countMax: Int32 = 64

    let sockets: [Passed]

    /// Takes the manager's variables out of the environment, for they are meant for this process.
    init(_ console: any Console) {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        guard console.variable("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
            let count = console.variable("LISTEN_FDS").flatMap({ Int32($0) }),
            (1...Self.countMax).contains(count)
        else {
            sockets = []
            return
        }
        let names = (console.variable("LISTEN_FDNAMES") ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        sockets = (0..<count).map { index in
            let descriptor = Self.firstDescriptor + index
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            return Passed(
                descriptor: descriptor, name: name, isUnix: Self.family(descriptor) == AF_UNIX)
        }
    }

    /// The first socket of a name.
    func socket(named name: String) -> Int32? { sockets.first { $0.name == name }?.descriptor }

    /// Those that are for merging: of any other name than the daemon's own services.
    var forPeers: [Passed] { sockets.filter { !["control", "metrics"].contains($0.name) } }

    private static func family(_ descriptor: Int32) -> Int32 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        return result == 0 ? Int32(address.ss_family) : -1
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A path as the address of a Unix-domain socket, and the calls that take one.
struct UnixAddress {
    private var address = sockaddr_un()
    let path: String

    init(_ path: String) throws(SyncError) {
        self.path = path
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
            throw SyncError(
                .invalid, "A socket's path must have 1 to \(room - 1) bytes; choose a shorter one.")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    static func makeSocket() throws(SyncError) -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SyncError(call: "socket", errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // So that connecting to a process that is stuck fails with EAGAIN instead of waiting.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    /// Zero, or errno.
    func connect(_ descriptor: Int32) -> Int32 {
        withAddress { PosixCall.connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    /// Zero, or errno.
    func bind(_ descriptor: Int32) -> Int32 {
        withAddress { PosixCall.bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    private func withAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The path that a socket is bound to; nil where it has none.
    static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: &address.sun_path) { Array($0.prefix { $0 != 0 }) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the process at the other end runs as this process's user.
    static func isSameUser(_ descriptor: Int32) -> Bool {
        #if canImport(Glibc)
        // struct ucred of unix(7): process, user, group; Glibc's module does not export it.
        var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        let result = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return result == 0 && credentials.user == geteuid()
        #else
        var (user, group) = (uid_t.max, gid_t.max)
        return getpeereid(descriptor, &user, &group) == 0 && user == geteuid()
        #endif
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Makes TCP sockets that never block and that notice a peer that is gone.
enum TCPSocket {
    private static let backlog: Int32 = 128
    /// A peer whose machine vanished is noticed after 60 + 4 × 15 seconds without a packet.
    private static let keepAliveSeconds: (idle: Int32, interval: Int32, count: Int32) = (60, 15, 4)

    /// Listens at every address that the host stands for.
    ///
    /// - Throws: `inUse`, `notFound` where no such address is here, `notPossible` where the system
    ///   does not allow it.
    static func listen(host: String, port: UInt16) throws(SyncError) -> [Int32] {
        let addresses = try InternetAddress.resolve(host, port: port, isForListening: true)
        var descriptors: [Int32] = []
        // With port 0 every address would get a port of its own.
        for address in port == 0 ? addresses.prefix(1) : addresses[...] {
            do throws(SyncError) { descriptors.append(try listen(at: address)) } catch {
                for descriptor in descriptors { _ = PosixCall.close(descriptor) }
                throw error
            }
        }
        return descriptors
    }

    private static func listen(at address: InternetAddress) throws(SyncError) -> Int32 {
        let descriptor = try make(family: address.family)
        // An address whose last owner has just gone is free.
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // Each address means what it says: [::] does not take IPv4 in.
        if address.family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        let bound = address.withAddress { PosixCall.bind(descriptor, $0, $1) }
        guard bound == 0, PosixCall.listen(descriptor, backlog) == 0 else {
            let failure = errno
            _ = PosixCall.close(descriptor)
            throw SyncError(listeningAt: address, failure)
        }
        return descriptor
    }

    /// Begins to connect.
    ///
    /// - Returns: a socket that is connected, or failed, once it can be written.
    static func connect(to address: InternetAddress) throws(SyncError) -> Int32 {
        let descriptor = try make(family: address.family)
        tune(descriptor)
        let result = address.withAddress { PosixCall.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            let failure = errno
            _ = PosixCall.close(descriptor)
            throw SyncError(connecting: address.socketAddress?.description ?? "there", failure)
        }
        return descriptor
    }

    /// How connecting came out: zero, or errno.
    static func connectFailure(_ descriptor: Int32) -> Int32 {
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let result = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
        return result == 0 ? failure : errno
    }

    /// Settings of a connection, on either side.
    static func tune(_ descriptor: Int32) {
        // What is small is waited for at the other end; what is large is written whole.
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        #if canImport(Glibc)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, keepAliveSeconds.idle)
        #else
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, keepAliveSeconds.idle)
        #endif
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, keepAliveSeconds.interval)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, keepAliveSeconds.count)
    }

    private static func make(family: Int32) throws(SyncError) -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SyncError(call: "socket", errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    /// Best effort: a system that lacks an option still connects.
    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension SyncError {
    init(listeningAt address: InternetAddress, _ failure: Int32) {
        let name = address.socketAddress?.description ?? "the address"
        let cause = PosixCall.message(failure)
        switch failure {
        case EADDRINUSE:
            self.init(
                .inUse, "Something listens at \(name) already; stop it or choose another port.",
                cause: cause)
        case EADDRNOTAVAIL:
            self.init(
                .notFound, "This machine does not have the address of \(name).", cause: cause)
        case EACCES, EPERM:
            self.init(
                .notPossible,
                "This user may not listen at \(name); choose a port of 1024 or above.",
                cause: cause)
        default: self.init(.io, "\(name) cannot be listened at.", cause: cause)
        }
    }
}

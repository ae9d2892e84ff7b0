#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Listening TCP sockets of this machine alone.
enum LoopbackSocket {
    static func listen(_ address: LoopbackAddress) throws(Failure) -> Int32 {
        let domain = address.family == .four ? AF_INET : AF_INET6
        #if canImport(Glibc)
        let descriptor = socket(domain, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(domain, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw .io("Cannot listen at \(address)", errno: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address) == 0, begin(descriptor) == 0 else {
            let code = errno
            close(descriptor)
            throw .io("Cannot listen at \(address)", errno: code)
        }
        return descriptor
    }

    private static func bind(_ descriptor: Int32, _ address: LoopbackAddress) -> Int32 {
        switch address.family {
        case .four:
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = address.port.bigEndian
            four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return bind(descriptor, &four)
        case .six:
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = address.port.bigEndian
            six.sin6_addr = in6addr_loopback
            return bind(descriptor, &six)
        }
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let length = socklen_t(MemoryLayout<Address>.size)
                #if canImport(Glibc)
                return Glibc.bind(descriptor, $0, length)
                #else
                return Darwin.bind(descriptor, $0, length)
                #endif
            }
        }
    }

    private static func begin(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.listen(descriptor, 16)
        #else
        Darwin.listen(descriptor, 16)
        #endif
    }

    /// The port a socket listens at; 0 for one that has none.
    static func port(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        // Family and port stand at the same places in sockaddr_in.
        let family = Int32(address.sin6_family)
        guard result == 0, family == AF_INET || family == AF_INET6 else { return 0 }
        return UInt16(bigEndian: address.sin6_port)
    }
}

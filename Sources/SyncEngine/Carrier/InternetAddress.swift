#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// An IPv4 or IPv6 address with a port, as the system's calls take it.
struct InternetAddress: Sendable, Hashable {
    /// The bytes of a `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]
    let family: Int32

    /// Looks a host up: at least one address, in the system's order.
    ///
    /// With `isNumeric` it takes only an address in digits, which asks nobody and never blocks.
    static func resolve(
        _ host: String, port: UInt16, isNumeric: Bool = false, isForListening: Bool = false
    ) throws(SyncError) -> [InternetAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags =
            AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0) | (isForListening ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &list)
        guard failure == 0, let list else {
            let cause = gai_strerror(failure).map { String(cString: $0) }
            throw SyncError(
                .notFound, "The host \(host) is not known; check the name and the network.",
                cause: cause)
        }
        defer { freeaddrinfo(list) }
        var found: [InternetAddress] = []
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let entry = next?.pointee {
            let address = InternetAddress(entry.ai_addr, entry.ai_addrlen)
            if let address, !found.contains(address) { found.append(address) }
            next = entry.ai_next
        }
        guard !found.isEmpty else {
            throw SyncError(.notFound, "The host \(host) has no address that TCP can use.")
        }
        return found
    }

    private init?(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) {
        guard let address else { return nil }
        family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(length)))
    }

    /// The address a socket is bound to, or the one it is connected to.
    init?(of descriptor: Int32, isPeer: Bool = false) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let made = withUnsafeMutablePointer(to: &storage) { pointer -> InternetAddress? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let result =
                    isPeer
                    ? getpeername(descriptor, address, &length)
                    : getsockname(descriptor, address, &length)
                return result == 0 ? InternetAddress(address, length) : nil
            }
        }
        guard let made else { return nil }
        self = made
    }

    func withAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(bytes.count))
            }
        }
    }

    /// The address in digits.
    var socketAddress: SocketAddress? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = withAddress { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &service,
                socklen_t(service.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0, let port = UInt16(Self.text(service)) else { return nil }
        return SocketAddress(.tcp(host: Self.text(host), port: port))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension SocketAddress {
    /// The port; nil on a Unix-domain socket.
    package var port: UInt16? {
        if case .tcp(_, let port) = kind { port } else { nil }
    }

    /// How others reach who listens here, `HOST:PORT`: of an address that stands for all of the
    /// machine's, the machine's; none for a Unix-domain socket.
    package var reachable: [String] {
        guard case .tcp(let host, let port) = kind, port != 0 else { return [] }
        switch host {
        case "0.0.0.0":
            let all = Self.ofThisMachine(AF_INET)
            // A machine without a network still has itself.
            return (all.isEmpty ? ["127.0.0.1"] : all).map { "\($0):\(port)" }
        case "::":
            let all = Self.ofThisMachine(AF_INET6)
            return (all.isEmpty ? ["::1"] : all).map { "[\($0)]:\(port)" }
        default: return [String(description.dropFirst("tcp://".count))]
        }
    }

    /// The addresses of the machine's interfaces, without loopback and link-local ones.
    private static func ofThisMachine(_ family: Int32) -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, Int32(address.pointee.sa_family) == family,
                entry.ifa_flags & CUnsignedInt(IFF_LOOPBACK) == 0
            else { continue }
            let length =
                family == AF_INET
                ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    address, socklen_t(length), &name, socklen_t(name.count), nil, 0,
                    NI_NUMERICHOST) == 0
            else { continue }
            let text = String(
                decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Only the machines on the same link could use these.
            if !text.hasPrefix("fe80:"), !text.hasPrefix("169.254.") { found.append(text) }
        }
        return found
    }
}

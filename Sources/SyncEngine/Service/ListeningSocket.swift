internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A socket that takes callers, closed with its owner.
final class ListeningSocket: Sendable {
    /// The name of a Unix socket is removed by who made it.
    enum Kind: Sendable { case tcp, unix(ownPath: String?) }

    let descriptor: Int32
    let kind: Kind
    let address: SocketAddress

    private init(owning descriptor: Int32, _ kind: Kind, _ address: SocketAddress) {
        (self.descriptor, self.kind, self.address) = (descriptor, kind, address)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { _ = PosixCall.close(descriptor) }

    /// Listens at an address.
    static func open(_ address: SocketAddress) throws(SyncError) -> [ListeningSocket] {
        switch address.kind {
        case .tcp(let host, let port):
            try TCPSocket.listen(host: host, port: port).map { descriptor in
                let bound = InternetAddress(of: descriptor)?.socketAddress
                return ListeningSocket(owning: descriptor, .tcp, bound ?? address)
            }
        case .unix(let path):
            [
                ListeningSocket(
                    owning: try UnixSocketListener.listen(at: path), .unix(ownPath: path), address)
            ]
        }
    }

    /// Takes over a socket that listens already, as a service manager hands it in.
    static func adopt(_ descriptor: Int32) throws(SyncError) -> ListeningSocket {
        if let address = InternetAddress(of: descriptor)?.socketAddress {
            return ListeningSocket(owning: descriptor, .tcp, address)
        }
        guard let path = UnixAddress.path(of: descriptor) else {
            throw SyncError(
                .invalid, "Descriptor \(descriptor) is no socket that listens on TCP or a path.")
        }
        return ListeningSocket(
            owning: descriptor, .unix(ownPath: nil), SocketAddress(.unix(path: path)))
    }

    /// The next caller; nil when nobody waits.
    func accept() throws(SyncError) -> Int32? {
        let caller = PosixCall.accept(descriptor)
        guard caller < 0 else {
            _ = fcntl(caller, F_SETFD, FD_CLOEXEC)
            return caller
        }
        switch errno {
        // Who hung up while waiting is nobody's trouble (accept(2), "Error handling").
        case EAGAIN, EINTR, ECONNABORTED, EPROTO: return nil
        default: throw SyncError(call: "accept", errno)
        }
    }

    /// Takes the name of a Unix socket away.
    func removeName() {
        if case .unix(let path?) = kind { unlink(path) }
    }
}

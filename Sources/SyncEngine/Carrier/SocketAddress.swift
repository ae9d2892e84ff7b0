public import Ledger

/// Where a replica can be reached or listens: `tcp://HOST:PORT` or `unix://PATH`.
///
/// An IPv6 address stands in brackets: `tcp://[::1]:7777`. To listen everywhere, name both
/// `tcp://0.0.0.0:7777` and `tcp://[::]:7777`; port 0 lets the system choose one.
///
/// ```swift
/// let address = try SocketAddress("tcp://[::1]:7777")
/// ```
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// Reads an address; nothing is looked up or connected.
    ///
    /// - Parameter text: `tcp://HOST:PORT` or `unix://PATH`.
    /// - Throws: `invalid` for anything else.
    public init(_ text: String) throws(SyncError) {
        if let path = text.after("unix://") {
            guard path.hasPrefix("/") else {
                throw SyncError(.invalid, "unix:// takes an absolute path: unix:///run/x.sock.")
            }
            kind = .unix(path: String(path))
        } else if let rest = text.after("tcp://") {
            kind = try Self.tcp(rest)
        } else {
            throw SyncError(.invalid, "An address is tcp://HOST:PORT or unix://PATH.")
        }
    }

    static func tcp(_ text: Substring) throws(SyncError) -> Kind {
        let form = SyncError(
            .invalid, "A host and port are HOST:PORT, or [ADDRESS]:PORT for IPv6.")
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]),
            text[text.index(after: colon)...].utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { throw form }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { throw form }
        } else if host.contains(":") {
            throw form
        }
        // A host name has at most 253 characters (RFC 1035); nothing outside ASCII is looked up.
        let isSane = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, host.utf8.count <= 253, isSane else { throw form }
        return .tcp(host: String(host), port: port)
    }

    /// The address as it is read.
    public var description: String {
        switch kind {
        case .tcp(let host, let port):
            host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
        case .unix(let path): "unix://\(path)"
        }
    }
}

/// Another replica, and where it listens: `ID@HOST:PORT`.
///
/// The id is what is trusted: whoever else answers at the address is hung up on before it learns
/// who calls.
///
/// ```swift
/// let peer = try PeerAddress("\(tablet.id)@tablet.example:7777")
/// ```
public struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The id of the replica, which is its public key.
    public let replica: ReplicaID
    /// Where it listens.
    public let address: SocketAddress

    /// Puts the two together.
    ///
    /// - Parameters:
    ///   - replica: the id of the replica.
    ///   - address: where it listens.
    public init(_ replica: ReplicaID, at address: SocketAddress) {
        self.replica = replica
        self.address = address
    }

    /// Reads a peer's id and address; nothing is looked up or connected.
    ///
    /// - Parameter text: `ID@HOST:PORT`, or `ID@unix://PATH` for one on this machine.
    /// - Throws: `invalid` for anything else; the id must be whole.
    public init(_ text: String) throws(SyncError) {
        guard let at = text.firstIndex(of: "@"), let replica = ReplicaID(String(text[..<at]))
        else {
            throw SyncError(.invalid, "A peer is ID@HOST:PORT with the whole id of the replica.")
        }
        let rest = text[text.index(after: at)...]
        let address =
            rest.hasPrefix("unix://") || rest.hasPrefix("tcp://")
            ? try SocketAddress(String(rest)) : SocketAddress(try SocketAddress.tcp(rest))
        if case .tcp(_, port: 0) = address.kind {
            throw SyncError(.invalid, "A peer's port is 1 to 65535.")
        }
        self.init(replica, at: address)
    }

    /// The peer as it is read.
    public var description: String {
        switch address.kind {
        case .tcp: "\(replica)@\(address.description.dropFirst("tcp://".count))"
        case .unix: "\(replica)@\(address)"
        }
    }
}

extension String {
    /// What follows a beginning; nil where the text begins otherwise.
    fileprivate func after(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

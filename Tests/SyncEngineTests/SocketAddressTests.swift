import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct SocketAddressTests {
    private let id = ReplicaID(raw: Bytes32([UInt8](1...32)) ?? .zero)

    @Test(arguments: [
        "tcp://127.0.0.1:7777", "tcp://[::1]:7777", "tcp://tablet.example:1", "tcp://0.0.0.0:0",
        "unix:///run/consent.sock",
    ])
    func `an address reads as it is written`(text: String) throws {
        #expect(try SocketAddress(text).description == text)
    }

    @Test(arguments: [
        "", "tcp://", "tcp://:7777", "tcp://host", "tcp://host:", "tcp://host:65536",
        "tcp://host:-1", "tcp://host:+1", "tcp://::1:7777", "tcp://[host]:7777", "tcp://[::1]",
        "tcp://a b:1", "tcp://a/b:1", "tcp://höst:1", "http://host:1", "unix://", "unix://x.sock",
        "host:7777", "tcp://\(String(repeating: "a", count: 254)):1",
    ])
    func `what is no address is refused`(text: String) {
        #expect(throws: SyncError(.invalid, "")) { try SocketAddress(text) }
    }

    @Test func `a peer is its id and where it listens`() throws {
        for place in ["tablet.example:7777", "[::1]:1", "unix:///run/x.sock"] {
            let peer = try PeerAddress("\(id)@\(place)")
            #expect(peer.replica == id && peer.description == "\(id)@\(place)")
        }
        #expect(try PeerAddress("\(id)@tcp://a:1").description == "\(id)@a:1")
        for text in ["", "a:1", "\(id)", "\(id)@", "\(id.short)@a:1", "\(id)@a:0", "@a:1"] {
            #expect(throws: SyncError(.invalid, ""), "\(text)") { try PeerAddress(text) }
        }
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `listening tells why it cannot be`(host: String) throws {
        guard let descriptor = try? TCPSocket.listen(host: host, port: 0).first else {
            // A machine without IPv6 has no ::1 to listen at.
            #expect(host == "::1")
            return
        }
        defer { close(descriptor) }
        guard case .tcp(_, let port) = InternetAddress(of: descriptor)?.socketAddress?.kind else {
            Issue.record("no port")
            return
        }
        #expect(throws: SyncError(.inUse, "")) { try TCPSocket.listen(host: host, port: port) }
    }

    @Test func `an address of another machine cannot be listened at`() {
        // 192.0.2.0/24 is for documentation (RFC 5737): nobody has it.
        #expect(throws: SyncError(.notFound, "")) {
            try TCPSocket.listen(host: "192.0.2.1", port: 0)
        }
        #expect(throws: SyncError(.notFound, "")) {
            try InternetAddress.resolve("no such host", port: 1, isNumeric: true)
        }
    }
}

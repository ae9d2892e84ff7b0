import Ledger
import SyncEngine
import TestSupport
import Testing

/// Merging over sockets; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfSockets {
    private let tablet = ReplicaID(bytes: [UInt8](1...32))

    @Test func `an address says how a replica is reached`() throws {
        let address = try SocketAddress("tcp://[::1]:7777")
        #expect("\(address)" == "tcp://[::1]:7777")
        struct Tablet { let id: ReplicaID }
        let tablet = Tablet(id: try #require(tablet))
        let peer = try PeerAddress("\(tablet.id)@tablet.example:7777")
        #expect(peer.replica == tablet.id)
    }

    @Test func `a replica that nobody serves is not found`() throws {
        let ledger = try TestLedger().ledger
        func merge(_ peer: PeerAddress) throws -> Bool {
            let report: SyncReport = try TCPSync(peer, of: ledger).sync()
            return report.isInSync
        }
        // Port 1 of this machine: nobody listens there.
        let peer = PeerAddress(try #require(tablet), at: try SocketAddress("tcp://127.0.0.1:1"))
        #expect(throws: SyncError(.notFound, "")) { try merge(peer) }
    }

    @Test func `a device that nobody answers is not admitted`() throws {
        let phone = try TestLedger()
        let directory = phone.directory.path + "/tablet"
        let invitation = try phone.ledger.invite(addresses: ["127.0.0.1:1"])
        func join() throws -> Bool {
            let tablet = try Ledger.join(invitation, at: directory)
            let report: SyncReport = try JoinCall(invitation, of: tablet).run()
            return report.isInSync
        }
        #expect(throws: SyncError(.notFound, "")) { try join() }
    }
}

import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// What members and erasures do to connections that stay open, over ledgers on disk.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveServiceLedgerTests {
    private let first: TestLedger
    private let second: TestLedger
    private let listening: SyncService
    private let calling: SyncService
    private let firstID: ReplicaID
    private let secondID: ReplicaID

    init() throws {
        first = try TestLedger()
        second = try first.joined()
        firstID = try #require(first.ledger.replica)
        secondID = try #require(second.ledger.replica)
        var configuration = SyncConfiguration()
        configuration.listenAddresses = [try SocketAddress("tcp://127.0.0.1:0")]
        configuration.limits.lookMilliseconds = 20
        listening = SyncService(of: first.ledger, configuration)
        try listening.start()
        configuration.listenAddresses = []
        let address = try #require(listening.snapshot().listening.first)
        configuration.peers = [PeerAddress(firstID, at: address)]
        calling = SyncService(of: second.ledger, configuration)
        try calling.start()
    }

    private func stop() {
        calling.stop()
        listening.stop()
    }

    private func until(_ condition: () throws -> Bool) async rethrows {
        while try !condition() { await Task.yield() }
    }

    private func isConnected() -> Bool {
        calling.snapshot().peers.first?.phase == .connected
            && listening.snapshot().peers.first?.phase == .connected
    }

    @Test(arguments: [false, true])
    func `a peer that is removed is hung up on at once, whoever called`(byCaller: Bool) async throws
    {
        await until(isConnected)
        try await until { try first.ledger.tips() == second.ledger.tips() }
        if byCaller {
            // The recovery key's holder may be anywhere; here the one who calls removes the other.
            try second.ledger.remove(firstID)
            await until { calling.snapshot().peers.first?.phase == .waiting }
            #expect(calling.snapshot().peers.first?.failure?.code == .refused)
            #expect(calling.snapshot().peers.first?.connections == 1)
        } else {
            try first.ledger.remove(secondID)
            await until { listening.snapshot().peers.first?.phase == .idle }
            #expect(listening.snapshot().peers.first?.failure?.code == .refused)
            // It calls again, and is treated as anybody.
            calling.callNow()
            await until { listening.snapshot().strangersOnLine == 1 }
            #expect(listening.snapshot().peers.first?.connections == 1)
        }
        stop()
    }

    private func hasContent(_ id: EventID) throws -> Bool {
        try second.ledger.event(id)?.event.body.isEmpty == false
    }

    @Test func `an erasure reaches whoever is connected`() async throws {
        let receipt = try first.ledger.append(.allowed("ann", resource: "camera", at: phone))
        try await until { try second.ledger.tips() == first.ledger.tips() }
        #expect(try hasContent(receipt.event.id))
        _ = try first.ledger.erase("ann")
        try await until { try second.ledger.erasures().count == 1 }
        #expect(try !hasContent(receipt.event.id))
        stop()
    }

    @Test func `the side that was called pushes what its own process records`() async throws {
        await until(isConnected)
        for number in 0..<3 {
            try first.ledger.append(.allowed("p\(number)", resource: "camera", at: phone))
            try await until { try second.ledger.lastPosition() == first.ledger.lastPosition() }
        }
        #expect(listening.snapshot().peers.first?.eventsSent ?? 0 >= 3)
        #expect(calling.snapshot().peers.first?.connections == 1)
        stop()
    }

    @Test func `what another process records passes without being told`() async throws {
        await until(isConnected)
        let other = try Ledger(openAt: first.path, environment: first.clock.environment)
        try other.append(.allowed("me", resource: "camera", at: phone))
        try await until { try second.ledger.lastPosition() == first.ledger.lastPosition() }
        try other.close()
        stop()
    }
}

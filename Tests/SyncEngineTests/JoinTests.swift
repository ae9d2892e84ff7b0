import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// Joining over a socket: who shows a token that is good is a member at once, and everybody else
/// hears what a stranger hears.
@Suite(.serialized, .timeLimit(.minutes(5))) struct JoinTests {
    private let test: TestLedger
    private let service: SyncService

    /// Long enough for a handshake on a busy machine.
    private static let handshakeMilliseconds: Int64 = 1500

    init() throws {
        test = try TestLedger()
        service = try Self.serve(test.ledger) { _ in }
    }

    private static func serve(
        _ ledger: Ledger, _ change: (inout SyncLimits) -> Void
    ) throws -> SyncService {
        var configuration = SyncConfiguration()
        configuration.listenAddresses = [try SocketAddress("tcp://127.0.0.1:0")]
        change(&configuration.limits)
        let service = SyncService(of: ledger, configuration)
        try service.start()
        return service
    }

    private var address: String { service.snapshot().listening[0].reachable[0] }

    private func invite(_ name: String? = nil) throws -> Invitation {
        try test.ledger.invite(name: name, addresses: [address])
    }

    private func tablet(_ invitation: Invitation, _ name: String = "tablet") throws -> Ledger {
        try Ledger.join(
            invitation, at: "\(test.directory.path)/\(name)", environment: test.clock.environment)
    }

    private func join(_ invitation: Invitation, _ ledger: Ledger) throws(SyncError) -> SyncReport {
        try JoinCall(invitation, of: ledger, answerMilliseconds: 20_000).run()
    }

    @Test func `the holder of a token is admitted and merges in the same connection`() throws {
        defer { service.stop() }
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let invitation = try invite("tablet")
        let tablet = try tablet(invitation)
        let report = try join(invitation, tablet)
        #expect(report.isInSync && report.eventsReceived == 3 && report.eventsSent == 1)
        #expect(try tablet.stateDigest() == test.ledger.stateDigest())
        let id = try #require(tablet.replica)
        #expect(try tablet.members().first { $0.replica == id }?.name == "tablet")
        // What broke off after the admission is taken up again.
        #expect(try join(invitation, tablet).isInSync)
        #expect(try test.ledger.invitations().first?.state == .used)
        #expect(try TCPSync(try peer(), of: tablet).sync().isInSync)
        #expect(service.snapshot().strangersRefused == 0)
    }

    private func peer() throws -> PeerAddress {
        try PeerAddress("\(try #require(test.ledger.replica))@\(address)")
    }

    @Test func `a token that is not good any more says why`() throws {
        defer { service.stop() }
        let invitation = try invite()
        let first = try tablet(invitation, "first")
        _ = try join(invitation, first)
        let second = try tablet(invitation, "second")
        #expect(throws: SyncError(.invitationUsed, "")) { try join(invitation, second) }
        let revoked = try invite()
        try test.ledger.revokeInvitation(try test.ledger.invitations()[0].id)
        #expect(throws: SyncError(.invitationRevoked, "")) { try join(revoked, second) }
        let late = try invite()
        test.clock.advance(days: 2)
        #expect(throws: SyncError(.invitationExpired, "")) { try join(late, second) }
        try test.ledger.remove(try #require(first.replica))
        #expect(throws: SyncError(.refused, "")) { try join(try invite(), first) }
        #expect(try test.ledger.standing(of: try #require(second.replica)) == .unknown)
    }

    @Test func `another replica than the inviter does not take the token`() throws {
        defer { service.stop() }
        let desk = try test.joined()
        try Exchange.pull(from: test.ledger, into: desk.ledger)
        let invitation = try desk.ledger.invite(addresses: [address])
        #expect(throws: SyncError(.refused, "")) { try join(invitation, try tablet(invitation)) }
        // A token of the ledger's, shown to the wrong member.
        let wrong = Invitation(
            ledger: invitation.ledger, key: invitation.key,
            inviter: try #require(test.ledger.replica), addresses: [address],
            pass: invitation.pass)
        let other = try tablet(wrong, "other")
        #expect(throws: SyncError(.refused, "")) { try join(wrong, other) }
        #expect(try test.ledger.standing(of: try #require(other.replica)) == .unknown)
    }

    /// Runs a service that calls this one until both have merged and the caller is a member.
    private func callUntilMember(_ ledger: Ledger) async throws {
        var configuration = SyncConfiguration()
        configuration.peers = [try peer()]
        configuration.limits.lookMilliseconds = 20
        let calling = SyncService(of: ledger, configuration)
        try calling.start()
        defer { calling.stop() }
        let id = try #require(ledger.replica)
        while try calling.snapshot().peers.first?.isInSync != true || ledger.isMember(id) != true {
            try #require(calling.snapshot().peers.first?.failure == nil)
            await Task.yield()
        }
        #expect(try ledger.pendingRequest(to: try #require(test.ledger.replica)) == nil)
    }

    @Test func `a service that calls before its replica was admitted shows the token`() async throws
    {
        defer { service.stop() }
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let invitation = try invite("tablet")
        let tablet = try tablet(invitation)
        try await callUntilMember(tablet)
        #expect(try tablet.stateDigest() == test.ledger.stateDigest())
        #expect(try test.ledger.invitations().first?.state == .used)
        // Whom it knows by another way than its inviter hears nothing of the token.
        #expect(try tablet.pendingRequest(to: try #require(tablet.replica)) == nil)
    }

    @Test func `who was admitted another way is not kept out by a token that is not good`()
        async throws
    {
        defer { service.stop() }
        let invitation = try invite()
        let tablet = try tablet(invitation)
        try test.ledger.revokeInvitation(try test.ledger.invitations()[0].id)
        try test.ledger.admit(try #require(tablet.replica), name: nil)
        try await callUntilMember(tablet)
    }

    @Test func `a service is told why its token is not good, and goes on calling`() async throws {
        defer { service.stop() }
        let tablet = try tablet(try invite())
        try test.ledger.revokeInvitation(try test.ledger.invitations()[0].id)
        var configuration = SyncConfiguration()
        configuration.peers = [try peer()]
        let calling = SyncService(of: tablet, configuration)
        try calling.start()
        defer { calling.stop() }
        while calling.snapshot().peers.first?.phase != .waiting { await Task.yield() }
        #expect(calling.snapshot().peers.first?.failure?.code == .invitationRevoked)
        #expect(calling.snapshot().peers.first?.nextCall != nil)
        #expect(try test.ledger.standing(of: try #require(tablet.replica)) == .unknown)
    }

    @Test func `the addresses are tried one after the other`() throws {
        defer { service.stop() }
        let invitation = try test.ledger.invite(addresses: ["127.0.0.1:1", address])
        #expect(try join(invitation, try tablet(invitation)).isInSync)
        let nowhere = try test.ledger.invite(addresses: ["127.0.0.1:1"])
        let other = try tablet(nowhere, "other")
        #expect(throws: SyncError(.notFound, "")) { try join(nowhere, other) }
        #expect(throws: SyncError(.invalid, "")) { try join(try test.ledger.invite(), other) }
    }

    /// What a caller hears after the handshake that says these bytes, until it is hung up on, and
    /// after how many milliseconds that was.
    private func hear(
        _ bytes: [UInt8], closing: Bool = false, at address: String
    ) throws -> (heard: [UInt8], after: Int64) {
        let stranger = try SigningKey(seed: [UInt8](repeating: 9, count: 32))
        let socket = try SocketStream.connected(to: address)
        let start = MonotonicClock.milliseconds()
        let engine = try TLSEngine(
            .client(try #require(test.ledger.replica)), try TLSContext(stranger))
        let stream = try TLSStream(engine, over: socket)
        var rest = bytes[...]
        while !rest.isEmpty {
            let ready = try stream.wait(forReading: false, forWriting: true, milliseconds: 1000)
            if ready.canWrite { rest = rest.dropFirst(try stream.write(rest)) }
        }
        if closing { socket.finishWriting() }
        var heard: [UInt8] = []
        while true {
            _ = try stream.wait(forReading: true, forWriting: false, milliseconds: 1000)
            guard let more = try stream.read(upTo: 4096) else { continue }
            if more.isEmpty { break }
            heard += more
        }
        return (heard, MonotonicClock.milliseconds() - start)
    }

    @Test func `who shows no token of this ledger's hears nothing, until the same time`() throws {
        service.stop()
        let service = try Self.serve(test.ledger) {
            $0.handshakeMilliseconds = Self.handshakeMilliseconds
        }
        defer { service.stop() }
        let address = service.snapshot().listening[0].reachable[0]
        _ = try test.ledger.invite(addresses: [address])
        let unknown = Knock(token: .zero, sealingKey: .zero).encoded
        let cases: [(String, [UInt8], Bool)] = [
            ("nothing", [], false), ("nothing, then an end", [], true),
            ("an unknown token", unknown, false),
            ("half a token", Array(unknown.prefix(20)), false),
            ("half a token, then an end", Array(unknown.prefix(20)), true),
            ("an unknown token and more", unknown + unknown, false),
            ("rubbish", [UInt8](repeating: 7, count: 100), false),
            ("a frame of another type", [0, 0, 0, 2, 1, 1], false),
        ]
        for (name, bytes, closing) in cases {
            let (heard, after) = try hear(bytes, closing: closing, at: address)
            #expect(heard.isEmpty, "\(name)")
            #expect(after >= Self.handshakeMilliseconds, "\(name): hung up on after \(after) ms")
        }
        #expect(service.snapshot().strangersRefused == cases.count)
        #expect(try test.ledger.invitations()[0].state == .waiting)
    }

    @Test func `a knock is found in bytes that are cut anywhere`() throws {
        let token = try #require(Bytes16([UInt8](1...16)))
        let key = try #require(Bytes32([UInt8](1...32)))
        let knock = Knock(token: token, sealingKey: key)
        let bytes = knock.encoded + [1, 2, 3]
        for cut in 0...bytes.count {
            var reader = KnockReader()
            var first = reader.take(Array(bytes.prefix(cut)))
            if first == nil { first = reader.take(Array(bytes.dropFirst(cut))) }
            guard case .token(let read, let rest) = first else {
                Issue.record("cut at \(cut)")
                continue
            }
            #expect(read == knock && bytes.suffix(3).starts(with: rest))
        }
        for length in 1..<54 {
            var reader = KnockReader()
            #expect(reader.take(Array(bytes.prefix(length))) == nil)
        }
        for outcome in JoinOutcome.allCases {
            var splitter = FrameSplitter()
            splitter.append(KnockAnswer.encode(outcome))
            #expect(try KnockAnswer.decode(try #require(try splitter.next())) == outcome)
        }
        #expect(throws: SyncError(.version, "")) {
            try KnockAnswer.decode(Frame(type: 14, body: [99]))
        }
        #expect(throws: SyncError(.malformed, "")) {
            try KnockAnswer.decode(Frame(type: 9, body: [0]))
        }
    }
}

extension SocketStream {
    /// Connects to `HOST:PORT` with digits.
    static func connected(to text: String) throws -> SocketStream {
        guard case .tcp(let host, let port) = try SocketAddress("tcp://\(text)").kind else {
            throw SyncError(.invalid, text)
        }
        let addresses = try InternetAddress.resolve(host, port: port, isNumeric: true)
        let stream = try SocketStream(owning: try TCPSocket.connect(to: addresses[0]))
        _ = try stream.wait(forReading: false, forWriting: true, milliseconds: 10_000)
        return stream
    }
}

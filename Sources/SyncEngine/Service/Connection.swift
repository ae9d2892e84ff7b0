internal import Ledger

/// One connection of a service: socket, encryption and session, from the first byte to the last.
///
/// Belongs to the service's thread, which calls it when the socket is ready or time has passed and
/// then looks at ``phase``. It never waits.
final class Connection {
    enum Phase: Sendable, Equatable {
        /// The system connects.
        case connecting
        /// The keys are being proven.
        case handshaking
        /// This side shows the token that it was invited with, and says nothing else before the
        /// answer.
        case asking
        /// Not a member: it may show a token that this replica made, and hears nothing before.
        case knocking
        /// Not a member: it stays on the line in silence until its time is up.
        case refused
        /// A member that has not greeted.
        case greeting
        /// Connected: the peer has greeted.
        case connected
        /// Nothing more is read; the last words leave.
        case leaving
        case ended
    }

    /// Reading pauses while this much waits to leave: a peer that does not read is not served.
    static let outboundMax = 16 << 20
    private static let readLength = 64 << 10
    /// How much one turn may send, so that a fast peer does not keep the others waiting.
    private static let turnLength = 256 << 10

    let isOwnCall: Bool
    /// Whom this side called.
    let wanted: PeerAddress?
    let startedAt: Int64
    private(set) var phase: Phase
    /// Whose key was proven; on a Unix socket, who the peer says it is.
    private(set) var peer: ReplicaID?
    /// Why it ended; nil where nothing went wrong.
    private(set) var failure: SyncError?
    private(set) var report: SyncReport?
    private(set) var bytesReceived = 0
    private(set) var bytesSent = 0
    private(set) var lastHeard: Int64?
    private(set) var phaseSince: Int64
    /// Whether it got so far that a member was at the other end, and that it greeted.
    private(set) var wasMember = false
    private(set) var wasConnected = false
    /// Whether the service has said that it is connected.
    var isTold = false
    var told = Told()
    /// Whether its peer was taken out: nothing is told of it any more but its end.
    var isForgotten = false
    /// Decrypted bytes wait until the session has time for them.
    private var isHoldingBack = false

    private let socket: SocketStream
    private var now: Int64
    private var hasFinishedWriting = false
    private(set) var line: Line
    var session: Session
    private let authorize: (ReplicaID) -> PeerStanding
    private let redeem: (JoinRequest) -> JoinOutcome?
    /// What this side shows a peer that it called, as long as it was not admitted.
    private let request: (ReplicaID) -> JoinRequest?
    /// What the peer has answered to it so far.
    private var answer: [UInt8] = []
    /// The first bytes of a caller, until it is clear whether they show a token.
    private var knock: KnockReader?

    /// Takes a socket over; without `tls` it is a Unix socket, whose peer runs as the same user.
    init(
        over socket: SocketStream, tls: TLSEngine?, session: Session, wanted: PeerAddress?,
        now: Int64, authorize: @escaping (ReplicaID) -> PeerStanding,
        redeem: @escaping (JoinRequest) -> JoinOutcome? = { _ in nil },
        request: @escaping (ReplicaID) -> JoinRequest? = { _ in nil }
    ) {
        self.socket = socket
        line = Line(tls)
        self.session = session
        self.wanted = wanted
        self.authorize = authorize
        self.redeem = redeem
        self.request = request
        isOwnCall = wanted != nil
        (startedAt, phaseSince, self.now) = (now, now, now)
        phase = isOwnCall ? .connecting : .handshaking
        peer = wanted?.replica
        if !isOwnCall { guarded { () throws(SyncError) in try begin() } }
    }

    // MARK: What the thread asks

    var descriptor: Int32 { socket.descriptor }

    /// Whether the other side has proven to be a member.
    var isMember: Bool { phase == .greeting || phase == .connected }

    /// Whether there is more to do at once, whatever the socket says.
    var isBusy: Bool { isMember && (session.hasWork || isHoldingBack) }

    /// Whether it still counts against the bound on callers that are no members.
    var isStranger: Bool {
        !isOwnCall && (phase == .handshaking || phase == .knocking || phase == .refused)
    }

    var wantsRead: Bool {
        switch phase {
        case .handshaking, .asking, .knocking, .leaving: true
        case .greeting, .connected: !isBusy && line.waiting < Self.outboundMax
        case .connecting, .refused, .ended: false
        }
    }

    var wantsWrite: Bool {
        switch phase {
        case .connecting: true
        case .handshaking, .asking, .greeting, .connected, .leaving: line.waiting > 0
        case .knocking, .refused, .ended: false
        }
    }

    // MARK: What the thread tells

    /// The socket is ready.
    func advance(canRead: Bool, canWrite: Bool, now: Int64) {
        self.now = now
        guarded { () throws(SyncError) in
            if phase == .connecting {
                let failure = TCPSocket.connectFailure(descriptor)
                guard failure == 0 else {
                    throw SyncError(connecting: wanted?.address.description ?? "there", failure)
                }
                guard canWrite else { return }
                try begin()
            }
            if canRead { try read() }
            try write()
        }
    }

    /// Time has passed.
    func tick(_ now: Int64) {
        self.now = now
        guard isMember else { return }
        guarded { () throws(SyncError) in
            take(session.tick(now))
            if isHoldingBack, !session.hasWork { try hear() }
            try write()
        }
    }

    /// The ledger has grown, or may have.
    func noteLogChange(now: Int64) {
        guard phase == .connected else { return }
        self.now = now
        session.noteLogChange()
        guarded { () throws(SyncError) in try write() }
    }

    /// Has both sides compare what they hold.
    func compareSoon() { session.compareSoon() }

    /// Ends it at once.
    func hangUp(_ error: SyncError?) {
        guard phase != .ended else { return }
        failure = failure ?? error
        phase = .ended
    }

    /// Says goodbye after what waits, and waits for the other side to hang up.
    func leave(now: Int64) {
        self.now = now
        switch phase {
        case .connected:
            take(session.leave())
            beginLeaving()
        case .greeting: beginLeaving()
        case .connecting, .handshaking, .asking, .knocking, .refused: phase = .ended
        case .leaving, .ended: return
        }
        guarded { () throws(SyncError) in try write() }
    }

    // MARK: Inside

    private func enter(_ next: Phase) {
        phase = next
        phaseSince = now
    }

    private func beginLeaving() {
        line.close()
        if phase != .ended, phase != .leaving { enter(.leaving) }
    }

    private func guarded(_ body: () throws(SyncError) -> Void) {
        do throws(SyncError) { try body() } catch {
            if !isOwnCall, phase == .handshaking || phase == .knocking {
                // Whatever a caller did wrong, it sees the same: nothing, until its time is up.
                refuse(error)
            } else {
                hangUp(error)
            }
        }
    }

    private func refuse(_ error: SyncError) {
        line.silence()
        failure = error
        enter(.refused)
    }

    /// The socket is connected.
    private func begin() throws(SyncError) {
        enter(.handshaking)
        if let tls = line.tls {
            try tls.advance()
        } else {
            admit()
        }
        try write()
    }

    private func read() throws(SyncError) {
        guard let bytes = try socket.read(upTo: Self.readLength) else { return }
        guard !bytes.isEmpty else { return closed() }
        bytesReceived += bytes.count
        lastHeard = now
        // Once this side is done, what still comes is only waited for, so that the system does not
        // take back what it has sent.
        guard phase != .leaving else { return }
        guard let tls = line.tls else { return try hear(bytes) }
        try tls.receive(bytes)
        if phase == .handshaking, tls.state == .open { judge(tls.peer) }
        try hear()
    }

    /// Passes on what was decrypted, for as long as the session has time for it.
    private func hear() throws(SyncError) {
        isHoldingBack = false
        while isMember || phase == .knocking || phase == .asking,
            let said = try line.tls?.read(upTo: Self.readLength)
        {
            guard !said.isEmpty else { return closed() }
            try hear(said)
            isHoldingBack = session.hasWork
            if isHoldingBack { return }
        }
    }

    /// Looks whose key it is that was proven.
    private func judge(_ proven: ReplicaID?) {
        peer = proven
        guard let proven else { return refuse(.noMember) }
        if !isOwnCall { knock = KnockReader() }
        if authorize(proven) == .member {
            if isOwnCall, let request = request(proven) { ask(request) } else { admit() }
        } else if isOwnCall {
            hangUp(.removedPeer)
        } else {
            enter(.knocking)
        }
    }

    private func admit() {
        enter(.greeting)
        wasMember = true
        take(session.start())
        take(session.tick(now))
    }

    /// Shows the token; what follows waits for the answer.
    private func ask(_ request: JoinRequest) {
        enter(.asking)
        line.say(Knock(token: request.token, sealingKey: request.sealingKey).encoded)
    }

    private func listen(answer bytes: [UInt8]) throws(SyncError) {
        answer += bytes
        guard answer.count >= KnockAnswer.length else { return }
        var splitter = FrameSplitter()
        splitter.append(Array(answer.prefix(KnockAnswer.length)))
        guard let frame = try splitter.next() else {
            throw SyncError(.malformed, "The inviter answered something else than expected.")
        }
        try JoinCall.check(try KnockAnswer.decode(frame))
        admit()
        let rest = Array(answer.dropFirst(KnockAnswer.length))
        if !rest.isEmpty { try hear(rest) }
    }

    private func hear(_ bytes: [UInt8]) throws(SyncError) {
        if phase == .asking { return try listen(answer: bytes) }
        if knock != nil { return try listen(bytes) }
        let actions = session.receive(bytes)
        if phase == .greeting, session.hasGreeted { try connect() }
        take(actions)
    }

    /// Looks at a caller's first bytes: who shows a token that is good is a member from then on.
    private func listen(_ bytes: [UInt8]) throws(SyncError) {
        guard let first = knock?.take(bytes) else { return }
        knock = nil
        guard case .token(let shown, let rest) = first, let proven = peer else {
            guard isMember, case .other(let all) = first else { return refuse(.noMember) }
            return try hear(all)
        }
        let outcome = redeem(
            JoinRequest(replica: proven, sealingKey: shown.sealingKey, token: shown.token))
        // Who does not hold a token of this ledger's learns nothing from trying one.
        guard let outcome else { return refuse(.noMember) }
        line.say(KnockAnswer.encode(outcome))
        guard outcome == .admitted, isMember || authorize(proven) == .member else {
            failure = SyncError(.refused, "An invitation was shown that is \(outcome).")
            return beginLeaving()
        }
        if !isMember { admit() }
        if !rest.isEmpty { try hear(rest) }
    }

    /// Only the peer's greeting makes it connected: by TLS 1.3 a client is through its handshake
    /// before the server has looked at its certificate.
    private func connect() throws(SyncError) {
        guard let greeted = session.report.peer, peer == nil || greeted == peer else {
            throw SyncError(
                .malformed, "The peer greeted under another id than its key's; it was dropped.")
        }
        peer = greeted
        wasConnected = true
        enter(.connected)
    }

    private func closed() {
        // Hanging up earlier than on others would tell that it was heard.
        if phase == .knocking { return refuse(.noMember) }
        if isMember { take(session.closed()) }
        hangUp(
            wasMember
                ? nil : SyncError(.closed, "The peer hung up during the handshake; try again."))
    }

    /// Passes on what waits and, once all has left, asks the session for more.
    private func write() throws(SyncError) {
        guard phase != .knocking else { return }
        var budget = Self.turnLength
        repeat {
            let sent = try line.flush(to: socket)
            bytesSent += sent
            budget -= sent
            guard line.waiting == 0 else { return }
            guard isMember else { break }
            take(session.drained())
            guard line.waiting > 0 else { return }
        } while budget > 0
        if phase == .leaving, line.waiting == 0, !hasFinishedWriting {
            hasFinishedWriting = true
            socket.finishWriting()
        }
    }

    private func take(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .send(let bytes): line.say(bytes)
            case .done(let done):
                report = done
                beginLeaving()
            case .failed(let error):
                report = session.report
                failure = error
                beginLeaving()
            }
        }
    }
}

extension SyncError {
    fileprivate static let noMember = SyncError(.refused, "Somebody called who is no member.")
    static let removedPeer = SyncError(
        .refused,
        "The peer is no member any more; take it from the settings, or have it admitted again.")
}

extension Session {
    /// Whether the peer's greeting came and was accepted.
    var hasGreeted: Bool { report.peer != nil && phase != .greeting && phase != .new }
}

package import Ledger

/// What a carrier must do for a session.
package enum SessionAction: Sendable {
    /// Pass these bytes to the peer.
    case send([UInt8])
    /// Send what is left and close: the session came to its end.
    case done(SyncReport)
    /// Send what is left and close: the session broke off.
    case failed(SyncError)
}

/// How a session behaves; the defaults suit a socket.
package struct SessionOptions: Sendable {
    /// How many bytes of events may be on the way to us at once.
    package var window: UInt64 = 4 << 20
    /// How many bytes of events are collected before they are stored together.
    package var batchLength = 1 << 20
    package var roundsMax = 8
    package var helloMillisecondsMax: Int64 = 10_000
    package var silenceMillisecondsMax: Int64 = 90_000
    package var versions = Hello.supported

    package init() {}
}

/// One merge of two replicas: bytes and time go in, bytes come out, and it touches nothing but
/// the log (`docs/SYNC.md`, "Session").
///
/// Who connects is the initiator and speaks first. Both then say what they hold, fetch from each
/// other what they lack, and compare digests of what they have stored. A session keeps nothing: one
/// that was cut is followed by a new one, which finds in the log what had become durable.
package struct Session: Sendable {
    package enum Role: Sendable { case initiator, responder }

    enum Phase: Sendable, Equatable {
        case new, greeting, merging, ended
    }

    let role: Role
    let log: any ReplicaLog
    let options: SessionOptions
    let nonce: Bytes16
    var phase = Phase.new
    var splitter = FrameSplitter()
    /// What `receive`, `tick` or `drained` is about to return.
    var actions: [SessionAction] = []
    package internal(set) var report = SyncReport()

    var now: Int64 = 0
    var lastHeard: Int64 = 0
    var heardSinceTick = true

    var round = Round()
    var receiving = Receiving()
    var serving = Serving()

    package init(
        _ role: Role, log: any ReplicaLog, nonce: Bytes16,
        options: SessionOptions = SessionOptions()
    ) {
        self.role = role
        self.log = log
        self.nonce = nonce
        self.options = options
    }

    /// Begins; the initiator's greeting comes out.
    package mutating func start() -> [SessionAction] {
        guard phase == .new else { return [] }
        phase = .greeting
        return perform { (session) throws(SyncError) in
            if session.role == .initiator { try session.sendHello() }
        }
    }

    /// Takes bytes as they come, cut anywhere.
    package mutating func receive(_ bytes: [UInt8]) -> [SessionAction] {
        guard phase != .ended else { return [] }
        report.bytesReceived += bytes.count
        heardSinceTick = true
        splitter.append(bytes)
        return perform { (session) throws(SyncError) in
            while session.phase != .ended, let frame = try session.splitter.next() {
                if let message = try Message.decode(frame) { try session.handle(message) }
            }
        }
    }

    /// Says what time it is, in milliseconds of any clock that does not run back.
    package mutating func tick(_ milliseconds: Int64) -> [SessionAction] {
        now = milliseconds
        if heardSinceTick {
            heardSinceTick = false
            lastHeard = now
        }
        let limit =
            phase == .merging ? options.silenceMillisecondsMax : options.helloMillisecondsMax
        guard phase != .ended, now - lastHeard > limit else { return [] }
        return perform { (session) throws(SyncError) in
            throw SyncError(
                .timedOut, "The peer said nothing for \(limit / 1000) seconds; try again.")
        }
    }

    /// Says that everything given so far has left; more of a running answer may come out.
    package mutating func drained() -> [SessionAction] {
        guard phase == .merging else { return [] }
        return perform { (session) throws(SyncError) in try session.serveNext() }
    }

    /// Says that the peer closed the connection.
    package mutating func closed() -> [SessionAction] {
        guard phase != .ended else { return [] }
        phase = .ended
        let error = SyncError(
            .closed, "The connection ended before the merge did; connect again to go on.")
        report.failure = error
        return [.failed(error)]
    }

    private mutating func perform(
        _ body: (inout Session) throws(SyncError) -> Void
    ) -> [SessionAction] {
        do throws(SyncError) { try body(&self) } catch { fail(error) }
        defer { actions = [] }
        return actions
    }

    private mutating func fail(_ error: SyncError) {
        guard phase != .ended else { return }
        if error.code != .refused, error.code != .closed {
            send(.bye(Bye(reason: Bye.Reason(error.code), text: error.message)))
        }
        phase = .ended
        report.failure = error
        actions.append(.failed(error))
    }

    mutating func send(_ message: Message) { send(bytes: message.encoded) }

    mutating func send(bytes: [UInt8]) {
        report.bytesSent += bytes.count
        actions.append(.send(bytes))
    }

    private mutating func handle(_ message: Message) throws(SyncError) {
        if case .bye(let bye) = message { throw SyncError(bye) }
        if case .hello(let hello) = message {
            guard phase == .greeting else { throw Session.outOfTurn("a second greeting") }
            return try greet(hello)
        }
        guard phase == .merging else { throw Session.outOfTurn("something before its greeting") }
        switch message {
        case .hello, .bye: break
        case .tips(let entries, let isLast): try take(entries, isLast: isLast)
        case .want(let want): try take(want)
        case .part(let part): try take(part)
        case .end(let end): try take(end)
        case .acknowledge(let acknowledgement): try take(acknowledgement)
        case .setAside(let refusal): take(refusal)
        case .digest(let end): try take(end)
        }
    }

    static func outOfTurn(_ what: String) -> SyncError {
        SyncError(.malformed, "The peer sent \(what); it does not keep to the protocol.")
    }
}

extension Bye.Reason {
    init(_ code: SyncError.Code) {
        switch code {
        case .version: self = .version
        case .foreignLedger: self = .foreignLedger
        case .malformed: self = .malformed
        case .limit: self = .limit
        default: self = .failed
        }
    }
}

extension SyncError {
    /// The peer's last words.
    init(_ bye: Bye) {
        let code: Code =
            switch bye.reason {
            case .version: .version
            case .foreignLedger: .foreignLedger
            default: .refused
            }
        self.init(code, "The peer ended the session: \(bye.text)")
    }
}

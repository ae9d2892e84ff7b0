internal import Ledger

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
    package var pingMilliseconds: Int64 = 30_000
    /// Go on once both are in sync, where the peer would like that, too.
    package var staysOpen = false
    /// How much is done for the peer from one tick to the next, in the units of ``SessionWork``; what
    /// has come beyond that waits, so that others on the same thread have their turn.
    package var workPerTick = Int.max
    package var versions = Hello.supported
    /// What the sessions of a service share, to refer to events in few bytes; nil: one's own.
    package var references: EventReferences?

    package init() {}
}

/// One merge of two replicas: bytes and time go in, bytes come out, and it touches nothing but
/// the log (`docs/SYNC.md`, "Session").
///
/// Who connects is the initiator and speaks first. Both then say what they hold, fetch from each
/// other what they lack, and compare digests of what they have stored. Then the session ends, or, where
/// both would like that, what becomes new on one side passes to the other at once. A session keeps
/// nothing: one that was cut is followed by a new one, which finds in the log what was durable.
package struct Session: Sendable {
    package enum Role: Sendable { case initiator, responder }

    enum Phase: Sendable, Equatable {
        case new, greeting, merging
        /// In sync, or as far as the two can come: what is new passes at once.
        case live
        case ended
    }

    let role: Role
    let log: any ReplicaLog
    let options: SessionOptions
    var phase = Phase.new
    var splitter = FrameSplitter()
    /// What `receive`, `tick` or `drained` is about to return.
    var actions: [SessionAction] = []
    package internal(set) var report = SyncReport()

    var now: Int64 = 0
    var silence = Silence()

    /// What may still be done for the peer before the next tick.
    var workLeft: Int
    /// How many events have come and gone since the beginning.
    var moved = Moved()
    /// How far the peer has each log, as far as it has said so since this was taken last.
    var held: [LogID: UInt64] = [:]

    var round = Round()
    var live = Live()
    /// How much the streams of both ways remember; what the versions agree on.
    var memory = StreamMemory.narrow
    /// How far the comparison of a round has come; nil when there is none.
    var reconciliation: Reconciliation?
    var receiving = Receiving()
    var serving = Serving()

    package init(
        _ role: Role, log: any ReplicaLog,
        options: SessionOptions = SessionOptions()
    ) {
        self.role = role
        self.log = log
        self.options = options
        workLeft = options.workPerTick
    }

    /// Whether frames wait for the next tick: nothing more should be read before it.
    package var hasWork: Bool { phase != .ended && workLeft <= 0 && splitter.hasFrame }

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
        splitter.append(bytes)
        return perform { (session) throws(SyncError) in try session.handleFrames() }
    }

    private mutating func handleFrames() throws(SyncError) {
        while phase != .ended, workLeft > 0, let frame = try splitter.next() {
            workLeft -= SessionWork.frame
            silence.isBroken = true
            if let message = try Message.decode(frame) { try handle(message) }
        }
    }

    /// Says what time it is, in milliseconds of any clock that does not run back.
    package mutating func tick(_ milliseconds: Int64) -> [SessionAction] {
        now = milliseconds
        silence.tick(now)
        guard phase != .ended else { return [] }
        let isGreeted = phase == .merging || phase == .live
        let limit = isGreeted ? options.silenceMillisecondsMax : options.helloMillisecondsMax
        return perform { (session) throws(SyncError) in
            guard !session.silence.isOver(session.now, limit, isGreeted: isGreeted) else {
                throw SyncError(
                    .timedOut,
                    "The peer said nothing whole for \(limit / 1000) seconds; try again.")
            }
            session.workLeft = session.options.workPerTick
            try session.handleFrames()
            if session.phase != .ended { try session.pingIfDue() }
        }
    }

    /// Says that the log may have grown: the peer hears of it with the next ``drained()``, so that
    /// one that does not read is not told without end.
    package mutating func noteLogChange() { live.isBehind = true }

    /// Takes leave of the peer.
    package mutating func leave() -> [SessionAction] {
        guard phase != .ended else { return [] }
        return perform { (session) throws(SyncError) in
            session.send(.bye(Bye(reason: .leaving, text: "Until next time.")))
            session.phase = .ended
            session.actions.append(.done(session.report))
        }
    }

    /// Says that everything given so far has left; more of a running answer may come out.
    package mutating func drained() -> [SessionAction] {
        guard phase == .merging || phase == .live else { return [] }
        return perform { (session) throws(SyncError) in try session.serveNext() }
    }

    /// Says that the peer closed the connection.
    package mutating func closed() -> [SessionAction] {
        guard phase != .ended else { return [] }
        let error = SyncError(
            .closed,
            phase == .live
                ? "The connection broke without a farewell; connect again to go on."
                : "The connection ended before the merge did; connect again to go on.")
        phase = .ended
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
        silence.isOwnBroken = true
        report.bytesSent += bytes.count
        actions.append(.send(bytes))
    }

    private mutating func handle(_ message: Message) throws(SyncError) {
        if case .bye(let bye) = message {
            guard bye.reason == .leaving, phase == .merging || phase == .live else {
                throw SyncError(bye)
            }
            phase = .ended
            actions.append(.done(report))
            return
        }
        if case .hello(let hello) = message {
            guard phase == .greeting else { throw Session.outOfTurn("a second greeting") }
            return try greet(hello)
        }
        guard phase == .merging || phase == .live else {
            throw Session.outOfTurn("something before its greeting")
        }
        switch message {
        case .hello, .bye: break
        case .ranges(let ranges, let isLast): try take(ranges, isLast: isLast)
        case .want(let want): try take(want)
        case .part(let part): try take(part)
        case .end(let end): try take(end)
        case .acknowledge(let acknowledgement): try take(acknowledgement)
        case .setAside(let refusal): take(refusal)
        case .digest(let end): try take(end)
        case .news(let entries): try take(news: entries)
        case .ping(let digest): try take(ping: digest)
        case .pong(let digest): try take(pong: digest)
        case .push(let push): try take(push)
        case .taken(let taken): try take(taken)
        }
    }

    static func outOfTurn(_ what: String) -> SyncError {
        SyncError(.malformed, "The peer sent \(what); it does not keep to the protocol.")
    }
}

/// What frames cost whoever answers them: a frame is at most 64 KiB to decode.
enum SessionWork {
    static let frame = 1
    /// Signing the own tail, and hashing the tips.
    static let digest = 16
    /// Reading and cutting all tips.
    static let round = 32
    /// Verifying and storing a batch, which ends with an fsync.
    static let batch = 64
}

/// What a session has moved since its beginning.
struct Moved: Sendable, Equatable {
    var eventsReceived = 0
    var eventsSent = 0
    /// Whether something came in that others may lack.
    var hasStored = false
    /// How often the digests of both sides were compared to a conclusion.
    var comparisons = 0
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

/// Since when neither side has said anything, on the clock of the ticks.
///
/// Only whole frames count: a peer that sends a byte a second says nothing.
struct Silence: Sendable {
    var isBroken = false
    var isOwnBroken = false
    private var start: Int64?
    private var lastHeard: Int64 = 0
    private(set) var lastSaid: Int64 = 0

    mutating func tick(_ now: Int64) {
        if start == nil {
            start = now
            lastHeard = now
            lastSaid = now
        }
        if isBroken { lastHeard = now }
        if isOwnBroken { lastSaid = now }
        (isBroken, isOwnBroken) = (false, false)
    }

    /// Before the greeting the time runs from the beginning, whatever is sent meanwhile.
    func isOver(_ now: Int64, _ limit: Int64, isGreeted: Bool) -> Bool {
        now - (isGreeted ? lastHeard : start ?? now) > limit
    }
}

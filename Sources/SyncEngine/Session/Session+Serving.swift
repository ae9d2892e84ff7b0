internal import Ledger

/// What the peer asked for and how much of it may still be sent.
struct Serving: Sendable {
    /// The want being answered; nil when its end was sent.
    var want: Want?
    var next: UInt64 = 0
    /// May go below zero by one interval, which is never cut.
    var credit: Int64 = 0
    /// Read ahead from the log, in order.
    var intervals: ArraySlice<Interval> = []
    /// The newest stream, whose acknowledgements may still come after its end.
    var stream: UInt32 = 0
    var log: LogID?
    /// The end of the last interval that was sent in the stream.
    var sentEnd: UInt64 = 0
    /// What the receiver of the stream was told already.
    var encoder: IntervalEncoder?
}

extension Session {
    private static let readAheadLength = 64 << 10

    mutating func take(_ want: Want) throws(SyncError) {
        guard want.stream > serving.stream else { throw Session.outOfTurn("an old request") }
        let goesOn = want.continues && serving.want == nil
        var encoder = goesOn ? serving.encoder : nil
        guard encoder != nil || !want.continues else {
            throw Session.outOfTurn("a request that continues nothing")
        }
        serving = Serving()
        // What it asks for it does not hold, whatever it held once.
        held[want.tip.log] = want.first
        if live.pushed?.log == want.tip.log { live.pushed = nil }
        if encoder == nil {
            encoder = IntervalEncoder(
                host: log, memory: memory,
                references: options.references ?? EventReferences())
        }
        encoder?.goOn(wholeIDs: want.wholeIDs)
        serving.encoder = encoder
        serving.stream = want.stream
        serving.log = want.tip.log
        serving.want = want
        serving.next = want.first
        serving.credit = Int64(min(want.credit, options.window))
    }

    mutating func take(_ message: Acknowledgement) throws(SyncError) {
        guard message.stream == serving.stream, let log = serving.log else { return }
        guard message.size <= serving.sentEnd, message.newEvents <= message.size else {
            throw Session.outOfTurn("an acknowledgement of what it was not sent")
        }
        serving.credit = min(
            serving.credit + Int64(message.credit), Int64(clamping: options.window))
        report.count(log) { $0.eventsSent += Int(message.newEvents) }
        moved.eventsSent += Int(message.newEvents)
        held[log] = message.size
        noteKnown(log, message.size)
        live.isUntold = true
    }

    mutating func take(_ refusal: Refusal) {
        live.isUntold = true
        report.isInSync = false
        if live.pushed?.log == refusal.log { live.pushed = nil }
        guard report.refusedByPeer.count < SetAsideList.keptMax else { return }
        report.refusedByPeer.append(
            SetAside(log: refusal.log, reason: SyncError(.refused, refusal.reason)))
    }

    /// Sends one interval, if one is wanted and paid for.
    mutating func serveNext() throws(SyncError) {
        if serving.want == nil, live.isBehind { try sendNews() }
        guard let want = serving.want, serving.credit > 0 else { return }
        if serving.intervals.isEmpty {
            guard let more = readAhead(want) else { return }
            serving.intervals = more
        }
        guard let interval = serving.intervals.popFirst() else {
            return endServing(.failed)
        }
        guard let bytes = try serving.encoder?.encode(interval),
            bytes.count <= WireLimits.intervalLengthMax,
            interval.events.count <= WireLimits.intervalEventsMax
        else { return endServing(.tooLarge) }
        send(bytes: Message.parts(of: bytes, stream: want.stream))
        serving.credit -= Int64(bytes.count)
        serving.next = interval.end
        serving.sentEnd = interval.end
        if interval.end >= want.end { endServing(.complete) }
    }

    /// Reads from the log; says so and gives nil when there is nothing to be had.
    private mutating func readAhead(_ want: Want) -> ArraySlice<Interval>? {
        do {
            let read = try log.intervals(
                of: want.tip, from: serving.next, bytesMax: Self.readAheadLength)
            // An answer that does not lead on would be asked for without end.
            guard let last = read.last, last.end > serving.next else {
                endServing(.failed)
                return nil
            }
            return read[...]
        } catch {
            endServing(error.code == .notFound ? .notHere : .failed)
            return nil
        }
    }

    private mutating func endServing(_ outcome: StreamEnd.Outcome) {
        guard let want = serving.want else { return }
        serving.want = nil
        serving.intervals = []
        if outcome != .complete { serving.encoder = nil }
        send(.end(StreamEnd(stream: want.stream, outcome: outcome)))
    }
}

extension Interval {
    /// The sequence after the last event.
    var end: UInt64 { first + UInt64(events.count) }
    /// The end as a tip.
    var tip: Tip { Tip(log: checkpoint.log, size: checkpoint.size, root: checkpoint.root) }
}

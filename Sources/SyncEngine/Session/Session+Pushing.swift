internal import Ledger

/// The shortest way of a new event: it leaves with the news of it (`docs/SYNC.md`, "Live").
///
/// Pushing never replaces asking. Whatever a push cannot do, because the peer is busy, forked or
/// behind, the announcement that it also is leads to, by way of a want.
extension Session {
    private static let pushedEventsMax = 64
    private static let pushedLengthMax = 32 << 10

    /// Sends what is new of a log, where the peer is known to hold all that comes before.
    ///
    /// - Returns: false where it has to be announced instead.
    mutating func push(_ entry: TipEntry) throws(SyncError) -> Bool {
        let tip = entry.tip
        guard live.mayPush, live.pushed == nil, entry.missingCount == 0,
            let first = live.pushedFrom[tip.log], first < tip.size,
            tip.size - first <= Self.pushedEventsMax
        else { return false }
        let log = log
        let read = try fromLedger { () throws(LedgerError) in
            try log.intervals(of: tip, from: first, bytesMax: Self.pushedLengthMax)
        }
        guard read.count == 1, let interval = read.first, interval.tip == tip,
            interval.events.count <= Self.pushedEventsMax
        else { return false }
        var encoder = IntervalEncoder(host: log, memory: memory)
        let bytes = try encoder.encode(interval)
        guard bytes.count <= Self.pushedLengthMax else { return false }
        live.pushed = tip
        send(.push(Push(log: tip.log, bytes: bytes)))
        return true
    }

    /// Remembers how far the peer holds a log, in a bounded number of them.
    mutating func noteKnown(_ log: LogID, _ size: UInt64) {
        if live.pushedFrom.count >= Live.heardMax { live.pushedFrom = [:] }
        live.pushedFrom[log] = size
    }

    mutating func take(_ push: Push) throws(SyncError) {
        guard live.isWanted else { throw Session.outOfTurn("an interval in a session that ends") }
        guard push.bytes.count <= Self.pushedLengthMax else {
            throw SyncError(.limit, "The peer pushes more than it may unasked.")
        }
        let item = try EncodedIntervals.Item(push.bytes)
        let tip = item.head.tip(of: push.log)
        let isFree = phase == .live && isIdle && receiving.blocked == nil
        guard isFree, !receiving.refused.contains(tip) else {
            return try take(news: [TipEntry(tip: tip)])
        }
        workLeft -= SessionWork.batch
        held[tip.log] = tip.size
        live.note(TipEntry(tip: tip))
        var fetch = Fetch(tip, from: item.head.first, to: item.head.end)
        fetch.decoder = IntervalDecoder(host: log, memory: memory)
        fetch.batch = [item]
        let (outcome, transfer) = try ingest(&fetch)
        note(transfer)
        switch outcome.verdict {
        case .goOn:
            noteKnown(tip.log, tip.size)
            send(.taken(Taken(log: tip.log, size: tip.size, newEvents: outcome.newEvents)))
        // Asked for, it is judged with all that comes before it.
        case .stepBack, .setAside: try take(news: [TipEntry(tip: tip)])
        case .blocked(let error): receiving.blocked = error
        }
    }

    mutating func take(_ taken: Taken) throws(SyncError) {
        guard let pushed = live.pushed, pushed.log == taken.log, pushed.size == taken.size else {
            return
        }
        guard taken.newEvents <= taken.size else {
            throw Session.outOfTurn("an acknowledgement of what it was not sent")
        }
        live.pushed = nil
        live.isUntold = true
        held[taken.log] = taken.size
        noteKnown(taken.log, taken.size)
        report.count(taken.log) { $0.eventsSent += Int(taken.newEvents) }
        moved.eventsSent += Int(taken.newEvents)
    }
}

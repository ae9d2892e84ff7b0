internal import Ledger

/// What passes after the first merge.
struct Live: Sendable {
    /// Both sides would like to go on once they are in sync.
    var isWanted = false
    /// What changed after this stamp of the log is news to the peer.
    var stamp: UInt64 = 0
    /// What the peer itself said it holds, so that it is not told; the newest ones.
    var heard: Set<TipEntry> = []
    var lastPing: Int64 = 0
    /// Something changed while the peer fetched.
    var isBehind = false
    /// The digests that a round ended with unequal: nothing is gained by another one.
    var unequal: (own: Bytes32, peer: Bytes32)?
    static let heardMax = 1024

    mutating func note(_ entry: TipEntry) {
        if heard.count >= Self.heardMax { heard = [] }
        heard.insert(entry)
    }
}

extension Session {
    /// Whether nothing is on its way in either direction.
    private var isIdle: Bool {
        receiving.fetch == nil && receiving.queue.isEmpty && serving.want == nil
    }

    /// Tells the peer which chains grew here.
    ///
    /// While the peer fetches, changes add up: they are told when it is done.
    mutating func sendNews() throws(SyncError) {
        guard phase == .live else { return }
        live.isBehind = serving.want != nil
        guard !live.isBehind else { return }
        let log = log
        let stamp = live.stamp
        let changes = try fromLedger { () throws(LedgerError) in
            try log.tipStates(changedAfter: stamp)
        }
        live.stamp = changes.stamp
        let entries = changes.states.map { TipEntry($0) }.filter { !live.heard.contains($0) }
        for start in stride(from: 0, to: entries.count, by: WireLimits.tipsPerFrameMax) {
            let end = min(start + WireLimits.tipsPerFrameMax, entries.count)
            send(.news(Array(entries[start..<end])))
        }
    }

    mutating func take(news entries: [TipEntry]) throws(SyncError) {
        guard live.isWanted else { throw Session.outOfTurn("news in a session that ends") }
        guard receiving.queue.count + entries.count <= WireLimits.tipsMax else {
            throw SyncError(.limit, "The peer announces more than it lets be fetched.")
        }
        var fetches: [Fetch] = []
        for entry in entries.reversed() where !receiving.refused.contains(entry.tip) {
            live.note(entry)
            guard try !holds(entry.tip) else { continue }
            let size = try heldSize(of: entry.tip.log)
            fetches.append(
                Fetch(entry.tip, from: min(size, entry.tip.size - 1), to: entry.tip.size))
        }
        // What was announced last of a log holds what was announced before.
        let logs = Set(fetches.map(\.tip.log))
        receiving.queue.removeAll { logs.contains($0.tip.log) && !$0.isRepair }
        receiving.queue.insert(contentsOf: fetches, at: 0)
        if receiving.fetch == nil, phase == .live { try fetchNext() }
    }

    private func heldSize(of name: LogID) throws(SyncError) -> UInt64 {
        let log = log
        return try fromLedger { () throws(LedgerError) in try log.heldSize(of: name) }
    }

    /// Asks from time to time whether both still hold the same, which also tells that the line works.
    mutating func pingIfDue() throws(SyncError) {
        guard phase == .live, now - live.lastPing >= options.pingMilliseconds,
            now - silence.lastSaid >= options.pingMilliseconds || isIdle
        else { return }
        live.lastPing = now
        send(.ping(try storedDigest()))
    }

    mutating func take(ping digest: Bytes32) throws(SyncError) {
        guard live.isWanted else { throw Session.outOfTurn("a ping in a session that ends") }
        send(.pong(try storedDigest()))
    }

    /// Equal digests renew "in sync"; others lead to a new round, unless one came to nothing.
    mutating func take(pong digest: Bytes32) throws(SyncError) {
        guard live.isWanted else { throw Session.outOfTurn("an answer to no question") }
        guard phase == .live, isIdle else { return }
        let own = try storedDigest()
        report.isInSync = own == digest
        guard !report.isInSync, role == .initiator else { return }
        if let last = live.unequal, last.own == own, last.peer == digest { return }
        (round.number, round.ownStart, round.peerStart) = (0, own, digest)
        phase = .merging
        try beginRound()
    }

    /// The first merge is over.
    mutating func goLive(inSync: Bool) throws(SyncError) {
        report.isInSync = inSync
        live.unequal = nil
        if !inSync, let own = round.ownEnd, let peer = round.peerEnd {
            live.unequal = (own, peer)
        }
        live.lastPing = now
        phase = .live
        reconciliation = nil
        try fetchNext()
        try sendNews()
    }
}

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
    /// Something changed that the peer was not told yet, for it fetches or does not read.
    var isBehind = false
    /// What moved since the last report was taken is worth one.
    var isUntold = false
    /// Somebody waits for a comparison, and whether one was begun.
    var wantsComparison = false
    var isPinging = false
    /// What changed after this stamp the peer is not known to hold by equal digests.
    var equalStamp: UInt64 = 0
    /// The digests that a round ended with unequal: nothing is gained by another one.
    var unequal: (own: Bytes32, peer: Bytes32)?
    /// Whether the peer takes intervals that it did not ask for.
    var mayPush = false
    /// How far the peer is known to hold logs that grew here, so that only the rest is pushed.
    var pushedFrom: [LogID: UInt64] = [:]
    /// What was pushed and not answered yet; until it is, what is new is only announced.
    var pushed: Tip?
    static let heardMax = 1024

    /// Whether a round with these digests came to nothing before.
    func isFruitless(_ own: Bytes32, _ peer: Bytes32) -> Bool {
        unequal.map { $0 == (own, peer) } ?? false
    }

    mutating func note(_ entry: TipEntry) {
        if heard.count >= Self.heardMax { heard = [] }
        heard.insert(entry)
    }
}

extension Session {
    /// Whether nothing is on its way in either direction.
    var isIdle: Bool {
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
        if entries.count == 1, let entry = entries.first, try push(entry) { return }
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
        workLeft -= entries.count / 16
        for entry in entries { held[entry.tip.log] = entry.tip.size }
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

    /// Has both sides compare what they hold as soon as nothing is on its way.
    package mutating func compareSoon() {
        live.wantsComparison = true
    }

    /// Asks from time to time whether both still hold the same, which also tells that the line works.
    mutating func pingIfDue() throws(SyncError) {
        guard phase == .live else { return }
        let isDue =
            now - live.lastPing >= options.pingMilliseconds
            && (now - silence.lastSaid >= options.pingMilliseconds || isIdle)
        let isAsked = live.wantsComparison && isIdle && !live.isBehind && !live.isPinging
        guard isDue || isAsked else { return }
        live.lastPing = now
        live.isPinging = true
        send(.ping(try storedDigest()))
    }

    mutating func take(ping digest: Bytes32) throws(SyncError) {
        guard live.isWanted else { throw Session.outOfTurn("a ping in a session that ends") }
        let own = try storedDigest()
        send(.pong(own))
        // It may lie without end: only the answer to a question of one's own leads to a round.
        if own != digest, role == .initiator, !live.isFruitless(own, digest) {
            live.wantsComparison = true
        }
    }

    mutating func take(pong digest: Bytes32) throws(SyncError) {
        guard live.isWanted else { throw Session.outOfTurn("an answer to no question") }
        live.isPinging = false
        try compare(with: digest)
    }

    /// Equal digests renew "in sync"; others lead to a new round, unless one came to nothing.
    private mutating func compare(with digest: Bytes32) throws(SyncError) {
        guard phase == .live, isIdle else { return }
        let own = try storedDigest()
        report.isInSync = own == digest
        live.pushed = nil
        if report.isInSync { try noteEqual(to: digest) }
        if report.isInSync || live.isFruitless(own, digest) { return noteComparison() }
        guard role == .initiator else { return }
        (round.number, round.ownStart, round.peerStart) = (0, own, digest)
        phase = .merging
        try beginRound()
    }

    private mutating func noteComparison() {
        moved.comparisons += 1
        live.wantsComparison = false
    }

    /// The peer's digest was equal to this side's: it holds all tips of the state that has it.
    mutating func noteEqual(to digest: Bytes32) throws(SyncError) {
        let log = log
        let stamp = live.equalStamp
        let changes = try fromLedger { () throws(LedgerError) in
            try log.tipStates(changedAfter: stamp)
        }
        // Something may have been appended meanwhile.
        guard try storedDigest() == digest else { return }
        live.equalStamp = changes.stamp
        for state in changes.states {
            let known = stamp == 0 ? held[state.tip.log] ?? 0 : 0
            held[state.tip.log] = max(known, state.tip.size)
        }
    }

    /// What moved since the last report, once nothing is on its way in a session that goes on.
    package mutating func takeMerge() -> SyncReport? {
        guard phase == .live, isIdle, !live.isBehind, live.isUntold else { return nil }
        live.isUntold = false
        return report.take()
    }

    /// The first merge is over.
    mutating func goLive(inSync: Bool) throws(SyncError) {
        report.isInSync = inSync
        live.unequal = nil
        if !inSync, let own = round.ownEnd, let peer = round.peerEnd {
            live.unequal = (own, peer)
        }
        live.lastPing = now
        live.isUntold = true
        noteComparison()
        phase = .live
        reconciliation = nil
        try fetchNext()
        try sendNews()
    }
}

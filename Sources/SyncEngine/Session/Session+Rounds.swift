internal import Ledger

/// Where a round stands: each side's digest when it began and when it had taken all it could.
struct Round: Sendable {
    var number: UInt64 = 0
    var ownStart = Bytes32.zero
    var peerStart = Bytes32.zero
    var ownEnd: Bytes32?
    var peerEnd: Bytes32?
}

extension Session {
    mutating func sendHello() throws(SyncError) {
        try noteStamp()
        round.ownStart = try storedDigest()
        send(
            .hello(
                Hello(
                    versions: options.versions, ledger: log.id, replica: log.replica?.raw ?? .zero,
                    digest: round.ownStart, staysOpen: options.staysOpen)))
    }

    /// What is stored, in 32 bytes.
    mutating func storedDigest() throws(SyncError) -> Bytes32 {
        workLeft -= SessionWork.digest
        let log = log
        return try fromLedger { () throws(LedgerError) in try log.stateDigest() }
    }

    /// A stranger hears that it is one, and nothing about this ledger.
    mutating func greet(_ hello: Hello) throws(SyncError) {
        guard hello.versions.overlaps(options.versions) else {
            throw SyncError(
                .version,
                "The sides share no version of the protocol: \(options.versions.lowerBound) to "
                    + "\(options.versions.upperBound) here, \(hello.versions.lowerBound) to "
                    + "\(hello.versions.upperBound) there; update the older one.")
        }
        guard hello.ledger == log.id else {
            throw SyncError(
                .foreignLedger,
                "The two sides hold different ledgers; check the path or join first.")
        }
        report.peer = hello.replica == .zero ? nil : ReplicaID(raw: hello.replica)
        report.peerIsCopy = report.peer != nil && report.peer == log.replica
        if role == .responder { try sendHello() }
        round.peerStart = hello.digest
        live.isWanted = options.staysOpen && hello.staysOpen
        let newest = min(hello.versions.upperBound, options.versions.upperBound)
        live.mayPush = newest >= Hello.pushesFrom
        memory = newest >= Hello.remembersMoreFrom ? .wide : .narrow
        phase = .merging
        if round.ownStart == round.peerStart {
            try finish(inSync: true)
        } else {
            try beginRound()
        }
    }

    /// What changed up to now is in the digest that the peer gets next; what changes later is news.
    mutating func noteStamp() throws(SyncError) {
        guard options.staysOpen else { return }
        let log = log
        live.stamp = try fromLedger { () throws(LedgerError) in
            try log.tipStates(changedAfter: .max).stamp
        }
    }

    mutating func beginRound() throws(SyncError) {
        workLeft -= SessionWork.round
        round.number += 1
        report.rounds += 1
        round.ownEnd = nil
        round.peerEnd = nil
        receiving.begin()
        report.aside.remove(.unknownAuthor)
        let log = log
        let changes = try fromLedger { () throws(LedgerError) in
            try log.tipStates(changedAfter: 0)
        }
        live.stamp = changes.stamp
        guard changes.states.count <= WireLimits.tipsMax else {
            throw SyncError(
                .limit, "This ledger has over 65,536 chains; a session cannot compare them.")
        }
        let reconciliation = Reconciliation(changes.states)
        self.reconciliation = reconciliation
        if role == .initiator { send(try reconciliation.opening()) }
    }

    /// One message of the comparison, in as many frames as it takes.
    private mutating func send(_ ranges: [TipRange]) {
        var frame: [TipRange] = []
        var entries = 0
        for range in ranges {
            frame.append(range)
            entries += range.content.entries.count
            guard entries >= WireLimits.tipsPerFrameMax / 2 || frame.count >= 8192 else { continue }
            send(.ranges(frame, isLast: false))
            frame = []
            entries = 0
        }
        send(.ranges(frame, isLast: true))
    }

    mutating func take(_ ranges: [TipRange], isLast: Bool) throws(SyncError) {
        if phase == .live, role == .responder {
            // The peer found that the two differ after all.
            (round.number, round.ownStart, round.peerStart) = (0, try storedDigest(), .zero)
            phase = .merging
            try beginRound()
        }
        guard !receiving.hasAllTips, reconciliation != nil else {
            throw Session.outOfTurn("a comparison out of turn")
        }
        receiving.ranges += ranges
        receiving.rangeEntries += ranges.reduce(0) { $0 + $1.content.entries.count }
        guard receiving.ranges.count <= WireLimits.tipsMax,
            receiving.rangeEntries <= WireLimits.tipsMax
        else {
            throw SyncError(
                .limit, "The peer lists over 65,536 chains; a session cannot take them.")
        }
        guard isLast else { return }
        let message = receiving.ranges
        (receiving.ranges, receiving.rangeEntries) = ([], 0)
        guard let answer = try reconciliation?.answer(message) else { return try compared() }
        send(answer)
        if !answer.contains(where: \.content.isOpen) { try compared() }
    }

    /// Both sides know now in what they differ.
    private mutating func compared() throws(SyncError) {
        receiving.peerTips = reconciliation?.theirs ?? []
        reconciliation = nil
        receiving.hasAllTips = true
        for entry in receiving.peerTips { held[entry.tip.log] = entry.tip.size }
        if live.isWanted { for entry in receiving.peerTips { live.note(entry) } }
        try plan()
    }

    /// Everything wanted was taken or set aside: say what is stored now.
    mutating func endOwnRound() throws(SyncError) {
        try noteStamp()
        let digest = try storedDigest()
        round.ownEnd = digest
        send(.digest(RoundEnd(round: round.number, digest: digest)))
        try concludeRound()
    }

    mutating func take(_ end: RoundEnd) throws(SyncError) {
        guard end.round == round.number, round.peerEnd == nil else {
            throw Session.outOfTurn("the end of another round")
        }
        round.peerEnd = end.digest
        try concludeRound()
    }

    /// Both sides know the same four digests, so both come to the same conclusion.
    private mutating func concludeRound() throws(SyncError) {
        guard let own = round.ownEnd, let peer = round.peerEnd else { return }
        if own == peer { return try finish(inSync: true) }
        let moved = own != round.ownStart || peer != round.peerStart
        guard moved, round.number < UInt64(options.roundsMax) else {
            return try finish(inSync: false)
        }
        round.ownStart = own
        round.peerStart = peer
        try beginRound()
    }

    private mutating func finish(inSync: Bool) throws(SyncError) {
        let log = log
        let tips = try fromLedger { () throws(LedgerError) in try log.tips() }
        report.forks = LogID.forked(tips)
        report.failure = receiving.blocked
        if inSync { try noteEqual(to: round.ownEnd ?? round.ownStart) }
        guard !live.isWanted else { return try goLive(inSync: inSync) }
        moved.comparisons += 1
        report.isInSync = inSync
        phase = .ended
        actions.append(.done(report))
    }
}

extension TipRange.Content {
    var entries: [TipEntry] {
        switch self {
        case .same, .fingerprint: []
        case .list(let entries), .rest(let entries): entries
        }
    }
}

extension LogID {
    /// The logs with more than one chain, ascending.
    static func forked(_ tips: [Tip]) -> [LogID] {
        let counts = tips.reduce(into: [LogID: Int]()) { $0[$1.log, default: 0] += 1 }
        return counts.filter { $0.value > 1 }.keys.sorted()
    }
}

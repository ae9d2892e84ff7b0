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
        let log = log
        // The tips first: asking for them signs the own tail, which changes the digest.
        let digest = try fromLedger { () throws(LedgerError) in
            _ = try log.tips()
            return try log.stateDigest()
        }
        round.ownStart = digest
        send(
            .hello(
                Hello(
                    versions: options.versions, ledger: log.id, replica: log.replica?.raw ?? .zero,
                    nonce: nonce, digest: digest)))
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
        phase = .merging
        if round.ownStart == round.peerStart {
            try finish(inSync: true)
        } else {
            try beginRound()
        }
    }

    private mutating func beginRound() throws(SyncError) {
        round.number += 1
        report.rounds += 1
        round.ownEnd = nil
        round.peerEnd = nil
        receiving.begin()
        report.aside.remove(.unknownAuthor)
        let entries = try ownEntries()
        guard entries.count <= WireLimits.tipsMax else {
            throw SyncError(
                .limit, "This ledger has over 65,536 chains; a session cannot list them.")
        }
        var start = 0
        repeat {
            let end = min(start + WireLimits.tipsPerFrameMax, entries.count)
            send(.tips(Array(entries[start..<end]), isLast: end == entries.count))
            start = end
        } while start < entries.count
    }

    private func ownEntries() throws(SyncError) -> [TipEntry] {
        let log = log
        return try fromLedger { () throws(LedgerError) in
            var entries: [TipEntry] = []
            for tip in try log.tips() where tip.size > 0 {
                entries.append(try TipEntry(tip, missing: try log.missingPayloads(of: tip)))
            }
            return entries
        }
    }

    /// Everything wanted was taken or set aside: say what is stored now.
    mutating func endOwnRound() throws(SyncError) {
        let log = log
        let digest = try fromLedger { () throws(LedgerError) in
            _ = try log.tips()
            return try log.stateDigest()
        }
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
        report.isInSync = inSync
        report.failure = receiving.blocked
        phase = .ended
        actions.append(.done(report))
    }
}

extension TipEntry {
    init(_ tip: Tip, missing: [UInt64]) throws(LedgerError) {
        self.init(tip: tip, missingCount: UInt64(missing.count), missingDigest: 0)
        guard !missing.isEmpty else { return }
        var writer = ByteWriter(reserving: 8 * missing.count)
        for position in missing { writer.fixed(position) }
        let digest = try Crypto.sha256(writer.bytes)
        missingDigest = digest.withBytes { UInt64(bigEndian: $0.load(as: UInt64.self)) }
    }
}

extension LogID {
    /// The logs with more than one chain, ascending.
    static func forked(_ tips: [Tip]) -> [LogID] {
        let counts = tips.reduce(into: [LogID: Int]()) { $0[$1.log, default: 0] += 1 }
        return counts.filter { $0.value > 1 }.keys.sorted()
    }
}

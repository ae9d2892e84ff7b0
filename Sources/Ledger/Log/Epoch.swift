/// Whether the own log may be continued, and how much of it may leave; a value, so that a failed
/// transaction leaves the one before.
struct EpochState {
    /// Why the own log may not be continued; nil while nothing speaks against it.
    var doubt: LogOpening.Reason?
    /// What a peer says it holds of the own log and is not held here: all that the doubt rests on.
    var claim: Tip?
    /// The mark as it was last read or written here.
    var mark: Mark?
}

// A replica that cannot be sure of its own past might give a sequence number a second time, with
// other content. It never goes on in a log after a doubt, but opens a new one, in a new epoch.
extension Core {
    /// Logs opened on nothing but a peer's word, until a peer proves it; then words count again.
    static let claimedEpochsMax: Int64 = 8

    // MARK: Doubt

    /// Why the own log may not be continued; inside a snapshot that began after the mark was read.
    func doubt(_ mark: Mark?) throws(LedgerError) -> LogOpening.Reason? {
        guard let log = writer?.log else { return nil }
        guard let mark else { return .restored }
        let here = try filePlace()
        if mark.place.isOtherMachine(than: here) { return .moved }
        if mark.place.isOtherFile(than: here) { return .restored }
        guard mark.log == log, try holds(mark) else { return .restored }
        return rows.chains.indices(of: log).count > 1 ? .behindPeer : nil
    }

    /// Whether the database is as far as the mark says that it was.
    private func holds(_ mark: Mark) throws(LedgerError) -> Bool {
        guard mark.size > 0 else { return true }
        for chain in rows.chains.indices(of: mark.log) {
            let stored = try store.checkpoint(
                chain: rows.chains.chains[chain].number, atMost: mark.size)
            if let stored, stored.size == mark.size, stored.root == mark.root { return true }
        }
        return false
    }

    /// Takes what a peer says it holds for a reason to doubt, where that is more of the own log
    /// than is here; inside a snapshot.
    func note(peerTips tips: [Tip]) throws(LedgerError) {
        guard access == .readWrite, let log = writer?.log, epoch.doubt == nil else { return }
        for tip in tips where tip.log == log && tip.size > 0 {
            if try holds(tip) { continue }
            // Nothing signed is shown yet, and a liar must not make us open logs without end.
            guard try store.metaInteger(.claimedEpochs) < Self.claimedEpochsMax else { return }
            epoch.doubt = .behindPeer
            epoch.claim = tip
            return
        }
    }

    /// Takes over which log another process opened for this replica.
    func followOwnLog() throws(LedgerError) {
        guard let writer, let log = LogID(bytes: try store.meta(.ownLog) ?? []),
            log != writer.log
        else { return }
        identity.ownLog = log
        self.writer = LogWriter(keys: writer.keys, log: log)
        let mark = try readMark()
        epoch = EpochState(doubt: try doubt(mark), mark: mark)
    }

    // MARK: A new epoch

    /// Opens a new log if the own one may not be continued; in the write transaction of own events.
    func settleDoubt() throws(LedgerError) {
        guard let reason = epoch.doubt else { return }
        // Another process may have settled it, or the peer's events may have come since.
        let mark = try readMark()
        let isSettled: Bool
        if let claim = epoch.claim {
            isSettled = try holds(claim)
            try store.setMeta(.claimedEpochs, try store.metaInteger(.claimedEpochs) + 1)
        } else {
            isSettled = try doubt(mark) == nil
        }
        guard !isSettled else {
            epoch = EpochState(mark: mark)
            return
        }
        try openEpoch(reason, continuing: try signedPast())
    }

    /// All that is here of the own log, its tail signed, so that the tail is not lost to others.
    func signedPast() throws(LedgerError) -> LogOpening.Continuation? {
        try loadFrontier()
        guard var writer, writer.frontier.size > 0 else { return nil }
        if writer.unsignedCount > 0 {
            try sign(&writer)
            self.writer = writer
        }
        return LogOpening.Continuation(
            log: writer.log, size: writer.frontier.size, root: writer.frontier.root(digester))
    }

    /// Opens a log in a new epoch, in the open write transaction.
    func openEpoch(
        _ reason: LogOpening.Reason, continuing known: LogOpening.Continuation?
    ) throws(LedgerError) {
        guard let keys = writer?.keys, let random = Bytes16(try environment.random(16)) else {
            throw LedgerError(.crypto, "The random source returned too few bytes.")
        }
        let log = try LedgerIdentity.logID(
            ledger: identity.id, replica: keys.replica, epoch: random)
        // The mark first: cut off here, it names a log that the database lacks, and the doubt stays.
        unopened = reason
        let mark = try writeMark(log: log, size: 0, root: .zero)
        try store.setMeta(.ownLog, log.bytes)
        try store.setMeta(.epoch, random.bytes)
        identity.ownLog = log
        writer = LogWriter(keys: keys, log: log)
        epoch = EpochState(mark: mark)
        _ = try record(
            LogOpening(
                replica: keys.replica, epoch: random, sealingKey: keys.sealing.publicKey,
                founding: nil, continues: known, reason: reason))
    }
}

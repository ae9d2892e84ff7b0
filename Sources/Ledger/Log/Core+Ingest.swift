extension Core {
    /// Takes intervals in the open write transaction; one that does not verify leaves no trace.
    func ingest(
        _ intervals: [Interval]
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] {
        try ingest(IntervalSource(intervals))
    }

    func ingest(
        _ source: IntervalSource
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] {
        var results: [Result<IngestReceipt, LedgerError>] = []
        let firstRow = rows.chains.maxRow + 1
        var filled = 0
        newlyErased = []
        var filledMembers = 0
        var past: LogOpening.Continuation?
        let judging = judge.judging(source)
        defer { judging.finish() }
        for _ in 0..<source.count {
            do throws(LedgerError) {
                var (interval, judged) = try judging.next().get()
                let plan = try plan(interval, judged)
                if plan.frontier != nil, plan.author == writer?.replica, past == nil {
                    past = try pastBeforeTakingBack(interval.checkpoint.log)
                }
                let tally = try take(interval, &judged, plan)
                filled += tally.newPayloads
                filledMembers += tally.newMemberPayloads
                results.append(.success(tally.receipt(isFork: plan.isFork)))
            } catch  where Self.setsAside(error.code) {
                results.append(.failure(error))
            }
        }
        if rows.chains.maxRow >= firstRow {
            try store.insertArrival(
                rows: firstRow...rows.chains.maxRow, milliseconds: environment.wallClock())
            try store.setMeta(.clock, Int64(bitPattern: clock.last.value))
        }
        if let past { try openEpoch(epoch.doubt ?? .behindPeer, continuing: past) }
        try settleMembers(anew: filledMembers > 0)
        // A payload that came late changes states below the watermark.
        if filled > 0 { try projector.flush(all: true) }
        try eraseBodies(of: newlyErased)
        return results
    }

    /// What was known of the own log, where a peer proves that it holds more of it.
    private func pastBeforeTakingBack(
        _ log: LogID
    ) throws(LedgerError) -> LogOpening.Continuation? {
        try store.setMeta(.claimedEpochs, 0)
        return log == identity.ownLog ? try signedPast() : nil
    }

    /// Whether a failure is about the interval and not about this machine.
    private static func setsAside(_ code: LedgerError.Code) -> Bool {
        [.notVerified, .malformed, .limit, .unknownAuthor, .invalid].contains(code)
    }

    /// How an interval joins what is here; made before anything is written.
    private struct Plan {
        let author: ReplicaID
        /// The chain's index; nil for a log that is new here.
        let chain: Int?
        /// The sequence of the first event that is not in the chain.
        let firstNew: UInt64
        /// The tree's right edge after the interval.
        let frontier: MerkleFrontier?
        /// Parts of the tree that the new events complete.
        var subtrees: [(place: UInt64, root: Bytes32)] = []
        var isFork = false
    }

    private func plan(
        _ interval: Interval, _ judged: [IntervalJudge.Judged]
    ) throws(LedgerError) -> Plan {
        let checkpoint = interval.checkpoint
        let ids = judged.map(\.id.raw)
        let candidates = rows.chains.indices(of: checkpoint.log)
        guard let first = candidates.first else {
            let plan = try planNewLog(interval, judged, ids)
            try checkKnown(plan.author, interval)
            return plan
        }
        let author = rows.chains.chains[first].author
        guard checkpoint.isSigned(by: author) else {
            throw LedgerError(
                .notVerified, "The checkpoint of log \(checkpoint.log) is not its author's.")
        }
        var fork: Plan?
        for chain in candidates {
            guard let plan = try plan(interval, ids, joining: chain, author) else { continue }
            if !plan.isFork { return plan }
            if plan.firstNew > fork?.firstNew ?? 0 { fork = plan }
        }
        if fork == nil, interval.first == 0 {
            // Another past from the very first event proves its author as a new log does.
            fork = try planNewLog(interval, judged, ids)
            fork?.isFork = true
        }
        guard let fork else {
            throw LedgerError(
                .notVerified,
                "Events \(interval.first)… of log \(checkpoint.log) do not join what is held here; "
                    + "ask for the log from an earlier sequence.")
        }
        return fork
    }

    /// A log that is new here proves its author with its first event.
    private func planNewLog(
        _ interval: Interval, _ judged: [IntervalJudge.Judged], _ ids: [Bytes32]
    ) throws(LedgerError) -> Plan {
        let checkpoint = interval.checkpoint
        guard interval.first == 0, let opening = interval.events.first,
            opening.header.kind == .logOpened, let body = opening.body,
            judged.first?.isBodyGood == true, let content = try? LogOpening(encoded: body.payload)
        else {
            throw LedgerError(
                .unknownAuthor,
                "Log \(checkpoint.log) is not known here; ask for it from its first event.")
        }
        let expected = try LedgerIdentity.logID(
            ledger: identity.id, replica: content.replica, epoch: content.epoch)
        guard expected == checkpoint.log else {
            throw LedgerError(
                .notVerified, "Log \(checkpoint.log) does not belong to this ledger and author.")
        }
        guard checkpoint.isSigned(by: content.replica) else {
            throw LedgerError(
                .notVerified, "The checkpoint of log \(checkpoint.log) is not its author's.")
        }
        var frontier = MerkleFrontier()
        let subtrees = frontier.append(ids[...], digester)
        guard frontier.root(digester) == checkpoint.root else {
            throw LedgerError(.notVerified, "The root of log \(checkpoint.log) differs.")
        }
        return Plan(
            author: content.replica, chain: nil, firstNew: 0, frontier: frontier,
            subtrees: subtrees)
    }

    /// Nil when the interval begins beyond the chain or its root shows another past.
    private func plan(
        _ interval: Interval, _ ids: [Bytes32], joining chain: Int, _ author: ReplicaID
    ) throws(LedgerError) -> Plan? {
        let size = rows.chains.size(chain)
        let end = interval.checkpoint.size
        guard interval.first <= size else { return nil }
        let overlap = interval.first..<min(size, end)
        let held = try rows.leaves(chain: chain, overlap)
        let common = zip(held, ids).prefix { $0 == $1 }.count
        let firstNew = interval.first + UInt64(common)
        let isFork = common < held.count
        if !isFork, end <= size {
            let root = try MerkleTree.root(0..<end, rows.source(chain: chain), digester)
            guard root == interval.checkpoint.root else { return nil }
            return Plan(
                author: author, chain: chain, firstNew: firstNew, frontier: nil)
        }
        var frontier = try frontier(of: chain, at: firstNew)
        let subtrees = frontier.append(ids[common...], digester)
        guard frontier.root(digester) == interval.checkpoint.root else { return nil }
        return Plan(
            author: author, chain: chain, firstNew: firstNew, frontier: frontier,
            subtrees: subtrees, isFork: isFork)
    }

    /// The right edge of a chain's tree at a size.
    func frontier(of chain: Int, at size: UInt64) throws(LedgerError) -> MerkleFrontier {
        let number = rows.chains.chains[chain].number
        if let known = frontiers[number], known.size == size { return known }
        var frontier =
            try store.checkpoint(chain: number, atMost: size)?.frontier ?? MerkleFrontier()
        for leaf in try rows.leaves(chain: chain, frontier.size..<size) {
            frontier.append(leaf, digester)
        }
        return frontier
    }

    // MARK: Writing

    private func take(
        _ interval: Interval, _ judged: inout [IntervalJudge.Judged], _ plan: Plan
    ) throws(LedgerError) -> IngestTally {
        var tally = IngestTally()
        let chain = try chain(for: interval, plan)
        let number = rows.chains.chains[chain].number
        let skip = Int(plan.firstNew - interval.first)
        try fillPayloads(interval.events[..<skip], judged, chain, &tally)
        guard let frontier = plan.frontier else { return tally }
        try startPiece(number, chain, at: plan.firstNew)
        var newest = Timestamp(value: 0)
        for index in skip..<interval.events.count {
            try insert(interval.events[index], &judged[index], chain, &tally)
            newest = max(newest, interval.events[index].header.timestamp)
        }
        clock.observe(newest, wall: environment.wallClock())
        for subtree in plan.subtrees {
            try store.insertSubtree(chain: number, place: subtree.place, root: subtree.root)
        }
        frontiers[number] = frontier
        try store.insertCheckpoint(
            StoredCheckpoint(
                size: interval.checkpoint.size, root: interval.checkpoint.root,
                signature: interval.checkpoint.signature, frontier: frontier),
            chain: number)
        return tally
    }

    /// The chain that takes the new events: a fork begins one that shares what came before.
    private func chain(for interval: Interval, _ plan: Plan) throws(LedgerError) -> Int {
        if let chain = plan.chain, !plan.isFork { return chain }
        let log = interval.checkpoint.log
        try store.forgetStranger(plan.author)
        let number = try store.insertChain(log: log, author: plan.author)
        rows.chains.add(EventStore.ChainRow(number: number, log: log, author: plan.author))
        let index = rows.chains.chains.count - 1
        guard let base = plan.chain else { return index }
        var sequence: UInt64 = 0
        for run in rows.chains.rows(base, 0..<plan.firstNew) {
            let piece = EventStore.PieceRow(
                chain: number, firstSequence: sequence, firstRow: run.lowerBound, isShared: true)
            try store.insertPiece(piece)
            rows.chains.add(piece)
            sequence += UInt64(run.count)
        }
        var size: UInt64 = 0
        let baseNumber = rows.chains.chains[base].number
        while let checkpoint = try store.checkpoint(chain: baseNumber, above: size),
            checkpoint.size <= plan.firstNew
        {
            try store.insertCheckpoint(checkpoint, chain: number)
            size = checkpoint.size
        }
        return index
    }

    private func startPiece(
        _ number: Int64, _ chain: Int, at sequence: UInt64
    ) throws(LedgerError) {
        guard !rows.chains.endsWith(chain) else { return }
        let piece = EventStore.PieceRow(
            chain: number, firstSequence: sequence, firstRow: rows.chains.maxRow + 1,
            isShared: false)
        try store.insertPiece(piece)
        rows.chains.add(piece)
    }
}

extension MerkleFrontier {
    /// Appends leaves.
    ///
    /// - Returns: the stored parts of the tree that they complete.
    fileprivate mutating func append(
        _ leaves: ArraySlice<Bytes32>, _ digester: Digester
    ) -> [(place: UInt64, root: Bytes32)] {
        var completed: [(place: UInt64, root: Bytes32)] = []
        for leaf in leaves {
            append(leaf, digester)
            guard let root = completedSubtree else { continue }
            completed.append((size / MerkleTree.storedSubtreeSize - 1, root))
        }
        return completed
    }
}

/// What taking an interval has come to so far.
struct IngestTally {
    var newEvents = 0
    var newPayloads = 0
    var refusedPayloads = 0
    /// Payloads of events about members that came late.
    var newMemberPayloads = 0

    func receipt(isFork: Bool) -> IngestReceipt {
        IngestReceipt(
            newEvents: newEvents, newPayloads: newPayloads, refusedPayloads: refusedPayloads,
            isFork: isFork)
    }
}

internal import Ledger

extension Session {
    /// Events that wait to be stored take memory, however few bytes they came in.
    private static let batchEventsMax = 16_384

    mutating func plan() throws(SyncError) {
        try fromLedger { [log, receiving] () throws(LedgerError) in
            try log.note(peerTips: receiving.peerTips.map(\.tip))
        }
        let own = try fromLedger { [log] () throws(LedgerError) in try log.tips() }
        let sizes = own.reduce(into: [LogID: UInt64]()) {
            $0[$1.log] = max($0[$1.log] ?? 0, $1.size)
        }
        for entry in receiving.peerTips.reversed() where !receiving.refused.contains(entry.tip) {
            guard try !holds(entry.tip) else { continue }
            // From what is here of the log; where that is another branch, it goes back from there.
            let next = min(sizes[entry.tip.log] ?? 0, entry.tip.size - 1)
            receiving.queue.append(Fetch(entry.tip, from: next, to: entry.tip.size))
        }
        if receiving.fetch == nil { try fetchNext() }
    }

    func holds(_ tip: Tip) throws(SyncError) -> Bool {
        try fromLedger { () throws(LedgerError) in try log.holds(tip) }
    }

    mutating func fetchNext() throws(SyncError) {
        receiving.fetch = nil
        // Before the comparison is over there is nothing to conclude.
        let isRound = phase == .merging
        if receiving.blocked != nil { return isRound ? try endOwnRound() : () }
        while let fetch = receiving.queue.popLast() {
            if !fetch.isRepair, try holds(fetch.tip) { continue }
            return open(fetch)
        }
        guard isRound, receiving.hasAllTips else { return }
        guard !receiving.hasPlannedRepairs else { return try endOwnRound() }
        receiving.hasPlannedRepairs = true
        receiving.queue = try repairs()
        try fetchNext()
    }

    private mutating func open(_ fetch: Fetch) {
        var fetch = fetch
        receiving.stream += 1
        receiving.granted += options.window
        fetch.stream = receiving.stream
        let continues = receiving.decoder != nil
        fetch.decoder = receiving.decoder ?? IntervalDecoder(host: log, memory: memory)
        receiving.decoder = nil
        receiving.fetch = fetch
        send(
            .want(
                Want(
                    stream: fetch.stream, tip: fetch.tip, first: fetch.next, end: fetch.end,
                    credit: options.window, wholeIDs: fetch.wantsWholeIDs,
                    continues: continues)))
    }

    /// Payloads missing here that the peer may have: it holds the chain and not the same gaps.
    private func repairs() throws(SyncError) -> [Fetch] {
        var fetches: [Fetch] = []
        let own = try fromLedger { () throws(LedgerError) in
            try log.tipStates(changedAfter: 0).states
        }
        let peers = Dictionary(grouping: receiving.peerTips, by: \.tip.log)
        for state in own {
            guard let entries = peers[state.tip.log] else { continue }
            guard state.missingCount > 0 else { continue }
            let missing = try fromLedger { () throws(LedgerError) in
                try log.missingPayloads(of: state.tip)
            }
            let mine = TipEntry(state)
            for entry in entries where entry != mine && entry.missingCount < entry.tip.size {
                guard try holds(entry.tip) else { continue }
                for range in Self.ranges(missing, below: entry.tip.size).reversed() {
                    fetches.append(
                        Fetch(
                            entry.tip, from: range.lowerBound, to: range.upperBound, isRepair: true)
                    )
                }
            }
        }
        return fetches
    }

    /// Positions that lie close together are asked for at once.
    private static func ranges(_ positions: [UInt64], below size: UInt64) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for position in positions where position < size {
            if let last = ranges.last, position >= last.upperBound,
                position - last.upperBound < 1024
            {
                ranges[ranges.count - 1] = last.lowerBound..<(position + 1)
            } else {
                ranges.append(position..<(position + 1))
            }
        }
        return ranges
    }

    mutating func take(_ part: Part) throws(SyncError) {
        receiving.received += UInt64(part.bytes.count)
        let slack = UInt64(receiving.stream) * UInt64(WireLimits.intervalLengthMax)
        guard receiving.received <= receiving.granted + slack else {
            throw SyncError(.limit, "The peer sends more than it was asked for.")
        }
        guard receiving.fetch?.stream == part.stream else { return }
        receiving.fetch?.assembling.append(contentsOf: part.bytes)
        guard let length = receiving.fetch?.assembling.count,
            length <= WireLimits.intervalLengthMax
        else {
            return try setAside(SyncError(.limit, "An interval over 8 MiB was sent."))
        }
        guard part.isLast else { return }
        do throws(SyncError) {
            try collect()
        } catch  where error.code == .malformed || error.code == .limit {
            // What came before it is good, as far as it is known.
            guard try store() else { return }
            // A reference that cannot be resolved makes an honest interval undecodable.
            guard receiving.fetch?.restartWithWholeIDs() == true else {
                return try setAside(error)
            }
            return receiving.fetch.map { open($0) } ?? ()
        }
        let isEnough =
            receiving.fetch?.batchLength ?? 0 >= options.batchLength
            || receiving.fetch?.batchCount ?? 0 >= Self.batchEventsMax
        if isEnough { _ = try store() }
    }

    /// Puts the interval that is complete to those that are decoded and stored next.
    private mutating func collect() throws(SyncError) {
        guard var fetch = receiving.fetch else { return }
        receiving.fetch = nil
        defer { receiving.fetch = fetch }
        let item = try EncodedIntervals.Item(fetch.assembling)
        guard fetch.accepts(item.head) else {
            throw SyncError(.malformed, "An interval that does not continue what was asked for.")
        }
        fetch.batch.append(item)
        fetch.batchLength += item.bytes.count
        fetch.assembling = []
    }

    mutating func take(_ end: StreamEnd) throws(SyncError) {
        guard receiving.fetch?.stream == end.stream, try store(),
            let fetch = receiving.fetch, fetch.stream == end.stream
        else { return }
        switch end.outcome {
        case .complete:
            // Everything that was said was heard: the next stream may go on from there.
            if fetch.assembling.isEmpty { receiving.decoder = fetch.decoder }
            receiving.fetch?.decoder = nil
            if !fetch.isRepair, try !holds(fetch.tip) {
                try setAside(
                    SyncError(.notVerified, "The peer's answer ended without reaching its tip."))
            } else {
                try fetchNext()
            }
        case .tooLarge:
            try setAside(SyncError(.limit, "The peer holds an interval too large to be sent."))
        case .notHere, .failed:
            try setAside(SyncError(.incomplete, "The peer could not read what it had announced."))
        }
    }

    /// Leaves the chain out, says why, and goes on with the next.
    mutating func setAside(_ error: SyncError) throws(SyncError) {
        guard let fetch = receiving.fetch else { return }
        guard receiving.refused.count < WireLimits.tipsMax else {
            throw SyncError(.limit, "The peer offers without end what cannot be taken.")
        }
        live.isUntold = true
        report.isInSync = false
        let size = fetch.batch.first?.head.first ?? fetch.expected ?? fetch.next
        report.aside.add(SetAside(log: fetch.tip.log, reason: error))
        // An author may become known by another log; anything else stays as it is.
        if error.code != .unknownAuthor { receiving.refused.insert(fetch.tip) }
        send(.setAside(Refusal(log: fetch.tip.log, size: size, reason: error.message)))
        try fetchNext()
    }

    private mutating func aside(_ error: SyncError) throws(SyncError) -> Bool {
        try setAside(error)
        return false
    }

    /// Stores the batch and acknowledges what is durable.
    ///
    /// - Returns: whether the same stream goes on.
    private mutating func store() throws(SyncError) -> Bool {
        guard var fetch = receiving.fetch, !fetch.batch.isEmpty else { return true }
        receiving.fetch = nil
        workLeft -= SessionWork.batch
        let length = UInt64(fetch.batchLength)
        let (outcome, transfer) = try ingest(&fetch)
        note(transfer)
        fetch.batch = []
        fetch.batchLength = 0
        receiving.fetch = fetch
        if outcome.stored > 0 {
            receiving.granted += length
            send(
                .acknowledge(
                    Acknowledgement(
                        stream: fetch.stream, size: fetch.known,
                        newEvents: outcome.newEvents, credit: length)))
        }
        switch outcome.verdict {
        case .goOn: return true
        case .stepBack(let first):
            receiving.fetch?.stepBack(from: first)
            receiving.fetch.map { open($0) }
        case .setAside(let error):
            // A reference may have named another event of a forked log, or one that is not here.
            let mayBeReference = [.notVerified, .malformed, .limit].contains(error.code)
            guard mayBeReference, receiving.fetch?.restartWithWholeIDs() == true else {
                return try aside(error)
            }
            receiving.fetch.map { open($0) }
        case .blocked(let error):
            receiving.blocked = error
            try fetchNext()
        }
        return false
    }
}

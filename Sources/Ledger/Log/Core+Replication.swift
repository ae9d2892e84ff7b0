extension Core {
    /// The chain whose checkpoint of this size has this root, as its author signed it.
    func chain(of tip: Tip) throws(LedgerError) -> Int {
        for chain in rows.chains.indices(of: tip.log) {
            let number = rows.chains.chains[chain].number
            if let checkpoint = try store.checkpoint(chain: number, atMost: tip.size),
                checkpoint.size == tip.size, checkpoint.root == tip.root
            {
                return chain
            }
        }
        throw LedgerError(.notFound, "No chain of log \(tip.log) has that size and root here.")
    }

    func missingPayloads(of tip: Tip) throws(LedgerError) -> [UInt64] {
        try missingPayloads(try chain(of: tip), below: tip.size)
    }

    func missingPayloads(
        _ chain: Int, below size: UInt64
    ) throws(LedgerError) -> [UInt64] {
        var sequence: UInt64 = 0
        var missing: [UInt64] = []
        for run in rows.chains.rows(chain, 0..<size) {
            for row in try store.missingBodies(run) {
                missing.append(sequence + UInt64(row - run.lowerBound))
            }
            sequence += UInt64(run.count)
        }
        return missing
    }

    func intervals(
        of tip: Tip, from first: UInt64, bytesMax: Int
    ) throws(LedgerError) -> [Interval] {
        let chain = try chain(of: tip)
        let number = rows.chains.chains[chain].number
        guard tip.size <= (try leavingSize(of: tip.log)) else {
            throw LedgerError(
                .notFound, "That much of log \(tip.log) may not leave yet; ask for the tips first.")
        }
        guard first < tip.size else { return [] }
        var start = try store.checkpoint(chain: number, atMost: first)?.size ?? 0
        var bytes = 0
        var intervals: [Interval] = []
        while start < tip.size, bytes < bytesMax || intervals.isEmpty {
            guard let stored = try store.checkpoint(chain: number, above: start) else { break }
            let events = try storedEvents(chain, start..<stored.size)
            bytes += events.reduce(0) {
                $0 + $1.header.encodedLength + ($1.body?.payloadLength ?? 0)
            }
            intervals.append(
                Interval(
                    first: start, events: events,
                    checkpoint: Checkpoint(
                        log: tip.log, size: stored.size, root: stored.root,
                        signature: stored.signature)))
            start = stored.size
        }
        return intervals
    }

    private func storedEvents(
        _ chain: Int, _ sequences: Range<UInt64>
    ) throws(LedgerError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        events.reserveCapacity(min(sequences.count, 8192))
        let log = rows.chains.chains[chain].log
        for run in rows.chains.rows(chain, sequences) {
            try store.forEachEvent(run) { (_, head, body) throws(LedgerError) in
                let sequence = sequences.lowerBound + UInt64(events.count)
                let header: EventHeader
                do throws(LedgerError) {
                    header = try EventHeader(
                        bytes: StoredRow.headerBytes(
                            log: log, sequence: sequence, head: head, body: body, digester))
                } catch {
                    throw LedgerError(
                        .damaged, "Event \(sequence) of log \(log) is damaged; run verify.",
                        cause: error.message)
                }
                events.append(StoredRow.event(header, body))
                return true
            }
        }
        guard events.count == sequences.count else { throw store.damaged("log \(log) with a gap") }
        return events
    }

    /// The ids of a log's events; nil for what is not here, and for all where branches leave open
    /// which event a sequence means.
    func eventIDs(
        at sequences: [UInt64], of log: LogID
    ) throws(LedgerError) -> [EventID?] {
        let chains = rows.chains.indices(of: log)
        guard chains.count == 1, let chain = chains.first else {
            return sequences.map { _ in nil }
        }
        var ids: [EventID?] = []
        for sequence in sequences {
            guard sequence < rows.chains.size(chain) else {
                ids.append(nil)
                continue
            }
            let leaf = try rows.leaves(chain: chain, sequence..<(sequence + 1)).first
            ids.append(leaf.map { EventID(raw: $0) })
        }
        return ids
    }

    func holds(_ tip: Tip) throws(LedgerError) -> Bool {
        for chain in rows.chains.indices(of: tip.log) where tip.size <= rows.chains.size(chain) {
            if try root(of: chain, at: tip.size) == tip.root { return true }
        }
        return false
    }

    /// Tips are mostly asked about at sizes that were signed, or a little after one.
    private func root(of chain: Int, at size: UInt64) throws(LedgerError) -> Bytes32 {
        let number = rows.chains.chains[chain].number
        let signed = try store.checkpoint(chain: number, atMost: size)
        if let signed, signed.size == size { return signed.root }
        var edge = signed?.frontier ?? MerkleFrontier()
        guard size - edge.size <= LogWriter.intervalEventsMax else {
            return try MerkleTree.root(0..<size, rows.source(chain: chain), digester)
        }
        for leaf in try rows.leaves(chain: chain, edge.size..<size) { edge.append(leaf, digester) }
        return edge.root(digester)
    }
}

extension StoredRow {
    /// The event with what is stored of its body.
    static func event(_ header: EventHeader, _ body: UnsafeRawBufferPointer?) -> StoredEvent {
        guard let body else { return StoredEvent(header: header, hole: .missing) }
        guard body.count >= saltLength else { return StoredEvent(header: header, hole: .erased) }
        return StoredEvent(
            header: header,
            body: StoredEvent.Body(bytes: [UInt8](body)))
    }
}

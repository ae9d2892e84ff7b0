extension Core {
    /// The newest signed size of each chain, ascending; what is a prefix of another is not listed.
    func tips() throws(LedgerError) -> [Tip] {
        var tips: [Tip] = []
        for chain in rows.chains.chains.indices {
            if let tip = try tip(chain), try !isPrefix(tip, chain) { tips.append(tip) }
        }
        return Array(Set(tips)).sorted()
    }

    private func tip(_ chain: Int) throws(LedgerError) -> Tip? {
        let known = rows.chains.chains[chain]
        let size = min(rows.chains.size(chain), try leavingSize(of: known.log))
        return try store.checkpoint(chain: known.number, atMost: size).map {
            Tip(log: known.log, size: $0.size, root: $0.root)
        }
    }

    /// Whether another chain of the log that is listed holds the same and more.
    private func isPrefix(_ tip: Tip, _ chain: Int) throws(LedgerError) -> Bool {
        guard rows.chains.hasBranches else { return false }
        for other in rows.chains.indices(of: tip.log) where other != chain {
            guard rows.chains.sharedSize(chain, other) >= tip.size else { continue }
            if let longer = try self.tip(other), longer.size > tip.size { return true }
        }
        return false
    }

    /// What merging is about, in 32 bytes: computed from what is stored, never taken over.
    func stateDigest() throws(LedgerError) -> Bytes32 {
        var writer = CBORWriter()
        for tip in try tips() {
            tip.log.raw.withBytes { writer.byteString($0) }
            writer.unsigned(tip.size)
            tip.root.withBytes { writer.byteString($0) }
            for sequence in try missingPayloads(of: tip) { writer.unsigned(sequence) }
        }
        return digester.digest(writer.bytes)
    }

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
        let chain = try chain(of: tip)
        var sequence: UInt64 = 0
        var missing: [UInt64] = []
        for run in rows.chains.rows(chain, 0..<tip.size) {
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
                $0 + $1.header.encodedLength + ($1.body?.payload.count ?? 0)
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
                events.append(StoredEvent(header: header, body: StoredRow.body(body)))
                return true
            }
        }
        guard events.count == sequences.count else { throw store.damaged("log \(log) with a gap") }
        return events
    }

    func holds(_ tip: Tip) throws(LedgerError) -> Bool {
        for chain in rows.chains.indices(of: tip.log) where tip.size <= rows.chains.size(chain) {
            let root = try MerkleTree.root(0..<tip.size, rows.source(chain: chain), digester)
            if root == tip.root { return true }
        }
        return false
    }
}

extension StoredRow {
    /// Salt and payload; nil when they are missing or erased.
    static func body(_ bytes: UnsafeRawBufferPointer?) -> StoredEvent.Body? {
        guard let bytes, bytes.count >= saltLength else { return nil }
        return StoredEvent.Body(
            salt: [UInt8](bytes[..<saltLength]), payload: [UInt8](bytes[saltLength...]))
    }
}

/// Puts the events of an export back together into the intervals that checkpoints prove.
struct IntervalAssembly {
    /// Events that wait for their checkpoint are in memory; a log signs long before this much.
    static let waitingBytesMax = 64 << 20

    /// What a checkpoint closes.
    struct Closed {
        let interval: Interval
        let author: ReplicaID
        /// The lines of its events.
        let lines: [Int]
    }

    private struct Waiting {
        var events: [StoredEvent] = []
        var lines: [Int] = []
        var byteCount = 0
        /// Why nothing of it can be proven.
        var problem: String?
    }

    private var logs: [LogID: Waiting] = [:]
    private var byteCount = 0

    mutating func add(_ event: StoredEvent, _ line: Int) throws(LedgerError) {
        let header = event.header
        let size = header.encodedLength + (event.body?.payloadLength ?? 0)
        byteCount += size
        guard byteCount <= Self.waitingBytesMax else {
            throw LedgerError(
                .limit,
                "Line \(line): over \(Self.waitingBytesMax) bytes without a checkpoint; "
                    + "export again.")
        }
        var waiting = logs[header.log] ?? Waiting()
        logs[header.log] = nil
        if let last = waiting.events.last?.header.sequence, last + 1 != header.sequence {
            waiting.problem =
                waiting.problem
                ?? "before line \(line) of this file, events of its log are missing or damaged"
        }
        waiting.byteCount += size
        waiting.events.append(event)
        waiting.lines.append(line)
        logs[header.log] = waiting
    }

    /// The interval that ends with a checkpoint.
    ///
    /// - Throws: `notVerified` when its events are not all here; they are dropped then.
    mutating func close(
        _ checkpoint: Checkpoint, by author: ReplicaID
    ) throws(LedgerError) -> Closed {
        let waiting = logs.removeValue(forKey: checkpoint.log) ?? Waiting()
        byteCount -= waiting.byteCount
        guard let first = waiting.events.first?.header.sequence else {
            throw LedgerError(.notVerified, "no event of its log stands before this checkpoint")
        }
        let fits = first + UInt64(waiting.events.count) == checkpoint.size
        guard waiting.problem == nil, fits else {
            let reason = waiting.problem ?? "events of its log are missing before this checkpoint"
            throw LedgerError(
                .notVerified,
                "\(reason), so \(waiting.events.count) others since line \(waiting.lines[0]) "
                    + "cannot be proven and were not taken")
        }
        return Closed(
            interval: Interval(first: first, events: waiting.events, checkpoint: checkpoint),
            author: author, lines: waiting.lines)
    }

    /// What no checkpoint closed, in the order of the file.
    mutating func rest() -> [(line: Int, event: StoredEvent)] {
        defer { logs.removeAll() }
        return logs.values.flatMap { zip($0.lines, $0.events) }
            .sorted { $0.0 < $1.0 }.map { (line: $0.0, event: $0.1) }
    }
}

/// Checks intervals against the roots of their checkpoints, without a ledger to compare with.
struct IntervalProof {
    private let digester: Digester
    /// The trees known so far, by log and size; a forked log has several of a size.
    private var trees: [LogID: [UInt64: [MerkleFrontier]]] = [:]

    init() throws(LedgerError) { digester = try Digester() }

    /// Whether the interval continues what was proven before and has the signed root.
    mutating func accepts(_ interval: Interval) -> Bool {
        let log = interval.checkpoint.log
        let starts = interval.first == 0 ? [MerkleFrontier()] : trees[log]?[interval.first] ?? []
        for var tree in starts {
            for event in interval.events {
                tree.append(event.header.bytes.withUnsafeBytes { digester.leaf($0) }, digester)
            }
            guard tree.root(digester) == interval.checkpoint.root else { continue }
            let known = trees[log]?[tree.size] ?? []
            if !known.contains(tree) { trees[log, default: [:]][tree.size] = known + [tree] }
            return true
        }
        return false
    }
}

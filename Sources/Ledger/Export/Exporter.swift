/// Writes a whole ledger as text: readable, and complete enough to come back as the same events.
///
/// Events stand in the order of their timestamps, each log's in the order of its sequences, each
/// signed interval closed by its checkpoint. Only one interval per log is in memory at a time.
package struct Exporter {
    /// How much was written.
    package struct Summary: Sendable, Hashable {
        package fileprivate(set) var eventCount = 0
        package fileprivate(set) var checkpointCount = 0
    }

    /// How many logs are merged by time at once; more are written group after group.
    static let mergedLogsMax = 16
    private static let flushBytes = 1 << 16

    private let ledger: Ledger
    private let format: ExportRenderer.Format

    package init(_ ledger: Ledger, _ format: ExportRenderer.Format) {
        self.ledger = ledger
        self.format = format
    }

    /// Hands the export over piece by piece.
    ///
    /// - Parameter write: takes the next bytes.
    /// - Returns: how much was written.
    /// - Throws: what `write` throws, or `busy`, `damaged`, `io`.
    @discardableResult
    package func run(
        _ write: ([UInt8]) throws(LedgerError) -> Void
    ) throws(LedgerError) -> Summary {
        var renderer = try ExportRenderer(format)
        var summary = Summary()
        var buffer = renderer.opening
        buffer += renderer.line(.ledger(ledger.id))
        let logs = Self.tipsByLog(try ledger.tips())
        for start in stride(from: 0, to: logs.count, by: Self.mergedLogsMax) {
            var cursors: [LogCursor] = []
            for tips in logs[start..<min(start + Self.mergedLogsMax, logs.count)] {
                cursors.append(try LogCursor(ledger, tips))
            }
            try Self.merge(&cursors) { (record) throws(LedgerError) in
                if case .event = record {
                    summary.eventCount += 1
                } else {
                    summary.checkpointCount += 1
                }
                buffer += renderer.line(record)
                guard buffer.count >= Self.flushBytes else { return }
                try write(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        try write(buffer)
        return summary
    }

    /// Writes the export into a new file; under its final name it is whole or not there.
    ///
    /// - Parameter path: where to; an existing file is replaced.
    /// - Returns: how much was written.
    /// - Throws: as ``run(_:)``, `noSpace`, `readOnly`.
    package func run(to path: String) throws(LedgerError) -> Summary {
        let file = try OutputFile(path)
        let summary = try run { (bytes) throws(LedgerError) in try file.write(bytes) }
        try file.commit()
        return summary
    }

    /// The tips of each log together, since a forked log's chains are written one after another.
    private static func tipsByLog(_ tips: [Tip]) -> [[Tip]] {
        var logs: [[Tip]] = []
        for tip in tips.sorted() {
            if logs.last?.last?.log == tip.log {
                logs[logs.count - 1].append(tip)
            } else {
                logs.append([tip])
            }
        }
        return logs
    }

    private static func merge(
        _ cursors: inout [LogCursor], _ emit: (ExportRecord) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        while true {
            var earliest: (index: Int, time: Timestamp)?
            for (index, cursor) in cursors.enumerated() {
                guard let time = cursor.time else { continue }
                if earliest.map({ time < $0.time }) ?? true { earliest = (index, time) }
            }
            guard let index = earliest?.index else { return }
            for record in try cursors[index].next() { try emit(record) }
        }
    }
}

/// Walks through the chains of one log, one interval in memory.
private struct LogCursor {
    private let ledger: Ledger
    private let author: ReplicaID
    private let isForked: Bool
    private var tips: ArraySlice<Tip>
    private var nextSequence: UInt64 = 0
    private var intervals: ArraySlice<Interval> = []
    private var position = 0
    /// The checkpoints written so far, where chains share their beginning.
    private var written: Set<Tip> = []

    init(_ ledger: Ledger, _ tips: [Tip]) throws(LedgerError) {
        self.ledger = ledger
        self.tips = tips[...]
        isForked = tips.count > 1
        guard let log = tips.first?.log, let author = try ledger.author(of: log) else {
            throw LedgerError(
                .damaged, "A log is here without its author; run verify and restore a backup.")
        }
        self.author = author
        try load()
    }

    /// The time of the next event; nil at the end.
    var time: Timestamp? {
        guard let interval = intervals.first else { return nil }
        return interval.events[position].header.timestamp
    }

    /// The next event, and the checkpoint where it is the last before one.
    mutating func next() throws(LedgerError) -> [ExportRecord] {
        guard let interval = intervals.first else { return [] }
        let event = ExportRecord.event(interval.events[position], author: author)
        position += 1
        guard position == interval.events.count else { return [event] }
        intervals = intervals.dropFirst()
        position = 0
        try load()
        return [event, .checkpoint(interval.checkpoint, author: author)]
    }

    private mutating func load() throws(LedgerError) {
        while intervals.isEmpty, let tip = tips.first {
            guard nextSequence < tip.size else {
                tips = tips.dropFirst()
                nextSequence = 0
                continue
            }
            let before = nextSequence
            for interval in try ledger.intervals(of: tip, from: before, bytesMax: 1) {
                let end = interval.checkpoint
                guard end.size > nextSequence, !interval.events.isEmpty else { continue }
                nextSequence = end.size
                let mark = Tip(log: end.log, size: end.size, root: end.root)
                guard !isForked || written.insert(mark).inserted else { continue }
                intervals.append(interval)
            }
            guard nextSequence > before else {
                throw LedgerError(
                    .damaged, "A log ends before its newest checkpoint; run verify.")
            }
        }
    }
}

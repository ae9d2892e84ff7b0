internal import Ledger
internal import Synchronization

/// Reads the intervals of a range of a chain, ahead of whoever writes them down.
final class RangeReading: Sendable {
    /// Fewer events are read before a thread has begun.
    private static let threadedEventsMin: UInt64 = 4096
    private static let chunkLength = 1 << 20

    private let log: any ReplicaLog
    private let tip: Tip
    private let end: UInt64
    private let next: Mutex<UInt64>

    private init(_ range: Range<UInt64>, of tip: Tip, in log: any ReplicaLog) {
        self.log = log
        self.tip = tip
        end = range.upperBound
        next = Mutex(range.lowerBound)
    }

    /// Calls `body` with each interval of a range that begins and ends where a checkpoint does.
    static func forEach(
        _ range: Range<UInt64>, of tip: Tip, in log: any ReplicaLog,
        _ body: (Interval) throws(SyncError) -> Void
    ) throws(SyncError) {
        let reading = RangeReading(range, of: tip, in: log)
        let chunks = AheadOfUse(
            count: .max, usesThread: UInt64(range.count) >= threadedEventsMin
        ) { _ in Result { () throws(SyncError) in try reading.chunk() } }
        defer { chunks.finish() }
        while true {
            let chunk = try chunks.next().get()
            if chunk.isEmpty { return }
            for interval in chunk { try body(interval) }
        }
    }

    /// The next intervals; none at the end.
    private func chunk() throws(SyncError) -> [Interval] {
        try next.withLock { (next) throws(SyncError) in
            guard next < end else { return [] }
            let first = next
            let read = try fromLedger { () throws(LedgerError) in
                try log.intervals(of: tip, from: first, bytesMax: Self.chunkLength)
            }
            let wanted = Array(read.prefix { $0.first < end })
            guard let last = wanted.last, last.end > next else {
                throw SyncError(.ledger, "Log \(tip.log.short) cannot be read from event \(next).")
            }
            next = last.end
            return wanted
        }
    }
}

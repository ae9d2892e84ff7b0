public import Ledger

/// Merges ledgers through the replication calls alone, without any carrier.
public enum Exchange {
    /// Takes everything `target` lacks from `source`.
    ///
    /// - Returns: what became of each interval.
    @discardableResult
    public static func pull(
        from source: Ledger, into target: Ledger
    ) throws -> [Result<IngestReceipt, LedgerError>] {
        var results: [Result<IngestReceipt, LedgerError>] = []
        var isOpen = true
        // A log whose author another log makes known is taken the next time, as in a session.
        while isOpen {
            let before = results.filter(\.isUnknownAuthor).count
            results = try target.ingest(try intervals(of: source))
            let left = results.filter(\.isUnknownAuthor).count
            isOpen = left > 0 && (before == 0 || left < before)
        }
        return results
    }

    /// Merges two ledgers both ways.
    public static func merge(_ left: Ledger, _ right: Ledger) throws {
        try pull(from: left, into: right)
        try pull(from: right, into: left)
    }

    /// All signed intervals of all chains, in order within each log.
    public static func intervals(of ledger: Ledger) throws -> [Interval] {
        var all: [Interval] = []
        for tip in try ledger.tips() {
            var next: UInt64 = 0
            while next < tip.size {
                let some = try ledger.intervals(of: tip, from: next, bytesMax: 1 << 20)
                guard let last = some.last else { break }
                all += some
                next = last.checkpoint.size
            }
        }
        return all
    }
}

extension Result<IngestReceipt, LedgerError> {
    /// Whether the interval was not taken because nobody admitted its author yet.
    public var isUnknownAuthor: Bool {
        if case .failure(let error) = self { error.code == .unknownAuthor } else { false }
    }
}

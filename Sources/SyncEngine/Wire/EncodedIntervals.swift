internal import Ledger

/// Intervals of one stream, in order, that are decoded when their turn comes.
///
/// `@unchecked Sendable`: `decoder`, `decodedCount` and `failure` belong to whoever makes intervals of them
/// until that has ended, then to the one who had them made.
final class EncodedIntervals: @unchecked Sendable {
    /// One interval as it came.
    struct Item: Sendable {
        let head: IntervalHead
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) throws(SyncError) {
            head = try IntervalHead(bytes)
            self.bytes = bytes
        }
    }

    private let log: LogID
    private let items: [Item]
    /// What was said in the stream before, and goes on from there.
    private(set) var decoder: IntervalDecoder
    /// How many were decoded.
    private(set) var decodedCount = 0
    /// Why the stream cannot be followed further.
    private(set) var failure: SyncError?

    init(_ items: [Item], of log: LogID, _ decoder: IntervalDecoder) {
        self.items = items
        self.log = log
        self.decoder = decoder
    }

    var count: Int { items.count }

    /// The intervals from a place on; those before it are decoded for what they say to the others.
    func source(from first: Int = 0) -> IntervalSource {
        let events = items[first...].reduce(0) { $0 + $1.head.count }
        return IntervalSource(count: items.count - first, events: events) { [self] place in
            interval(first + place)
        }
    }

    /// Follows the stream to its end without keeping what it brings.
    func skip() {
        for place in items.indices { if case .failure = interval(place) { return } }
    }

    /// Decodes all of them.
    func all() throws(SyncError) -> [Interval] {
        var intervals: [Interval] = []
        for place in items.indices {
            if case .success(let interval) = interval(place) { intervals.append(interval) }
            if let failure { throw failure }
        }
        return intervals
    }

    /// Decodes the interval of a place and all before it.
    func interval(_ place: Int) -> Result<Interval, LedgerError> {
        do throws(SyncError) {
            while true {
                if let failure { throw failure }
                let interval = try decoder.decode(items[decodedCount].bytes, of: log)
                decodedCount += 1
                if decodedCount > place { return .success(interval) }
            }
        } catch {
            failure = error
            // Only what is wrong with the intervals is a reason to leave them out.
            let code: LedgerError.Code =
                switch error.code {
                case .malformed: .malformed
                case .limit: .limit
                default: .io
                }
            return .failure(LedgerError(code, error.message, cause: error.cause))
        }
    }
}

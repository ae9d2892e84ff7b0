internal import Ledger

/// What this side lacks and how it is being fetched.
struct Receiving: Sendable {
    /// All that the peer holds, as far as it has said.
    var peerTips: [TipEntry] = []
    var hasAllTips = false
    /// What is still to be fetched in this round, the next one last.
    var queue: [Fetch] = []
    var fetch: Fetch?
    var hasPlannedRepairs = false

    /// Why nothing more can be taken, such as a full disk; holds for the whole session.
    var blocked: SyncError?
    /// Tips that turned out bad; they are not asked for again in this session.
    var refused: Set<Tip> = []
    var stream: UInt32 = 0
    /// What was said in streams that came to their end, for the next one to go on from.
    var decoder: IntervalDecoder?
    /// The frames so far of one message of the comparison.
    var ranges: [TipRange] = []
    var rangeEntries = 0
    /// How many bytes of events the peer was allowed to send, and how many it sent.
    var granted: UInt64 = 0
    var received: UInt64 = 0

    /// A new round; a fetch that is under way goes on.
    mutating func begin() {
        peerTips = []
        hasAllTips = false
        queue = []
        ranges = []
        rangeEntries = 0
        hasPlannedRepairs = false
    }
}

/// A range of one chain on its way here.
struct Fetch: Sendable {
    let tip: Tip
    let end: UInt64
    /// The events are here already and only payloads are wanted.
    let isRepair: Bool
    /// Where the next want begins.
    var next: UInt64
    /// How far the chain is known to be here: what begins at or before this must verify.
    var known: UInt64 = 0
    /// How far back to go when a range does not continue what is here; it grows each time.
    var step: UInt64 = 1024
    var stream: UInt32 = 0
    /// The sequence at which the next interval must begin; nil before the first.
    var expected: UInt64?
    /// What the sender of the stream said already; nil until the stream is opened.
    var decoder: IntervalDecoder?
    /// Whether the sender was asked for whole ids, since references could not be used.
    var wantsWholeIDs = false
    /// The parts of an interval so far.
    var assembling: [UInt8] = []
    /// Intervals to be decoded and stored together, and their length.
    var batch: [EncodedIntervals.Item] = []
    var batchLength = 0

    init(_ tip: Tip, from next: UInt64, to end: UInt64, isRepair: Bool = false) {
        self.tip = tip
        self.next = next
        self.end = end
        self.isRepair = isRepair
    }

    /// Whether an interval continues the answer to the want; if so, it is the newest.
    mutating func accepts(_ interval: IntervalHead) -> Bool {
        let fits =
            if let expected { interval.first == expected } else {
                interval.first <= next && interval.end > next
            }
        guard fits, interval.end <= tip.size else { return false }
        expected = interval.end
        return true
    }

    /// How many events wait to be stored.
    var batchCount: Int { batch.reduce(0) { $0 + $1.head.count } }

    /// Begins again after what is stored, with whole ids; false when they were asked for already.
    mutating func restartWithWholeIDs() -> Bool {
        guard !wantsWholeIDs else { return false }
        wantsWholeIDs = true
        next = max(next, min(known, end - 1))
        expected = nil
        assembling = []
        batch = []
        batchLength = 0
        return true
    }

    /// Goes back from a sequence at which the chains differ, further each time.
    mutating func stepBack(from first: UInt64) {
        wantsWholeIDs = true
        next = first > step ? first - step : 0
        step = step > 1 << 50 ? step : step * 4
        known = 0
        expected = nil
        assembling = []
        batch = []
        batchLength = 0
    }
}

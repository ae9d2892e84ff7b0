package import Ledger

/// A part of all logs by their ids, and what one side says of its tips there.
package struct TipRange: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// Nothing more to say: equal, or answered.
        case same
        /// The first 16 bytes of SHA-256 over the digests of all tips in the range.
        case fingerprint(Bytes16)
        /// All tips in the range.
        case list([TipEntry])
        /// Those tips in the range that the peer's list did not hold.
        case rest([TipEntry])

        var isOpen: Bool {
            switch self {
            case .fingerprint, .list: true
            case .same, .rest: false
            }
        }
    }

    /// The first log id after the range; nil for the last range.
    package var end: LogID?
    package var content: Content

    package init(end: LogID?, _ content: Content) {
        self.end = end
        self.content = content
    }
}

/// Finds in a few messages of a few hundred bytes which tips of two sides differ.
///
/// The sorted tips are cut into sixteen parts, each with a fingerprint; parts that differ are cut
/// again, and small ones are listed. A message answers all of the one before; one that holds
/// neither fingerprint nor list is the last.
package struct Reconciliation: Sendable {
    /// Parts of so few tips are listed.
    static let listedMax = 4
    private static let partCount = 16
    private static let restPartMax = 1024
    /// 16^4 chains are the most that a session takes; the rest is for the lists.
    static let messagesMax = 16

    let own: [TipState]
    /// What the peer holds and this side does not, as far as it is known.
    private(set) var theirs: [TipEntry] = []
    private var messages = 0

    package init(_ own: [TipState]) { self.own = own }

    /// What the side that begins says first.
    package func opening() throws(SyncError) -> [TipRange] {
        try describe(0..<own.count, end: nil)
    }

    /// Takes a message in.
    ///
    /// - Returns: the answer; nil when the peer wants none.
    package mutating func answer(_ ranges: [TipRange]) throws(SyncError) -> [TipRange]? {
        messages += 1
        guard messages <= Self.messagesMax else {
            throw SyncError(.limit, "The peer compares without coming to an end.")
        }
        guard let last = ranges.last, last.end == nil else {
            throw SyncError(.malformed, "A comparison that does not cover all logs.")
        }
        var answer: [TipRange] = []
        var (start, lower) = (0, LogID(raw: .zero))
        for (place, range) in ranges.enumerated() {
            let isLast = place == ranges.count - 1
            guard isLast == (range.end == nil), range.end.map({ $0 > lower }) ?? true else {
                throw SyncError(.malformed, "A comparison whose ranges do not ascend.")
            }
            let end = range.end.map { firstIndex(notBelow: $0, from: start) } ?? own.count
            for part in try reply(to: range, start..<end) {
                if part.content == .same, answer.last?.content == .same {
                    answer[answer.count - 1].end = part.end
                } else {
                    answer.append(part)
                }
            }
            start = end
            lower = range.end ?? lower
        }
        return ranges.contains { $0.content.isOpen } ? answer : nil
    }

    private mutating func reply(
        to range: TipRange, _ mine: Range<Int>
    ) throws(SyncError) -> [TipRange] {
        switch range.content {
        case .same: break
        case .fingerprint(let fingerprint):
            if try self.fingerprint(mine) != fingerprint {
                return try describe(mine, end: range.end)
            }
        case .list(let entries):
            try learn(entries, mine)
            let listed = Set(entries)
            let rest = mine.filter { !listed.contains(TipEntry(own[$0])) }
            if !rest.isEmpty { return parts(of: rest, end: range.end) }
        case .rest(let entries): try learn(entries, mine)
        }
        return [TipRange(end: range.end, .same)]
    }

    private mutating func learn(
        _ entries: [TipEntry], _ mine: Range<Int>
    ) throws(SyncError) {
        let known = Set(own[mine].map { TipEntry($0) })
        theirs += entries.filter { !known.contains($0) }
        guard theirs.count <= WireLimits.tipsMax else {
            throw SyncError(
                .limit, "The peer lists over 65,536 chains; a session cannot take them.")
        }
    }

    /// A part as a list, or as sixteen fingerprints.
    private func describe(
        _ part: Range<Int>, end: LogID?
    ) throws(SyncError) -> [TipRange] {
        var cuts: [Int] = []
        if part.count > Self.listedMax {
            for number in 1..<Self.partCount {
                let cut = edge(part.lowerBound + part.count * number / Self.partCount, part)
                if cut < part.upperBound, cut > cuts.last ?? part.lowerBound { cuts.append(cut) }
            }
        }
        // A part of few tips, or of one log with many branches, cannot be cut.
        guard !cuts.isEmpty else {
            return [TipRange(end: end, .list(own[part].map { TipEntry($0) }))]
        }
        var ranges: [TipRange] = []
        var start = part.lowerBound
        for cut in cuts + [part.upperBound] {
            let cutEnd = cut == part.upperBound ? end : boundary(before: cut)
            ranges.append(TipRange(end: cutEnd, .fingerprint(try fingerprint(start..<cut))))
            start = cut
        }
        return ranges
    }

    /// What the peer lacks, in ranges that fit into frames.
    private func parts(of indices: [Int], end: LogID?) -> [TipRange] {
        var ranges: [TipRange] = []
        var entries: [TipEntry] = []
        for index in indices {
            if entries.count >= Self.restPartMax, own[index].tip.log != own[index - 1].tip.log {
                ranges.append(TipRange(end: boundary(before: index), .rest(entries)))
                entries = []
            }
            entries.append(TipEntry(own[index]))
        }
        ranges.append(TipRange(end: end, .rest(entries)))
        return ranges
    }

    /// The next place where one log ends and another begins.
    private func edge(_ place: Int, _ part: Range<Int>) -> Int {
        var place = place
        while place > part.lowerBound, place < part.upperBound,
            own[place].tip.log == own[place - 1].tip.log
        {
            place += 1
        }
        return place
    }

    /// The shortest id that lies after the tip before a place and not after the one at it.
    private func boundary(before place: Int) -> LogID {
        let (last, next) = (own[place - 1].tip.log.bytes, own[place].tip.log.bytes)
        let shared = zip(last, next).prefix { $0 == $1 }.count
        let bytes = next.prefix(shared + 1) + [UInt8](repeating: 0, count: 15 - min(shared, 15))
        return LogID(bytes: bytes) ?? own[place].tip.log
    }

    private func firstIndex(notBelow log: LogID, from start: Int) -> Int {
        var (low, high) = (start, own.count)
        while low < high {
            let middle = (low + high) / 2
            if own[middle].tip.log < log { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func fingerprint(_ part: Range<Int>) throws(SyncError) -> Bytes16 {
        let digester = try fromLedger { () throws(LedgerError) in try Digester() }
        return TipState.digest(of: own[part], digester).firstHalf
    }
}

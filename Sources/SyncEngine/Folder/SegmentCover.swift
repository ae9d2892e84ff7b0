internal import Ledger

/// Which of the segments of one chain are needed to hold all that they hold together.
struct SegmentCover {
    /// In order; each reaches further than the one before.
    private(set) var chosen: [FoundSegment] = []
    /// Those whose range the chosen ones hold without them.
    private(set) var superseded: [FoundSegment] = []

    init(_ segments: [FoundSegment]) {
        // Among equals the name decides, so that every process chooses the same.
        let order = segments.sorted {
            ($0.prologue.first, $1.prologue.end, $0.key)
                < ($1.prologue.first, $0.prologue.end, $1.key)
        }
        var reached: UInt64 = 0
        var index = 0
        while index < order.count {
            var best: FoundSegment?
            while index < order.count, order[index].prologue.first <= reached {
                if order[index].prologue.end > best?.prologue.end ?? reached { best = order[index] }
                index += 1
            }
            if let best {
                chosen.append(best)
                reached = best.prologue.end
            } else if index < order.count {
                reached = max(reached, order[index].prologue.first)
            }
        }
        let kept = Set(chosen.map(\.key))
        superseded = order.filter { !kept.contains($0.key) }
    }

    /// The ranges below a size that no segment holds.
    func gaps(in size: UInt64) -> [Range<UInt64>] {
        var gaps: [Range<UInt64>] = []
        var covered: UInt64 = 0
        for segment in chosen {
            if segment.prologue.first > covered { gaps.append(covered..<segment.prologue.first) }
            covered = max(covered, segment.prologue.end)
        }
        if covered < size { gaps.append(covered..<size) }
        return gaps
    }

    /// Runs of neighbours that are small enough, and enough of them, to be worth one larger file.
    ///
    /// Small ones are merged first and what comes of it only once there are as many of that size
    /// again, so that no event is written more than a few times.
    func runsToCompact(_ rules: CompactionRules) -> [Range<UInt64>] {
        for lengthMax in rules.lengths {
            let runs = runs { $0.length <= lengthMax }.filter { $0.count >= rules.countMin }
            if !runs.isEmpty {
                return runs.compactMap { run in
                    guard let first = run.first, let last = run.last else { return nil }
                    return first.prologue.first..<last.prologue.end
                }
            }
        }
        return []
    }

    private func runs(_ isSmall: (FoundSegment) -> Bool) -> [ArraySlice<FoundSegment>] {
        var runs: [ArraySlice<FoundSegment>] = []
        var start = 0
        for (index, segment) in chosen.enumerated() {
            let continues =
                index > start && segment.prologue.first <= chosen[index - 1].prologue.end
            if !continues || !isSmall(segment) {
                if index > start { runs.append(chosen[start..<index]) }
                start = isSmall(segment) ? index : index + 1
            }
        }
        if start < chosen.count { runs.append(chosen[start...]) }
        return runs
    }
}

/// When own files are merged and when the old ones go.
package struct CompactionRules: Sendable {
    /// Up to which length files are merged with each other, ascending; the longest is at most half
    /// of what a file grows to, so that merging always leaves fewer files.
    package var lengths = [16 << 10, 128 << 10, 512 << 10]
    /// How many neighbours are merged at least.
    package var countMin = 16
    /// How long a file that is no longer needed stays for those who have listed it already.
    package var graceMilliseconds: Int64 = 7 * 86_400_000
    /// How many files are removed in one pass.
    package var removalsMax = 256

    package init() {}
}

import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct SegmentCoverTests {
    static func segment(_ range: Range<UInt64>, length: Int = 1000, key: String = "")
        -> FoundSegment
    {
        let prologue = SegmentPrologue(
            ledger: LedgerID(raw: .zero), log: LogID(raw: .zero), first: range.lowerBound,
            count: UInt64(range.count), root: .zero, keyGeneration: 0, salt: [], contentLength: 0)
        return FoundSegment(
            key: "\(range)\(key)", path: "", name: "", prologue: prologue, length: length,
            isOwn: true)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `the chosen ones hold what all hold, and none of them is needless`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let segments = (0..<Int.random(in: 0...12, using: &random)).map { index in
            let first = UInt64.random(in: 0..<30, using: &random)
            let count = UInt64.random(in: 1..<10, using: &random)
            return Self.segment(first..<(first + count), key: " \(index)")
        }
        let cover = SegmentCover(segments)
        func held(_ segments: [FoundSegment]) -> Set<UInt64> {
            Set(segments.flatMap { Array($0.prologue.range) })
        }
        #expect(held(cover.chosen) == held(segments))
        #expect(cover.chosen.count + cover.superseded.count == segments.count)
        for one in cover.chosen {
            #expect(held(cover.chosen.filter { $0.key != one.key }) != held(segments))
        }
        let gaps = Set(cover.gaps(in: 40).flatMap { Array($0) })
        #expect(gaps == Set(0..<40).subtracting(held(segments)))
    }

    @Test func `few small files are left, many are merged, large ones never`() {
        var rules = CompactionRules()
        rules.countMin = 4
        rules.lengths = [1000, 5000]
        func runs(_ lengths: [Int]) -> [Range<UInt64>] {
            SegmentCover(
                lengths.enumerated().map { index, length in
                    Self.segment(UInt64(index)..<UInt64(index + 1), length: length)
                }
            ).runsToCompact(rules)
        }
        #expect(runs([10, 10, 10]).isEmpty)
        #expect(runs([10, 10, 10, 10]) == [0..<4])
        #expect(runs([10, 10, 9000, 10, 10]).isEmpty)
        #expect(runs([10, 10, 10, 10, 9000, 10, 10, 10, 10, 10]) == [0..<4, 5..<10])
        // The larger ones wait until there are enough of them, and take small ones along.
        #expect(runs([4000, 4000, 10, 10, 10, 10]) == [2..<6])
        #expect(runs([4000, 4000, 4000, 10]) == [0..<4])
    }

    /// What merging costs over the life of a log.
    @Test func `an event is written a few times at most, and files stay few`() throws {
        let medium = SimulatedMedium()
        let ledger = try FakeLedger(seed: 5)
        var rules = CompactionRules()
        rules.graceMilliseconds = 0
        let folder = DropFolder(
            medium.path, log: ledger, fileSystem: medium, compaction: rules)
        var memory = FolderMemory()
        var written = 0
        for _ in 0..<600 {
            try ledger.append(1)
            let report = try folder.pass(&memory, auditBytes: 0)
            written += report.segmentsPublished + report.segmentsCompacted
            #expect(report.publishFailure == nil)
        }
        #expect(medium.files.count < 60)
        // 600 published, and one merged file for each 15 of them or more.
        #expect(written < 600 + 600 / 12)
    }
}

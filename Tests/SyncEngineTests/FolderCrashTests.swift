import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// The power is cut, or a call fails, at every call that publishing, merging and rewriting make.
@Suite struct FolderCrashTests {
    enum Medium: String, CaseIterable, Sendable {
        case posix, vfat
        var rules: SimulatedMedium.Rules { self == .posix ? .posix : .vfat }
    }

    /// Merges early and removes at once, so that a short test meets every step.
    static var eager: CompactionRules {
        var rules = CompactionRules()
        (rules.countMin, rules.graceMilliseconds) = (3, 0)
        return rules
    }

    static func sync(
        _ ledger: FakeLedger, _ medium: SimulatedMedium,
        _ publishing: DropFolder.Publishing = .ownLogs, _ rules: CompactionRules = eager
    ) -> Result<FolderReport, SyncError> {
        Result { () throws(SyncError) in
            try DropFolder(
                medium.path, log: ledger, publishing: publishing, fileSystem: medium,
                compaction: rules
            ).sync()
        }
    }

    /// A writer that has published twice, and has more to say.
    static func writer(_ medium: SimulatedMedium, seed: UInt64) throws -> (FakeLedger, UInt64) {
        let writer = try FakeLedger(seed: seed)
        for _ in 0..<2 {
            try writer.append(3)
            #expect(try sync(writer, medium).get().publishFailure == nil)
        }
        let published = try #require(try writer.tips().first).size
        try writer.append(5)
        return (writer, published)
    }

    /// How many calls a sync makes when nothing goes wrong.
    static func callCount(_ medium: Medium, seed: UInt64) throws -> Int {
        let system = SimulatedMedium(medium.rules)
        let (writer, _) = try writer(system, seed: seed)
        let before = system.calls
        let report = try sync(writer, system).get()
        // Otherwise nothing of the merging would be tested here.
        #expect(report.segmentsCompacted == 1 && report.segmentsRemoved == 3)
        return system.calls - before
    }

    static func held(_ ledger: FakeLedger, of log: LogID) throws -> UInt64 {
        try ledger.tips().first { $0.log == log }?.size ?? 0
    }

    @Test(arguments: Medium.allCases, 0..<4 as Range<UInt64>)
    func `a power cut at any call loses nothing that was published`(
        medium: Medium, seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        for cut in 1...(try Self.callCount(medium, seed: seed)) {
            let system = SimulatedMedium(medium.rules)
            let (writer, published) = try Self.writer(system, seed: seed)
            let start = system.calls
            system.change { $0.cutAt = start + cut }
            _ = Self.sync(writer, system)
            system.restart(&random)
            let early = try FakeLedger(seed: 90)
            _ = try Self.sync(early, system, .nothing).get()
            // Without a flush of directories a cut may lose names; the writer then brings them back.
            if medium == .posix {
                #expect(try Self.held(early, of: writer.log) >= published, "call \(cut)")
            }
            let again = try Self.sync(writer, system).get()
            #expect(again.publishFailure == nil)
            let late = try FakeLedger(seed: 91)
            let report = try Self.sync(late, system, .nothing).get()
            #expect(try Self.held(late, of: writer.log) == 12, "call \(cut), \(report.setAside)")
        }
    }

    @Test(arguments: Medium.allCases, [false, true])
    func `a call that fails once leaves all that was published, and the next sync goes on`(
        medium: Medium, failsAfterwards: Bool
    ) throws {
        for call in 1...(try Self.callCount(medium, seed: 7)) {
            let system = SimulatedMedium(medium.rules)
            let (writer, published) = try Self.writer(system, seed: 7)
            let start = system.calls
            system.change {
                ($0.failAt, $0.failsAfterwards) = (start + call, failsAfterwards)
            }
            _ = Self.sync(writer, system)
            let early = try FakeLedger(seed: 90)
            _ = try Self.sync(early, system, .nothing).get()
            #expect(try Self.held(early, of: writer.log) >= published, "call \(call)")
            for _ in 0..<2 { #expect(try Self.sync(writer, system).get().publishFailure == nil) }
            let late = try FakeLedger(seed: 91)
            let report = try Self.sync(late, system, .nothing).get()
            #expect(report.setAside.isEmpty, "call \(call)")
            #expect(try Self.held(late, of: writer.log) == 12, "call \(call)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a rewriting that is cut off anywhere and made again leaves no payload and no gap`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        var cut = 1
        var isThrough = false
        while !isThrough {
            let system = SimulatedMedium()
            let (writer, _) = try Self.writer(system, seed: seed)
            _ = try Self.sync(writer, system, .ownLogs, CompactionRules()).get()
            let log = writer.log
            writer.erase([2, 5], of: log)
            let folder = DropFolder(system.path, log: writer, fileSystem: system)
            let end = system.calls + cut
            system.change { $0.cutAt = end }
            let first = try? folder.rewriteOwn(without: [log: [2, 5]])
            isThrough = first?.publishFailure == nil && first?.segmentsRemoved == 2
            system.restart(&random)
            // Publishing may come in between.
            _ = try Self.sync(writer, system, .ownLogs, CompactionRules()).get()
            let report = try folder.rewriteOwn(without: [log: [2, 5]])
            #expect(report.publishFailure == nil)
            let reader = try FakeLedger(seed: 91)
            _ = try Self.sync(reader, system, .nothing).get()
            let tip = try #require(try reader.tips().first { $0.log == log })
            let missing = try reader.missingPayloads(of: tip)
            #expect(tip.size == 12 && missing == [2, 5], "call \(cut)")
            #expect(try folder.rewriteOwn(without: [log: [2, 5]]).segmentsRemoved == 0)
            cut += 1
        }
        #expect(cut > 10)
    }
}

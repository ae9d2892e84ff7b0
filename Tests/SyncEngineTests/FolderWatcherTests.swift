import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A watcher on a simulated medium and a clock that the test moves.
struct WatchedFolder {
    let medium: SimulatedMedium
    let ledger: FakeLedger
    var watcher: FolderWatcher
    var now: Int64 = 0
    var notices: [FolderNotice.Kind] = []
    var published = 0
    var imported = 0
    var passes = 0

    init(
        _ ledger: FakeLedger, _ medium: SimulatedMedium,
        _ publishing: DropFolder.Publishing = .ownLogs, memoryFile: FolderMemoryFile? = nil,
        limits: FolderLimits = FolderLimits(), scanSeconds: Int = 30
    ) {
        (self.ledger, self.medium) = (ledger, medium)
        let folder = DropFolder(
            medium.path, log: ledger, publishing: publishing, fileSystem: medium,
            wallClock: { 0 }, limits: limits, memoryFile: memoryFile)
        watcher = FolderWatcher(folder, scanSeconds: scanSeconds)
    }

    @discardableResult
    mutating func tick() -> FolderStep {
        let step = watcher.tick(at: now)
        notices += step.notices.map(\.kind)
        published += step.report?.eventsPublished ?? 0
        imported += step.report?.eventsImported ?? 0
        passes += step.report == nil ? 0 : 1
        return step
    }

    /// Lets time pass, ticking when the watcher asked for it.
    mutating func run(_ milliseconds: Int64) {
        let end = now + milliseconds
        while true {
            let next = tick().nextTick
            guard next <= end else { break }
            now = next
        }
        now = end
    }
}

@Suite struct FolderWatcherTests {
    let medium = SimulatedMedium()
    let a: FakeLedger
    let b: FakeLedger

    init() throws { (a, b) = try SessionTests.pair(20, 10) }

    func sync(_ ledger: FakeLedger) throws -> FolderReport {
        try DropFolder(medium.path, log: ledger, fileSystem: medium).sync()
    }

    @Test func `own events are out within two seconds of quiet, and not before one`() throws {
        var folder = WatchedFolder(a, medium)
        folder.run(5000)
        #expect(folder.published == 21)
        try a.append(1)
        folder.run(700)
        try a.append(1)
        folder.run(900)
        #expect(folder.published == 21)
        folder.run(1100)
        #expect(folder.published == 23)
        #expect(try sync(b).eventsImported == 23)
    }

    @Test func `a stream of events without a pause is published every thirty seconds`() throws {
        var folder = WatchedFolder(a, medium, scanSeconds: 3600)
        folder.run(1)
        for _ in 0..<70 {
            try a.append(1)
            folder.run(500)
        }
        #expect(folder.published >= 21 + 58 && folder.published < 21 + 70)
    }

    @Test func `a mebibyte of events is published at once`() throws {
        var folder = WatchedFolder(a, medium)
        folder.run(1000)
        try a.append(10, payloadLength: 60_000)
        folder.run(600)
        #expect(folder.published == 21)
        try a.append(9, payloadLength: 60_000)
        folder.run(600)
        #expect(folder.published == 40)
    }

    @Test func `a hint has the folder scanned soon, and without any it is scanned all the same`()
        throws
    {
        var folder = WatchedFolder(a, medium)
        folder.run(10_000)
        _ = try sync(b)
        folder.watcher.folderChanged()
        folder.run(150)
        #expect(folder.imported == 0)
        folder.run(100)
        #expect(folder.imported == 11)
        try b.append(3)
        _ = try sync(b)
        folder.run(31_000)
        #expect(folder.imported == 14)
    }

    @Test func `a folder that never rests is scanned once a second`() throws {
        var folder = WatchedFolder(a, medium, .nothing)
        for _ in 0..<100 {
            folder.watcher.folderChanged()
            folder.run(100)
        }
        #expect((8...12).contains(folder.passes))
    }

    @Test func `publishing lists the own directory alone`() throws {
        _ = try sync(b)
        var folder = WatchedFolder(a, medium)
        folder.run(1000)
        try a.append(2)
        _ = medium.takeCount("list")
        folder.run(3000)
        #expect(folder.published == 23 && medium.takeCount("list") == 1)
    }

    @Test func `a medium that is read-only is read, and that it is, is said once`() throws {
        _ = try sync(b)
        medium.change { $0.isReadOnly = true }
        var folder = WatchedFolder(a, medium)
        folder.run(200_000)
        #expect(folder.imported == 11 && folder.published == 0)
        #expect(folder.notices == [.publishingFails])
        medium.change { $0.isReadOnly = false }
        folder.run(700_000)
        #expect(folder.published == 21 && folder.notices == [.publishingFails, .publishingWorks])
    }

    @Test func `a full medium is said once and used again once there is room`() throws {
        medium.change { $0.capacity = 1000 }
        var folder = WatchedFolder(a, medium)
        folder.run(100_000)
        #expect(folder.notices == [.publishingFails] && medium.files.isEmpty)
        medium.change { $0.capacity = .max }
        folder.run(100_000)
        #expect(folder.published == 21 && folder.notices.last == .publishingWorks)
    }

    @Test(arguments: [false, true])
    func `a folder that vanishes is left alone until it returns`(isGone: Bool) throws {
        var folder = WatchedFolder(a, medium)
        folder.run(2000)
        _ = try sync(b)
        medium.change { if isGone { $0.isGone = true } else { $0.isMounted = false } }
        folder.watcher.folderChanged()
        try a.append(4)
        _ = medium.takeTrace()
        folder.run(120_000)
        #expect(folder.notices == [.away])
        // Nothing is written where the medium was.
        #expect(medium.takeTrace().isEmpty && folder.published == 21)
        medium.change { ($0.isGone, $0.isMounted) = (false, true) }
        _ = medium.takeCount("read")
        folder.run(31_000)
        #expect(folder.notices == [.away, .back])
        #expect(folder.imported == 11 && folder.published == 25)
        // Own files that were known before were not read again: b's, and the new one read back.
        #expect(medium.takeCount("read") <= 4)
    }

    @Test func `a folder that is new is filled, though it is empty`() throws {
        var folder = WatchedFolder(a, medium)
        folder.run(10)
        #expect(folder.published == 21)
    }

    @Test func `a file that was left alone is said once, one on its way only after an hour`() throws
    {
        medium[medium.path + "/note.txt"] = Array("shopping".utf8)
        medium[medium.path + "/x.cls"] = Array("CLSEG/".utf8)
        var folder = WatchedFolder(a, medium)
        folder.run(3_000_000)
        #expect(folder.notices == [.setAside])
        folder.run(1_000_000)
        #expect(folder.notices == [.setAside, .setAside])
    }

    @Test func `a leftover of its own is removed after an hour, one of another never`() throws {
        var folder = WatchedFolder(a, medium)
        folder.run(10)
        _ = try sync(b)
        let own = try #require(medium.files.first { $0.contains(a.replica?.description ?? "-") })
        let other = try #require(medium.files.first { $0.contains(b.replica?.description ?? "-") })
        for file in [own, other] { medium[file.parent + "/.cl-tmp-abc"] = [1, 2, 3] }
        folder.run(3_500_000)
        #expect(medium.files.count { $0.contains(".cl-tmp-") } == 2)
        folder.run(200_000)
        #expect(medium.files.filter { $0.contains(".cl-tmp-") } == [other.parent + "/.cl-tmp-abc"])
    }

    @Test func `only the step that was asked for is an answer`() throws {
        var folder = WatchedFolder(a, medium)
        #expect(!folder.tick().isAnswer)
        folder.run(1000)
        folder.watcher.askForScan()
        #expect(folder.tick().isAnswer)
        folder.now += 40_000
        let usual = folder.tick()
        #expect(usual.report != nil && !usual.isAnswer)
    }

    @Test func `finishing publishes what waits and scans nothing`() throws {
        var folder = WatchedFolder(a, medium)
        folder.run(10)
        try a.append(2)
        #expect(folder.watcher.finish(at: folder.now).report?.eventsPublished == 2)
    }

    @Test func `a ledger that is full is said once and the folder is taken later`() throws {
        _ = try sync(b)
        a.state.withLock {
            $0.ingestFailures = Array(repeating: LedgerError(.noSpace, "Full."), count: 3)
        }
        var folder = WatchedFolder(a, medium)
        folder.run(100_000)
        #expect(folder.notices == [.takingFails, .takingWorks] && folder.imported == 11)
    }
}

/// Steps that a loop reported, for a test that waits for one.
final class StepWaiter: Sendable {
    private let pipes: (read: Int32, write: Int32)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        pipes = (ends[0], ends[1])
    }

    deinit {
        close(pipes.read)
        close(pipes.write)
    }

    func add(_ step: FolderStep) {
        var byte: UInt8 = 1
        for _ in 0..<(step.report?.eventsImported ?? 0) {
            _ = PosixCall.write(pipes.write, &byte, 1)
        }
    }

    func answered() {
        var byte: UInt8 = 1
        _ = PosixCall.write(pipes.write, &byte, 1)
    }

    /// Waits until as many events came in.
    func wait(for events: Int) {
        var byte: UInt8 = 0
        for _ in 0..<events { _ = PosixCall.read(pipes.read, &byte, 1) }
    }
}

@Suite struct FolderLoopTests {
    @Test func `the system's word of a change brings another replica's events in`() throws {
        let folder = try TemporaryFolder()
        let (a, b) = try SessionTests.pair(20, 10)
        try DropFolder(folder.path, log: b).sync()
        let steps = StepWaiter()
        // Far longer than any test waits: only a change can bring the second scan.
        let watcher = FolderWatcher(DropFolder(folder.path, log: a), scanSeconds: 86_400)
        let loop = try FolderLoop(watcher) { step in steps.add(step) }
        let running = Worker { loop.run() }
        steps.wait(for: 11)
        try b.append(5)
        try DropFolder(folder.path, log: b).sync()
        steps.wait(for: 5)
        try a.append(7)
        loop.stop()
        _ = try running.join()
        try DropFolder(folder.path, log: b).sync()
        #expect(try a.tips().allSatisfy { try b.holds($0) })
    }

    @Test func `an answer is told, also where it came to nothing`() throws {
        let folder = try TemporaryFolder()
        let missing = DropFolder(folder.path + "/none", log: try FakeLedger(seed: 1))
        let answers = StepWaiter()
        let loop = try FolderLoop(FolderWatcher(missing, scanSeconds: 86_400)) { step in
            if step.isAnswer { answers.answered() }
        }
        let running = Worker { loop.run() }
        for _ in 0..<2 {
            loop.scan()
            answers.wait(for: 1)
        }
        loop.stop()
        _ = try running.join()
    }

    @Test func `a loop that was asked to scan does, and one that was stopped ends`() throws {
        let folder = try TemporaryFolder()
        let (a, b) = try SessionTests.pair(20, 10)
        let steps = StepWaiter()
        let watcher = FolderWatcher(
            DropFolder(folder.path, log: a, publishing: .nothing), scanSeconds: 86_400)
        let loop = try FolderLoop(watcher) { step in steps.add(step) }
        let running = Worker { loop.run() }
        try DropFolder(folder.path, log: b).sync()
        loop.scan()
        steps.wait(for: 11)
        loop.stop()
        _ = try running.join()
    }
}

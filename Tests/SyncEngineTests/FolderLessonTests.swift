import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What synchronised folders did to others before us; the table "Lessons" in `docs/SYNC.md` names
/// these tests.
@Suite struct FolderLessonTests {
    let medium = SimulatedMedium()
    let a: FakeLedger
    let b: FakeLedger
    let c: FakeLedger

    init() throws {
        (a, b) = try SessionTests.pair(20, 10)
        c = try FakeLedger(seed: 3)
    }

    @discardableResult
    func sync(
        _ ledger: FakeLedger, _ medium: SimulatedMedium? = nil,
        _ rules: CompactionRules = CompactionRules(),
        wall: Int64 = 0
    ) throws -> FolderReport {
        let medium = medium ?? self.medium
        return try DropFolder(
            medium.path, log: ledger, fileSystem: medium, wallClock: { wall }, compaction: rules
        ).sync()
    }

    var eager: CompactionRules {
        var rules = CompactionRules()
        rules.countMin = 3
        return rules
    }

    func publish(_ count: Int, _ ledger: FakeLedger, _ rules: CompactionRules) throws {
        for _ in 0..<count {
            try ledger.append(2)
            try sync(ledger, nil, rules)
        }
    }

    @Test func `a file that comes late with a time long past is taken`() throws {
        let folder = try TemporaryFolder()
        try DropFolder(folder.path, log: a).sync()
        var watcher = FolderWatcher(DropFolder(folder.path, log: c, publishing: .nothing))
        _ = watcher.tick(at: 0)
        try DropFolder(folder.path, log: b).sync()
        for file in try folder.files() {
            var times = [timeval(tv_sec: 0, tv_usec: 0), timeval(tv_sec: 0, tv_usec: 0)]
            #expect(utimes(file, &times) == 0)
        }
        #expect(watcher.tick(at: 40_000).report?.eventsImported == 11)
    }

    @Test func `files come in any order`() throws {
        try publish(4, a, CompactionRules())
        let parts = try medium.files.map { ($0, try #require(medium[$0])) }
        for part in parts { medium[part.0] = nil }
        for part in parts.reversed() {
            medium[part.0] = part.1
            try sync(c)
        }
        #expect(try c.tips().first { $0.log == a.log } == a.tips().first)
    }

    @Test func `a lock that somebody left behind holds nobody up`() throws {
        try sync(a)
        let directory = try #require(medium.files.first).parent
        for name in ["lock", ".lock", "lock.json", "2_1_phone.lock", "write.lock~"] {
            medium[directory + "/" + name] = Array("held".utf8)
        }
        try sync(b)
        let report = try sync(a)
        #expect(report.eventsImported == 11 && report.publishFailure == nil && report.isComplete)
    }

    @Test func `merging gives another name, and removes nothing before its time`() throws {
        try publish(3, a, eager)
        let old = medium.files
        let oldBytes = try old.map { try #require(medium[$0]) }
        let reader = try FakeLedger(seed: 4)
        let report = try sync(a, nil, eager, wall: 1000)
        #expect(report.segmentsCompacted == 0 && old.count == 4)
        #expect(Set(medium.files).isSuperset(of: old))
        #expect(try old.map { try #require(medium[$0]) } == oldBytes)
        let grace = eager.graceMilliseconds
        #expect(try sync(a, nil, eager, wall: grace - 1).segmentsRemoved == 0)
        #expect(try sync(reader).eventsImported == 27)
    }

    @Test func `what was replaced goes after its time, and only what is its own`() throws {
        let memory = FolderMemoryFile(
            path: "/drop/seen", fileSystem: SimulatedMedium())
        func sync(_ wall: Int64) throws -> FolderReport {
            try DropFolder(
                medium.path, log: a, fileSystem: medium, wallClock: { wall }, compaction: eager,
                memoryFile: memory
            ).sync()
        }
        for wall in 0..<3 {
            try a.append(2)
            _ = try sync(Int64(wall))
        }
        try self.sync(b)
        let own = medium.files.filter { $0.contains(a.replica?.description ?? "-") }
        #expect(own.count == 4)
        let copy = own[0].parent + "/" + own[0].lastComponent.dropLast(4) + " (1).cls"
        medium[copy] = medium[own[0]]
        // A clock that ran ahead and was set right begins the time anew.
        _ = try sync(-5000)
        #expect(try sync(-4999 + eager.graceMilliseconds - 2).segmentsRemoved == 0)
        #expect(try sync(eager.graceMilliseconds + 10).segmentsRemoved == 3)
        #expect(medium.files.count == 3 && medium[copy] != nil)
        #expect(try self.sync(c).eventsImported == 27 + 11)
    }

    @Test func `what was replaced stays while its replacement is damaged`() throws {
        let memory = FolderMemoryFile(path: "/drop/seen", fileSystem: SimulatedMedium())
        var limits = FolderLimits()
        limits.auditBytes = 0
        func sync(_ wall: Int64) throws -> FolderReport {
            try DropFolder(
                medium.path, log: a, fileSystem: medium, wallClock: { wall }, limits: limits,
                compaction: eager, memoryFile: memory
            ).sync()
        }
        for wall in 0..<3 {
            try a.append(2)
            _ = try sync(Int64(wall))
        }
        let merged = try #require(medium.files.first { $0.contains("-0-27-") })
        var bytes = try #require(medium[merged])
        bytes[bytes.count - 1] ^= 1
        medium.fill(merged, bytes)
        let report = try sync(eager.graceMilliseconds + 10)
        #expect(report.segmentsRemoved == 0 && report.publishFailure == nil)
        #expect(try self.sync(c).eventsImported == 27)
        // Then it is found to be damaged, and merging is done again.
        let next = try sync(eager.graceMilliseconds + 20)
        #expect(next.setAside.map(\.reason.code) == [.malformed] && next.segmentsCompacted == 1)
    }

    @Test func `a reader with an old list loses nothing when a file is gone`() throws {
        try publish(3, a, eager)
        let rules = FolderCrashTests.eager
        // The old files vanish between the reader's list and its reading.
        let listed = VanishingFiles(medium) {
            _ = try? self.sync(self.a, nil, rules)
        }
        let first = try DropFolder(
            medium.path, log: c, publishing: .nothing, fileSystem: listed
        ).sync()
        #expect(medium.files.count == 1)
        let second = try sync(c)
        #expect(first.eventsImported + second.eventsImported == 27)
    }

    @Test(arguments: [(EINVAL, true), (ENOTSUP, true), (EIO, false), (ENOSPC, false)])
    func `a directory that cannot be flushed is no failure, one whose flush fails is`(
        code: Int32, isTolerated: Bool
    ) throws {
        let system = FaultyFileSystem {
            ($0.call, $0.uses, $0.code) = ("fsync directory", 0, code)
        }
        let folder = try TemporaryFolder()
        let report = try DropFolder(folder.path, log: a, fileSystem: system).sync()
        #expect((report.publishFailure == nil) == isTolerated)
        #expect(report.eventsPublished == (isTolerated ? 21 : 0))
    }

    @Test func `a bit that flips between writing and reading back is not published`() throws {
        let system = FaultyFileSystem { $0.damagesReads = true }
        let folder = try TemporaryFolder()
        let report = try DropFolder(folder.path, log: a, fileSystem: system).sync()
        let left = try folder.files()
        #expect(report.segmentsPublished == 0 && left.isEmpty)
    }

    @Test func `a client that deletes and writes anew under another name changes nothing`() throws {
        try sync(a)
        let file = try #require(medium.files.first)
        let bytes = medium[file]
        medium[file] = nil
        medium[file.parent + "/" + file.lastComponent.uppercased()] = bytes
        #expect(try sync(c).eventsImported == 21)
        #expect(try sync(a).eventsPublished == 0)
    }

    @Test func `a download that was cut and sent up again is replaced by its owner`() throws {
        try sync(a)
        let file = try #require(medium.files.first)
        medium[file] = Array(try #require(medium[file]).prefix(400))
        #expect(try sync(c).setAside.map(\.reason.code) == [.incomplete])
        #expect(try sync(a).eventsPublished == 21)
        #expect(try sync(c).eventsImported == 21 && medium[file]?.count == 400)
    }

    @Test func `a placeholder is a file that is there, and no reason to publish it anew`() throws {
        try sync(a)
        let file = try #require(medium.files.first)
        let bytes = medium[file]
        let placeholder = "\(file.parent)/.\(file.lastComponent).icloud"
        medium[file] = nil
        medium[placeholder] = Array("bplist00".utf8)
        let report = try sync(c)
        #expect(report.setAside.map(\.reason.code) == [.placeholder] && !report.isComplete)
        try a.append(2)
        #expect(try sync(a).eventsPublished == 2)
        medium[placeholder] = nil
        medium[file] = bytes
        #expect(try sync(c).eventsImported == 23)
    }

    @Test(arguments: [
        ".cl-tmp-abc", ".~tmp", ".syncthing.x.cls.tmp", "x.cls.partial", "~$x", ".x.cls.swp",
        "x.cls.filepart", ".fuse_hidden0000",
    ])
    func `temporary files that a program carried along do no harm`(name: String) throws {
        try sync(a)
        let file = try #require(medium.files.first)
        let bytes = try #require(medium[file])
        medium["\(file.parent)/\(name)"] = Array(bytes.prefix(300))
        let partial = try sync(c)
        #expect(partial.eventsImported == 21)
        if name.hasPrefix(".cl-tmp-") {
            #expect(partial.unfinishedFiles == 1 && partial.isComplete)
        } else {
            #expect(partial.setAside.map(\.reason.code) == [.incomplete])
        }
        // A whole one is as good as any other.
        medium["\(file.parent)/\(name)"] = bytes
        medium[file] = nil
        #expect(try sync(b).eventsImported == 21 + 1)
    }

    @Test func `a directory that was doubled as "name 2" is read, and not taken for the own`()
        throws
    {
        try sync(a)
        let file = try #require(medium.files.first)
        let double = file.parent + " 2"
        medium.addDirectory(double)
        medium["\(double)/\(file.lastComponent)"] = medium[file]
        medium[file] = nil
        #expect(try sync(c).eventsImported == 21)
        #expect(try sync(a).eventsPublished == 21)
        #expect(medium.files.contains("\(double)/\(file.lastComponent)"))
    }

    @Test func `no file is ever written to twice, and nothing but segments lies in the folder`()
        throws
    {
        try publish(5, a, eager)
        let created = medium.takeTrace().filter { $0.hasPrefix("rename ") }
        #expect(Set(created).count == created.count && created.count > 5)
        #expect(medium.files.allSatisfy { $0.hasSuffix(".cls") })
    }

    @Test func `on a medium like FAT nothing differs`() throws {
        let fat = SimulatedMedium(.vfat)
        for _ in 0..<3 {
            try a.append(2)
            #expect(try sync(a, fat, eager).publishFailure == nil)
            try sync(b, fat)
        }
        #expect(try sync(c, fat).eventsImported == 27 + 11)
        let names = fat.files.flatMap { $0.dropFirst(fat.path.count).utf8 }
        #expect(Set(names).isSubset(of: Set("abcdefghijklmnopqrstuvwxyz0123456789-./".utf8)))
        #expect(fat.files.allSatisfy { $0.lastComponent.utf8.count <= 128 })
    }

    @Test func `a medium that cannot take the names says so and is read all the same`() throws {
        let narrow = SimulatedMedium()
        try sync(b, narrow)
        narrow.change { $0.nameLengthMax = 12 }
        let report = try sync(a, narrow)
        #expect(report.eventsImported == 11 && report.publishFailure?.code == .io)
    }

    @Test func `others' segments are carried only when asked, and not where they lie already`()
        throws
    {
        try sync(b)
        try sync(a)
        let before = medium.files.count
        let carrying = DropFolder(
            medium.path, log: a, publishing: .allLogs, fileSystem: medium)
        #expect(try carrying.sync().segmentsPublished == 0)
        let theirs = try #require(medium.files.first { $0.contains(b.replica?.description ?? "-") })
        medium[theirs] = nil
        #expect(try sync(a).segmentsPublished == 0)
        #expect(try carrying.sync().eventsPublished == 11)
        #expect(medium.files.count == before)
    }
}

/// A medium on which something happens after the listing and before the first reading.
struct VanishingFiles: FolderFileSystem {
    let base: SimulatedMedium
    let between: @Sendable () -> Void
    private let state = Once()

    init(_ base: SimulatedMedium, _ between: @escaping @Sendable () -> Void) {
        (self.base, self.between) = (base, between)
    }

    func entries(of directory: String) throws(FileFailure) -> [FolderEntry] {
        try base.entries(of: directory)
    }
    func read(_ file: String, upTo count: Int) throws(FileFailure) -> FileContent {
        if state.isFirst() { between() }
        return try base.read(file, upTo: count)
    }
    func makeDirectory(_ path: String) throws(FileFailure) { try base.makeDirectory(path) }
    func create(_ file: String) throws(FileFailure) -> Int32 { try base.create(file) }
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(FileFailure) -> Int {
        try base.write(bytes, to: descriptor)
    }
    func synchronize(_ descriptor: Int32) throws(FileFailure) { try base.synchronize(descriptor) }
    func close(_ descriptor: Int32) throws(FileFailure) { try base.close(descriptor) }
    func rename(_ old: String, to new: String) throws(FileFailure) {
        try base.rename(old, to: new)
    }
    func remove(_ file: String) throws(FileFailure) { try base.remove(file) }
    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try base.synchronizeDirectory(path)
    }
}

/// True once.
final class Once: Sendable {
    private let isDone = Mutex(false)

    func isFirst() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}

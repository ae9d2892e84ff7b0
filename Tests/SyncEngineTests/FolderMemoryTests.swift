import Testing

@testable import Ledger
@testable import SyncEngine

/// What is remembered of files, and what never rests on it.
@Suite struct FolderMemoryTests {
    let medium = SimulatedMedium()
    let store = SimulatedMedium()
    let a: FakeLedger
    let b: FakeLedger

    init() throws {
        (a, b) = try SessionTests.pair(20, 10)
        for _ in 0..<5 {
            try a.append(2)
            _ = try sync(a)
        }
    }

    func sync(_ ledger: FakeLedger, _ memory: FolderMemoryFile? = nil) throws -> FolderReport {
        try DropFolder(medium.path, log: ledger, fileSystem: medium, memoryFile: memory).sync()
    }

    var file: FolderMemoryFile { FolderMemoryFile(path: "/drop/seen", fileSystem: store) }

    func reads(_ body: () throws -> Void) rethrows -> Int {
        _ = medium.takeCount("read")
        try body()
        return medium.takeCount("read")
    }

    @Test func `a scan reads no file that is known`() throws {
        var folder = WatchedFolder(b, medium)
        folder.run(10)
        #expect(folder.imported == 31)
        #expect(reads { folder.run(200_000) } == 0)
        #expect(folder.passes > 5)
    }

    @Test func `a known file whose length or number changed is read again`() throws {
        var folder = WatchedFolder(b, medium)
        folder.run(10)
        let path = try #require(medium.files.first { $0.contains(a.replica?.description ?? "-") })
        let bytes = try #require(medium[path])
        medium[path] = bytes
        #expect(reads { folder.run(31_000) } == 1)
        medium.fill(path, bytes + [0])
        #expect(reads { folder.run(30_000) } == 1)
        // What was taken stays taken, and others still get it from there once it is mended.
        #expect(folder.notices == [.setAside])
        medium.fill(path, bytes)
        #expect(reads { folder.run(30_000) } == 1)
        let late = try FakeLedger(seed: 91)
        #expect(try sync(late).eventsImported == 31 + 11)
    }

    @Test func `a file whose place was kept free and filled later is taken`() throws {
        var folder = WatchedFolder(b, medium)
        let path = try #require(medium.files.first)
        let bytes = try #require(medium[path])
        // As long as it will be, with the same number, and nothing in it yet.
        medium[path] = [UInt8](repeating: 0, count: bytes.count)
        folder.run(100_000)
        #expect(folder.imported == 0)
        medium.fill(
            path, Array(bytes.prefix(300)) + [UInt8](repeating: 0, count: bytes.count - 300))
        folder.run(100_000)
        #expect(folder.imported == 0)
        medium.fill(path, bytes)
        folder.run(700_000)
        #expect(folder.imported == 31)
    }

    @Test func `a file that stays bad is read ever more seldom`() throws {
        var folder = WatchedFolder(b, medium, .nothing)
        folder.run(10)
        medium[medium.path + "/junk"] = Array("no segment at all".utf8)
        let first = reads { folder.run(600_000) }
        let later = reads { folder.run(6_000_000) }
        #expect((8...10).contains(first) && (9...11).contains(later))
    }

    @Test func `what is known is known to the next process`() throws {
        _ = try sync(b, file)
        #expect(try reads { _ = try sync(b, file) } <= 1)
        var folder = WatchedFolder(b, medium, memoryFile: file)
        #expect(reads { folder.run(100_000) } == 0)
        #expect(folder.passes > 2)
    }

    @Test func `a ledger that was put back to an earlier state reads all again`() throws {
        let earlier = b.copy()
        _ = try sync(b, file)
        let report = try sync(earlier, file)
        #expect(report.eventsImported == 31)
        #expect(try earlier.tips() == b.tips())
    }

    @Test(arguments: [0, 7, 40, 500, -1, -40])
    func `a memory that is cut, changed or another ledger's is not believed`(place: Int) throws {
        _ = try sync(b, file)
        let path = try #require(store.files.first)
        var bytes = try #require(store[path])
        bytes[place < 0 ? bytes.count + place : place] ^= 1
        for damaged in [bytes, Array(bytes.prefix(bytes.count / 2)), []] {
            store[path] = damaged
            var isRebuilt = false
            let count = try reads { isRebuilt = try sync(b, file).isMemoryRebuilt }
            #expect(count >= 6 && isRebuilt)
            isRebuilt = try sync(b, file).isMemoryRebuilt
            #expect(!isRebuilt)
        }
        let other = try FakeLedger(ledger: 2, seed: 9)
        #expect(try sync(other, file).setAside.allSatisfy { $0.reason.code == .foreignLedger })
    }

    @Test func `a memory that cannot be written costs nothing but time`() throws {
        store.change { $0.isReadOnly = true }
        #expect(try sync(b, file).eventsImported == 31)
        #expect(store.files.isEmpty)
        store.change { ($0.isReadOnly, $0.capacity) = (false, 100) }
        #expect(try sync(b, file).isComplete && store.files.isEmpty)
    }

    @Test func `an own file that was damaged where it is, is found and published anew`() throws {
        var limits = FolderLimits()
        limits.auditBytes = 1 << 20
        var folder = WatchedFolder(a, medium, limits: limits)
        folder.run(10)
        let path = try #require(medium.files.first)
        var bytes = try #require(medium[path])
        bytes[bytes.count / 2] ^= 1
        medium.fill(path, bytes)
        folder.run(700_000)
        #expect(folder.published == 23 && medium[path] == bytes)
        #expect(try sync(b).eventsImported == 31)
    }

    @Test func `payloads that went missing are taken from files that were known`() throws {
        var folder = WatchedFolder(b, medium, memoryFile: file)
        folder.run(100_000)
        _ = folder.watcher.finish(at: folder.now)
        b.lose([3, 4], of: a.log)
        var next = WatchedFolder(b, medium, memoryFile: file)
        next.run(10)
        let tip = try #require(try b.tips().first { $0.log == a.log })
        #expect(try b.missingPayloads(of: tip).isEmpty)
        // A file that cannot give more is not read over and over.
        b.lose([3], of: a.log)
        #expect(reads { next.run(100_000) } == 0)
    }
}

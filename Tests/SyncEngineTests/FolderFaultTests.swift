import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct FolderFaultTests {
    let folder: TemporaryFolder
    let a: FakeLedger
    let b: FakeLedger

    init() throws {
        folder = try TemporaryFolder()
        (a, b) = try SessionTests.pair(20, 10)
        try DropFolder(folder.path, log: b).sync()
    }

    static let failures: [(String, Int, Int32, SyncError.Code)] = [
        ("mkdir", 1, EROFS, .notPossible), ("mkdir", 2, EACCES, .notPossible),
        ("create", 1, EROFS, .notPossible), ("create", 1, ENOSPC, .noSpace),
        ("write", 1, ENOSPC, .noSpace), ("write", 3, ENOSPC, .noSpace), ("write", 2, EIO, .io),
        ("fsync", 1, EIO, .io), ("close", 1, EDQUOT, .noSpace), ("rename", 1, EIO, .io),
        ("rename", 1, EXDEV, .io), ("fsync directory", 1, EIO, .io),
        ("fsync directory", 2, EIO, .io), ("fsync directory", 3, EIO, .io),
    ]

    @Test(arguments: failures)
    func `a failure while publishing leaves nothing that counts, and import works`(
        call: String, uses: Int, code: Int32, expected: SyncError.Code
    ) throws {
        let system = FaultyFileSystem {
            ($0.call, $0.uses, $0.code, $0.writeMax) = (call, uses, code, 100)
        }
        let before = try folder.files()
        let report = try DropFolder(folder.path, log: a, fileSystem: system).sync()
        #expect(report.publishFailure?.code == expected)
        #expect(report.eventsPublished == 0 && report.eventsImported == 11)
        #expect(try folder.files() == before)
        let next = try DropFolder(folder.path, log: a).sync()
        #expect(next.publishFailure == nil && next.eventsPublished == 21)
    }

    @Test func `short writes are finished, writes of nothing are given up`() throws {
        let slow = FaultyFileSystem { $0.writeMax = 7 }
        #expect(
            try DropFolder(folder.path, log: a, fileSystem: slow).sync().eventsPublished == 21)
        let stuck = FaultyFileSystem { $0.writeMax = 0 }
        try a.append(1)
        let report = try DropFolder(folder.path, log: a, fileSystem: stuck).sync()
        #expect(report.publishFailure?.code == .io)
    }

    @Test func `a file that reads back differently does not count as published`() throws {
        let system = FaultyFileSystem { $0.damagesReads = true }
        let report = try DropFolder(folder.path, log: a, fileSystem: system).sync()
        #expect(report.publishFailure?.code == .io && report.segmentsPublished == 0)
    }

    @Test func `a segment is written, flushed, named, and its directory flushed, in that order`()
        throws
    {
        let system = FaultyFileSystem()
        try DropFolder(folder.path, log: a, fileSystem: system).sync()
        let trace = system.faults.withLock { $0.trace }
        let start = try #require(trace.firstIndex(of: "create"))
        #expect(
            Array(trace[start...]) == [
                "create", "write", "fsync", "close", "rename", "fsync directory", "read",
            ])
    }

    @Test func `a leftover of a crash is neither trusted as published nor touched`() throws {
        try DropFolder(folder.path, log: a).sync()
        let own = try #require(
            try folder.files().first { $0.contains(a.replica?.description ?? "none") })
        let directory = own.dropLast(own.lastComponent.count)
        try folder.rename(own, to: "\(directory).cl-tmp-abc")
        let report = try DropFolder(folder.path, log: a).sync()
        #expect(report.eventsPublished == 21)
        #expect(try folder.files().contains("\(directory).cl-tmp-abc"))
    }

    @Test func `a folder that ignores case is used like any other`() throws {
        let system = FaultyFileSystem { $0.listsUpperCase = true }
        let first = try DropFolder(folder.path, log: a, fileSystem: system).sync()
        #expect((first.eventsImported, first.eventsPublished) == (11, 21))
        let second = try DropFolder(folder.path, log: a, fileSystem: system).sync()
        #expect(second.segmentsPublished == 0 && second.isComplete)
    }
}

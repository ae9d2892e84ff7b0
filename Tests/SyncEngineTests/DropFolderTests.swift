import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct DropFolderTests {
    let folder: TemporaryFolder
    let a: FakeLedger
    let b: FakeLedger

    init() throws {
        folder = try TemporaryFolder()
        (a, b) = try SessionTests.pair(20, 10)
    }

    @discardableResult
    func sync(
        _ ledger: FakeLedger, _ publishing: DropFolder.Publishing = .ownLogs,
        _ system: any FolderFileSystem = PosixFileSystem()
    ) throws -> FolderReport {
        try DropFolder(folder.path, log: ledger, publishing: publishing, fileSystem: system).sync()
    }

    @Test(arguments: [[0, 1, 0], [1, 0, 1], [0, 1, 0, 1, 0]])
    func `two replicas converge whoever comes first`(order: [Int]) throws {
        for turn in order { try sync(turn == 0 ? a : b) }
        #expect(try a.tips() == b.tips())
        #expect(try a.stateDigest() == b.stateDigest())
    }

    @Test func `the report says what went in and out`() throws {
        let first = try sync(a)
        #expect(
            (first.segmentsPublished, first.eventsPublished, first.eventsImported) == (1, 21, 0))
        let second = try sync(b)
        #expect((second.eventsPublished, second.eventsImported) == (11, 21))
        #expect((second.segmentsRead, second.segmentsImported) == (1, 1))
        #expect(second.isComplete && second.transfers.map(\.log) == [a.log])
        let third = try sync(b)
        #expect((third.segmentsPublished, third.segmentsImported, third.segmentsRead) == (0, 0, 2))
    }

    @Test func `a replica writes new files into its own directory only`() throws {
        try sync(a)
        try sync(b)
        let before = try folder.files().map { ($0, try folder.read($0)) }
        try a.append(5)
        try sync(a)
        for (file, bytes) in before { #expect(try folder.read(file) == bytes) }
        let own = "\(folder.path)/cl-\(a.id)/r-\(try #require(a.replica))/"
        let new = try folder.files().filter { file in !before.contains { $0.0 == file } }
        #expect(new.count == 1 && new.allSatisfy { $0.hasPrefix(own) })
        let names = try folder.files().flatMap { $0.dropFirst(folder.path.count).utf8 }
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-./".utf8)
        #expect(Set(names).isSubset(of: allowed))
    }

    @Test func `what is published already is read from the folder, not remembered`() throws {
        try sync(a)
        #expect(try sync(a).segmentsPublished == 0)
        for file in try folder.files() { try folder.remove(file) }
        #expect(try sync(a).eventsPublished == 21)
    }

    @Test func `a lost segment in the middle is published anew and the later ones wait for it`()
        throws
    {
        for _ in 0..<3 {
            try a.append(4)
            try sync(a)
        }
        let files = try folder.files()
        let middle = try #require(files.first { $0.contains("-25-4-") })
        try folder.remove(middle)
        let report = try sync(b)
        #expect(report.setAside.map(\.reason.code) == [.waiting])
        #expect(report.eventsImported == 25 && !report.isComplete)
        #expect(try sync(a).eventsPublished == 4)
        #expect(try sync(b).isComplete)
        #expect(try a.tips().allSatisfy { try b.holds($0) })
    }

    @Test func `a damaged own segment is published anew under another name`() throws {
        try sync(a)
        let file = try #require(try folder.files().first)
        var bytes = try folder.read(file)
        bytes[bytes.count / 2] ^= 1
        try folder.write(bytes, to: file)
        let report = try sync(a)
        #expect(report.segmentsPublished == 1 && report.setAside.map(\.reason.code) == [.malformed])
        #expect(try folder.read(file) == bytes)
        #expect(try sync(b).eventsImported == 21)
    }

    @Test func `anyone may carry anyone's segments`() throws {
        let c = try FakeLedger(seed: 33)
        try merge(a, b)
        try sync(b, .allLogs)
        try sync(c)
        #expect(try c.tips().count == 3)
        #expect(try sync(a).eventsPublished == 21)
        #expect(try sync(b, .nothing).segmentsPublished == 0)
    }

    @Test func `clones that share a directory both get through and the fork is seen`() throws {
        let (left, right) = try SessionForkTests.clones(shared: 60, left: 7, right: 9)
        try sync(left)
        try sync(right)
        try sync(left)
        try sync(right)
        #expect(try left.tips() == right.tips() && left.tips().count == 2)
        let report = try sync(b)
        #expect(report.forks == [left.log])
        #expect(try sync(left).segmentsPublished == 0)
    }

    @Test func `missing payloads come in by a folder`() throws {
        try sync(a)
        try sync(b)
        b.lose([3, 4], of: a.log)
        let report = try sync(b)
        #expect(report.transfers.map(\.payloadsReceived) == [2] && report.eventsImported == 0)
        #expect(try sync(b).segmentsImported == 0)
    }

    @Test func `a large log is split and comes through whole`() throws {
        for _ in 0..<9 {
            try a.append(16, payloadLength: 65_536)
            try a.sign()
        }
        let report = try sync(a)
        #expect(report.segmentsPublished > 1)
        #expect(try sync(b).eventsImported == 165)
    }

    @Test func `what a file holds cannot be read without the key`() throws {
        let canary = Array("canary-of-a-person".utf8)
        let (system, content) = (FaultyFileSystem(), canary + canary)
        try sync(a, .ownLogs, system)
        let tip = try #require(try a.tips().first)
        let key = try Sealing.fileKey([1, 2], salt: [3])
        var (one, two): ([UInt8], [UInt8]) = ([], [])
        try Sealing.seal(content, key: key, prologue: [], to: &one)
        let other = try Sealing.fileKey([1, 2], salt: [4])
        try Sealing.seal(content, key: other, prologue: [], to: &two)
        #expect(one != two && one.firstRange(of: canary) == nil)
        for event in try a.intervals(of: tip, from: 0, bytesMax: .max).flatMap(\.events) {
            let payload = try #require(event.body).payload
            for file in try folder.files() {
                #expect(try folder.read(file).firstRange(of: payload) == nil)
            }
        }
    }

    @Test func `two files never share a salt`() throws {
        var salts: Set<[UInt8]> = []
        for _ in 0..<5 {
            try a.append(1)
            try sync(a)
        }
        for file in try folder.files() { salts.insert(try SegmentPrologue(folder.read(file)).salt) }
        #expect(salts.count == 5)
    }

    @Test func `a folder that is not there is an error, an empty one is not`() throws {
        #expect(throws: SyncError(.notFound, "")) {
            try DropFolder("\(folder.path)/nowhere", log: a).sync()
        }
        #expect(try sync(b, .nothing).isComplete)
    }
}

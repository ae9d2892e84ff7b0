import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

/// What synchronised folders, sticks and strangers do to a file.
enum Phenomenon: String, CaseIterable, Sendable {
    case empty, cutInPrologue, cutInContent, cutAtChunkEdge, cutInTrailer, lastByteMissing
    case grown, flippedPrologue, flippedContent, flippedTrailer
    case chunkDroppedByInsider, chunksSwappedByInsider, lastChunkFlagLost, prologueChangedByInsider
    case otherLedger, otherKey, otherGeneration, newerFormat, hugeClaim, text, placeholder

    var code: SyncError.Code {
        switch self {
        case .empty, .cutInPrologue, .cutInContent, .cutAtChunkEdge, .cutInTrailer,
            .lastByteMissing,
            .hugeClaim:
            .incomplete
        case .grown, .flippedContent, .flippedTrailer: .malformed
        case .chunkDroppedByInsider, .chunksSwappedByInsider, .lastChunkFlagLost, .otherKey,
            .otherGeneration, .prologueChangedByInsider:
            .otherKey
        case .flippedPrologue, .text: .notASegment
        case .otherLedger: .foreignLedger
        case .newerFormat: .version
        case .placeholder: .placeholder
        }
    }

    static let chunk = Sealing.chunkLength + Sealing.tagLength

    func apply(_ file: [UInt8]) throws -> [UInt8] {
        var bytes = file
        let start = SegmentPrologue.length
        var prologue = try SegmentPrologue(file)
        func withTrailer(_ bytes: some Collection<UInt8>) throws -> [UInt8] {
            var file = Array(bytes)
            try SegmentTrailer.append(to: &file)
            return file
        }
        func with(_ prologue: SegmentPrologue, _ sealed: [UInt8]) throws -> [UInt8] {
            try withTrailer(prologue.encoded + sealed)
        }
        let sealed = Array(file[start..<(file.count - SegmentTrailer.length)])
        switch self {
        case .empty: return []
        case .cutInPrologue: return Array(file.prefix(100))
        case .cutInContent: return Array(file.prefix(start + 1000))
        case .cutAtChunkEdge: return Array(file.prefix(start + Self.chunk))
        case .cutInTrailer: return Array(file.dropLast(20))
        case .lastByteMissing: return Array(file.dropLast())
        case .grown: return file + [0]
        case .flippedPrologue: bytes[2] ^= 1
        case .flippedContent: bytes[start + 70_000] ^= 1
        case .flippedTrailer: bytes[file.count - 1] ^= 1
        case .chunkDroppedByInsider:
            prologue.contentLength -= UInt64(Sealing.chunkLength)
            return try with(prologue, Array(sealed.dropFirst(Self.chunk)))
        case .chunksSwappedByInsider:
            bytes = Array(sealed[Self.chunk..<(2 * Self.chunk)])
            bytes += sealed[..<Self.chunk]
            bytes += sealed[(2 * Self.chunk)...]
            return try with(prologue, bytes)
        case .lastChunkFlagLost:
            prologue.contentLength = UInt64(Sealing.chunkLength)
            return try with(prologue, Array(sealed.prefix(Self.chunk)))
        case .prologueChangedByInsider:
            prologue.root = .zero
            return try with(prologue, sealed)
        case .otherLedger:
            prologue.ledger = LedgerID(raw: Bytes16(a: 77, b: 7))
            return try with(prologue, sealed)
        case .otherKey:
            prologue.salt[0] ^= 1
            return try with(prologue, sealed)
        case .otherGeneration:
            prologue.keyGeneration = 9
            return try with(prologue, sealed)
        case .newerFormat: bytes[7] = UInt8(SegmentPrologue.version) + 1
        case .hugeClaim:
            prologue.contentLength = UInt64(SegmentFormat.contentLengthMax)
            return try with(prologue, sealed)
        case .text: return Array("A note somebody left in the folder.\n".utf8)
        case .placeholder: return Array("bplist00".utf8)
        }
        return bytes
    }
}

@Suite struct FolderPhenomenaTests {
    let folder: TemporaryFolder
    let (a, b, reader): (FakeLedger, FakeLedger, FakeLedger)
    /// A's segment, of several chunks.
    let file: String

    init() throws {
        folder = try TemporaryFolder()
        (a, b, reader) = (
            try FakeLedger(seed: 1), try FakeLedger(seed: 2), try FakeLedger(seed: 3)
        )
        try a.append(5, payloadLength: 60_000)
        try b.append(4)
        try DropFolder(folder.path, log: a).sync()
        file = try #require(try folder.files().first)
        try DropFolder(folder.path, log: b).sync()
    }

    func read(_ system: any FolderFileSystem = PosixFileSystem()) throws -> FolderReport {
        try DropFolder(folder.path, log: reader, publishing: .nothing, fileSystem: system).sync()
    }

    @Test(arguments: Phenomenon.allCases)
    func `a bad file is named, harmless and left as it is`(phenomenon: Phenomenon) throws {
        let whole = try folder.read(file)
        let bad = try phenomenon.apply(whole)
        var path = file
        if phenomenon == .placeholder {
            try folder.remove(file)
            path = "\(folder.path)/.\(file.lastComponent).icloud"
        }
        try folder.write(bad, to: path)
        let report = try read()
        #expect(report.setAside.map(\.reason.code) == [phenomenon.code])
        #expect(report.setAside.first?.file == path.lastComponent)
        #expect(report.eventsImported == 5)
        let missing = a.log
        #expect(try reader.tips().allSatisfy { $0.log != missing })
        #expect(try folder.read(path) == bad)
        // Once the whole file is there, it is taken.
        try folder.remove(path)
        try folder.write(whole, to: file)
        #expect(try read().eventsImported == 6)
    }

    @Test func `a file that grows is taken once it is whole`() throws {
        let whole = try folder.read(file)
        for length in [1, 6, 7, 135, 152, 153, 65_000, 131_304, whole.count - 41, whole.count - 1] {
            try folder.write(whole.prefix(length), to: file)
            #expect(try read().setAside.map(\.reason.code) == [.incomplete], "\(length) bytes")
        }
        try folder.write(whole, to: file)
        #expect(try read().eventsImported == 6)
    }

    @Test(arguments: [
        "x (PC's conflicted copy 2020-01-14).cls", "x.sync-conflict-20171022-223816-Q5T2JT6.cls",
        "x (1).cls", "X-HOST.CLS", "no suffix at all", "._x", "x.tmp",
    ])
    func `a renamed, doubled or misplaced file is judged by its content`(name: String) throws {
        let whole = try folder.read(file)
        let directory = try folder.makeDirectory("somewhere else 2")
        try folder.write(whole, to: "\(directory)/\(name)")
        try folder.write(whole, to: "\(directory)/twice")
        try folder.remove(file)
        let report = try read()
        #expect(report.eventsImported == 5 + 6 && report.setAside.isEmpty)
        #expect(report.segmentsRead == 3)
        #expect(try read().eventsImported == 0)
    }

    @Test func `pipes, links and deep directories are left alone`() throws {
        folder.makePipe("pipe")
        folder.makeLink("loop", to: folder.path)
        folder.makeLink("link", to: file)
        var deep = "deep"
        for _ in 0..<12 {
            _ = try folder.makeDirectory(deep)
            deep += "/deep"
        }
        let report = try read()
        #expect(report.eventsImported == 11)
        #expect(Set(report.setAside.compactMap(\.file)) == ["pipe", "loop", "link", "deep"])
        let other = report.setAside.filter { $0.file != "deep" }
        #expect(other.allSatisfy { $0.reason.code == .notASegment })
    }

    @Test func `an unreadable file or directory does not stop the others`() throws {
        // The first read is of one file's prologue.
        let system = FaultyFileSystem {
            $0.call = "read"
            $0.code = 13
        }
        #expect(try read(system).setAside.allSatisfy { $0.reason.code == .unreadable })
        let listing = FaultyFileSystem {
            ($0.call, $0.uses, $0.code) = ("list", 3, 5)
        }
        let report = try read(listing)
        #expect(report.setAside.contains { $0.reason.code == .unreadable })
        #expect(try read().eventsImported + report.eventsImported == 11)
    }

    @Test func `a folder with too many entries is read up to the limit and says so`() throws {
        var limits = FolderLimits()
        limits.entriesMax = 3
        let report = try DropFolder(
            folder.path, log: reader, publishing: .nothing, limits: limits
        ).sync()
        #expect(report.setAside.map(\.reason.code) == [.limit])
        limits.entriesMax = 100
        limits.bytesMax = 10_000
        let second = try DropFolder(
            folder.path, log: reader, publishing: .nothing, limits: limits
        ).sync()
        #expect(second.setAside.map(\.reason.code) == [.limit])
        #expect(try read().isComplete)
    }

    @Test func `names are shown without control characters`() throws {
        try folder.write([1], to: "\(folder.path)/bad\u{1B}[2Jname\n")
        let name = try #require(try read().setAside.first?.file)
        #expect(name.unicodeScalars.allSatisfy { $0.value >= 32 })
    }

    @Test func `a full ledger takes nothing and the next sync goes on`() throws {
        reader.state.withLock { $0.ingestFailures = [LedgerError(.noSpace, "Full.")] }
        let report = try DropFolder(folder.path, log: reader).sync()
        #expect(report.importFailure?.code == .noSpace && report.eventsImported == 0)
        #expect(report.eventsPublished == 1)
        #expect(try read().eventsImported == 11)
    }
}

import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// After an erasure nothing of the person is left in the own files of a folder.
@Suite struct FolderErasureTests {
    private let test: TestLedger
    private let tablet: TestLedger
    private let folder: TemporaryFolder
    private static let words = "a word that only this person said"

    init() throws {
        test = try TestLedger()
        tablet = try test.joined()
        folder = try TemporaryFolder()
        for ledger in [test.ledger, tablet.ledger] {
            for (person, note) in [("ada", Self.words), ("bob", "something else")] {
                var draft = Draft.allowed(person, resource: "camera", at: phone)
                draft.payload.note = note
                try ledger.append(draft)
            }
        }
    }

    private func drop(_ ledger: Ledger) -> DropFolder {
        DropFolder(
            folder.path, log: ledger,
            memoryFile: FolderMemoryFile(
                path: "\(test.directory.path)/\(ledger.replica?.short ?? "").seen")
        )
    }

    /// What the segments hold once they are opened with the folder's key: the bytes themselves.
    private func openedBytes(of replica: ReplicaID? = nil) throws -> [UInt8] {
        var all: [UInt8] = []
        let key = try test.ledger.newestFolderKey().key
        for path in try folder.files() where path.hasSuffix(".cls") {
            if let replica, !path.contains("/r-\(replica)/") { continue }
            let file = StateFiles.read(path)
            let prologue = try SegmentPrologue(file)
            let sealed = file[SegmentPrologue.length..<(file.count - SegmentTrailer.length)]
            let content = try Sealing.open(
                sealed, key: try Sealing.fileKey(key, salt: prologue.salt),
                prologue: Array(file.prefix(SegmentPrologue.length)))
            // The intervals' contents are packed; both forms are looked at.
            let opened = try #require(content)
            all += opened
            for interval in try SegmentFormat.open(
                file, prologue, host: test.ledger, keys: [key]
            ).all() {
                for event in interval.events { all += (event.body?.payload ?? []) }
            }
        }
        return all
    }

    private func holds(_ text: String, of replica: ReplicaID? = nil) throws -> Bool {
        let bytes = try openedBytes(of: replica)
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains {
            bytes[$0] == wanted[0] && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }

    @Test func `each replica writes its own files anew, and the old ones are gone`() throws {
        for ledger in [test.ledger, tablet.ledger, test.ledger] { try drop(ledger).sync() }
        #expect(try holds("ada") && holds(Self.words) && holds("bob"))
        let before = Set(try folder.files())
        try test.ledger.erase("ada")
        let report = try drop(test.ledger).sync()
        #expect(report.segmentsRemoved == 1 && report.isComplete)
        #expect(try !holds("ada", of: test.ledger.replica))
        #expect(try !holds(Self.words, of: test.ledger.replica))
        #expect(try holds("bob", of: test.ledger.replica))
        // The other one hears of it, and does the same in its own directory in the same sync.
        #expect(try holds("ada", of: tablet.ledger.replica))
        #expect(try drop(tablet.ledger).sync().segmentsRemoved == 1)
        #expect(try !holds("ada") && !holds(Self.words))
        #expect(before.intersection(try folder.files().filter { $0.hasSuffix(".cls") }).isEmpty)
        // Nothing more to do; a third replica still gets everything that is left.
        #expect(try drop(test.ledger).sync().segmentsRemoved == 0)
        let third = try test.joined()
        for ledger in [test.ledger, third.ledger, test.ledger] { try drop(ledger).sync() }
        try drop(tablet.ledger).sync()
        try drop(third.ledger).sync()
        #expect(
            try third.ledger.status(StatusQuery("bob", resource: "camera", at: phone)).status
                == .authorized)
        #expect(try third.ledger.verify().findings == [])
    }

    @Test func `a watched folder is cleaned as well, and a folder that fails is tried again`()
        throws
    {
        var watcher = FolderWatcher(drop(test.ledger), timing: FolderTiming())
        _ = watcher.tick(at: 0)
        #expect(try holds("ada"))
        try test.ledger.erase("ada")
        _ = watcher.tick(at: 40_000)
        #expect(try !holds("ada", of: test.ledger.replica))
        // A memory of its own: everything is looked through once more, and nothing changes.
        let files = try folder.files()
        #expect(try DropFolder(folder.path, log: test.ledger).sync().segmentsRemoved == 0)
        #expect(try folder.files() == files)
    }

    @Test(arguments: [false, true])
    func `a watched folder is cleaned with the next look at the ledger`(byOther: Bool) throws {
        let timing = FolderTiming()
        var watcher = FolderWatcher(drop(test.ledger), timing: timing)
        _ = watcher.tick(at: 0)
        #expect(try holds("ada"))
        if byOther {
            let other = try Ledger(openAt: test.path, environment: test.clock.environment)
            try other.erase("ada")
            try other.close()
        } else {
            try test.ledger.erase("ada")
        }
        let step = watcher.tick(at: timing.poll)
        #expect(step.report?.segmentsRemoved == 1)
        #expect(try !holds("ada", of: test.ledger.replica))
        // Once it is done nothing but the usual scan is due.
        try test.ledger.append(.allowed("bob", resource: "microphone", at: phone))
        #expect(watcher.tick(at: 2 * timing.poll).report == nil)
    }

    @Test func `members who wrote nothing here are outstanding too`() throws {
        let silent = try #require(try test.joined().ledger.replica)
        let erasure = try test.ledger.erase("ada")
        #expect(erasure.outstanding.contains(silent))
        #expect(erasure.outstanding.contains(try #require(tablet.ledger.replica)))
        #expect(!erasure.outstanding.contains(try #require(test.ledger.replica)))
        let key = try #require(test.recoveryKey)
        try test.ledger.admit(silent, name: "silent", with: key)
        let after = try #require(try test.ledger.erasure(of: "ada"))
        #expect(after.outstanding.count == 2)
    }
}

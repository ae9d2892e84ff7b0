import Ledger
import SyncEngine
import Synchronization
import TestSupport
import Testing

/// Watching and tending a drop folder; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfFolders {
    private let shared: TemporaryFolder
    private let tablet: TestLedger
    private let ledger: Ledger
    private let first: TestLedger
    private var folder: String { shared.path }

    init() throws {
        shared = try TemporaryFolder()
        first = try TestLedger()
        ledger = first.ledger
        tablet = try first.joined()
        try ledger.append(.allowed("me", resource: "camera", at: phone))
    }

    @Test func `a watcher is ticked and says what it did`() throws {
        try DropFolder(folder, of: tablet.ledger).sync()
        try shared.write(Array("shopping list".utf8), to: folder + "/a.txt")
        let now: Int64 = 0
        var events = 0
        var log: [String] = []
        var watcher = FolderWatcher(DropFolder(folder, of: ledger))
        let step: FolderStep = watcher.tick(at: now)
        if let report = step.report { events += report.eventsImported }
        for notice: FolderNotice in step.notices { log.append("\(notice)") }
        let kinds: [FolderNotice.Kind] = step.notices.map(\.kind)
        #expect(events == 1 && step.nextTick > now && kinds == [.setAside])
        #expect(log.first?.hasPrefix("set aside: a.txt: notASegment") ?? false)
    }

    /// Steps from the loop's thread.
    private final class Steps: Sendable {
        private let published = Mutex(0)
        func add(_ step: FolderStep) {
            published.withLock { $0 += step.report?.eventsPublished ?? 0 }
        }
        var count: Int { published.withLock { $0 } }
    }

    @Test func `a loop keeps a folder in step on a thread of its own`() throws {
        let steps = Steps()
        let watcher = FolderWatcher(DropFolder(folder, of: ledger))
        let loop = try FolderLoop(watcher) { step in steps.add(step) }
        let running = Worker { loop.run() }
        loop.stop()
        _ = try running.join()
        #expect(steps.count == 3)
    }

    @Test func `what lies in a folder can be seen`() throws {
        try DropFolder(folder, of: ledger).sync()
        var lines: [String] = []
        let found: FolderStatus = try DropFolder(folder, of: ledger).status()
        for log in found.published { lines.append("\(log.log.short): \(log.reach) events") }
        let foreign: [FolderStatus.Foreign] = found.foreign
        let own: FolderStatus.Published = try #require(found.published.first)
        #expect(lines.count == 1 && foreign.isEmpty && own.isOwn && own.held == 3)
    }

    @Test func `cleaning can be rehearsed`() throws {
        try DropFolder(folder, of: ledger).sync()
        let directory = try #require(try shared.files().first).split(separator: "/").dropLast()
        let leftover = "/" + directory.joined(separator: "/") + "/.cl-tmp-abc"
        try shared.write([1, 2], to: leftover)
        let cleaning: FolderCleaning = try DropFolder(folder, of: ledger).clean(isRehearsal: true)
        let names = cleaning.items.filter(\.isRemoved).map(\.file)
        let item: FolderCleaning.Item = try #require(cleaning.items.first)
        let kind: FolderCleaning.Item.Kind = item.kind
        #expect(names == [".cl-tmp-abc"] && kind == .unfinished)
        #expect(try shared.files().contains(leftover))
    }
}

internal import Ledger

/// Keeps a drop folder and a ledger in step for as long as it is ticked.
///
/// A value without a thread or a timer of its own: whoever owns it calls ``tick(at:)`` when it asked
/// for that, and earlier after ``folderChanged()``. It scans the whole folder on an interval whether
/// or not anybody tells it of changes, and goes by no file's time. Own events are published 1 second
/// after the last of them, at once when 1 MiB of them waits, and at the latest after 30 seconds.
/// A folder that goes away is looked for again; one that cannot be written is still read.
///
/// ```swift
/// var watcher = FolderWatcher(DropFolder(folder, of: ledger))
/// let step: FolderStep = watcher.tick(at: now)
/// ```
///
/// ``FolderLoop`` runs one on a thread.
public struct FolderWatcher: Sendable {
    let folder: DropFolder
    let timing: FolderTiming
    private var memory: FolderMemory?
    private var teller = FolderTeller()

    private var nextScan = Int64.min
    private var isAsked = false
    /// Something was erased that may still lie in the own directory.
    private var hasErased = false
    private var erasuresSeen: Int64?
    private var hintedAt: Int64?
    private var scannedAt: Int64?
    private var auditedAt: Int64?
    private var savedAt = Int64.min
    private var awayCount = 0

    /// Where the ledger ended when it was last asked.
    private var position: Int64?
    /// Where it ended when all before was published.
    private var publishedPosition: Int64 = 0
    private var changedAt: Int64 = 0
    /// Since when something waits to be published.
    private var pendingSince: Int64?
    private var publishFailures = 0
    private var publishRetryAt = Int64.min

    /// Makes a watcher; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - folder: the folder, the ledger, and whose events are published.
    ///   - scanSeconds: how long from one full scan to the next at most; at least 1.
    public init(_ folder: DropFolder, scanSeconds: Int = 30) {
        var timing = FolderTiming()
        timing.scan = Int64(max(1, min(scanSeconds, 86_400))) * 1000
        self.init(folder, timing: timing)
    }

    package init(_ folder: DropFolder, timing: FolderTiming) {
        self.folder = folder
        self.timing = timing
    }

    /// Says that something in the folder may have changed; it is looked at soon.
    public mutating func folderChanged() { hintedAt = hintedAt ?? .max }

    /// Has the whole folder scanned, and what waits published, with the next tick.
    public mutating func askForScan() { isAsked = true }

    /// Does what is due: scan, take in, publish, merge small own files.
    ///
    /// Blocks as long as the folder and the ledger take: call it from a thread that may.
    ///
    /// - Parameter now: milliseconds on a clock that runs on, from any beginning.
    /// - Returns: what was done, what is new to say, and when to call again.
    public mutating func tick(at now: Int64) -> FolderStep {
        var step = FolderStep()
        if memory == nil { memory = folder.memoryFile?.load(of: folder.log) ?? FolderMemory() }
        if hintedAt == .max { hintedAt = now + timing.settle }
        observeLedger(at: now)
        if isAsked || now >= nextScan || isHintDue(now) {
            step.isAnswer = isAsked
            isAsked = false
            run(.everything, at: now, &step)
        } else if hasErased, awayCount == 0 {
            run(.everything, at: now, &step)
        } else if isPublishingDue(now) {
            // Who carries others' logs has to know what lies everywhere.
            run(folder.publishing == .allLogs ? .everything : .ownDirectory, at: now, &step)
        }
        if now >= savedAt + timing.save { save(at: now) }
        step.nextTick = nextTick(after: now)
        return step
    }

    /// Publishes what waits and writes down what is known; call it before the process ends.
    ///
    /// - Parameter now: as for ``tick(at:)``.
    /// - Returns: what was done.
    public mutating func finish(at now: Int64) -> FolderStep {
        var step = FolderStep()
        if memory != nil {
            observeLedger(at: now)
            if pendingSince != nil, awayCount == 0 { run(.ownDirectory, at: now, &step) }
            save(at: now)
        }
        step.nextTick = .max
        return step
    }

    /// The directories whose changes are worth a scan: all that the last one found but the own.
    package var directoriesToWatch: [String] {
        let own = folder.ownKey
        let found = (memory?.directories ?? []).filter { $0.lowercased() != own }
        return [folder.path] + found.prefix(FolderTiming.watchesMax).map(folder.place)
    }

    // MARK: When

    private mutating func observeLedger(at now: Int64) {
        guard folder.publishing != .nothing, folder.log.replica != nil,
            let last = try? folder.log.lastPosition(), last != position
        else { return }
        if position != nil {
            changedAt = now
            pendingSince = pendingSince ?? now
            // What could not be cleaned then is tried again with each scan, not with each event.
            if let mark = try? folder.log.erasureMark(), mark != erasuresSeen {
                erasuresSeen = mark
                hasErased = mark != memory?.erasuresDone
            }
        }
        position = last
    }

    private func isHintDue(_ now: Int64) -> Bool {
        guard let hintedAt, awayCount == 0 || now >= nextScan else { return false }
        return now >= max(hintedAt, (scannedAt ?? .min) &+ timing.scanGap)
    }

    private func isPublishingDue(_ now: Int64) -> Bool {
        guard let since = pendingSince, awayCount == 0, now >= publishRetryAt else { return false }
        if now - changedAt >= timing.quiet || now - since >= timing.publishWaitMax { return true }
        let waiting = (try? folder.log.storedBytes(after: publishedPosition)) ?? 0
        return waiting >= SegmentFormat.contentLengthTarget
    }

    private func nextTick(after now: Int64) -> Int64 {
        var next = nextScan
        if folder.publishing != .nothing { next = min(next, now + timing.poll) }
        if let hintedAt, awayCount == 0 {
            next = min(next, max(hintedAt, (scannedAt ?? now) + timing.scanGap))
        }
        return max(next, now + 1)
    }

    // MARK: Doing

    private mutating func run(_ scope: FolderPass.Scope, at now: Int64, _ step: inout FolderStep) {
        var known = memory ?? FolderMemory()
        let isAudit = scope == .everything && now - (auditedAt ?? now) >= timing.audit
        let end = position
        do throws(SyncError) {
            let report = try folder.pass(
                &known, at: now, scope, auditBytes: isAudit ? folder.limits.auditBytes : 0,
                makesAnew: false)
            awayCount = 0
            notePublishing(report, end, at: now)
            teller.tell(of: report, at: now, isWhole: scope == .everything, &step.notices)
            step.report = report
        } catch {
            awayCount += 1
            nextScan = now + min(timing.scan, timing.retryFirst << Int64(min(awayCount, 16)))
            teller.tell(away: error, &step.notices)
        }
        memory = known
        if scope == .everything || awayCount > 0 {
            hintedAt = nil
            hasErased = false
            scannedAt = now
            if awayCount == 0 { nextScan = now + timing.scan }
            if isAudit || auditedAt == nil { auditedAt = now }
        }
    }

    private mutating func notePublishing(_ report: FolderReport, _ end: Int64?, at now: Int64) {
        if report.publishFailure == nil {
            pendingSince = nil
            publishedPosition = end ?? 0
            (publishFailures, publishRetryAt) = (0, .min)
        } else {
            publishRetryAt =
                now + min(timing.retryMax, timing.retryFirst << Int64(min(publishFailures, 16)))
            publishFailures += 1
            pendingSince = pendingSince ?? now
        }
    }

    private mutating func save(at now: Int64) {
        savedAt = now
        guard let file = folder.memoryFile, memory != nil else { return }
        memory = memory.map { (known) in
            var known = known
            file.save(&known, of: folder.log)
            return known
        }
    }
}

/// How often a watcher looks, in milliseconds.
package struct FolderTiming: Sendable {
    package var scan: Int64 = 30_000
    /// Between two scans, however often the folder changes.
    package var scanGap: Int64 = 1000
    /// From a change to the scan: one file is many changes.
    package var settle: Int64 = 200
    /// Between two looks at the ledger.
    package var poll: Int64 = 500
    package var quiet: Int64 = 1000
    package var publishWaitMax: Int64 = 30_000
    package var retryFirst: Int64 = 1000
    package var retryMax: Int64 = 600_000
    /// Between two passes that read own files again.
    package var audit: Int64 = 600_000
    /// Between two times of writing down what is known.
    package var save: Int64 = 60_000
    package static let watchesMax = 1024

    package init() {}
}

public import Ledger

/// What one pass over a drop folder did.
///
/// ```swift
/// var lines = ["\(report.eventsImported) in, \(report.eventsPublished) out"]
/// for item in report.setAside { lines.append("\(item)") }
/// if let failure = report.publishFailure { lines.append("read only: \(failure.message)") }
/// ```
public struct FolderReport: Sendable {
    /// Whole segments of this ledger that were taken, or whose content was here already.
    public internal(set) var segmentsRead = 0
    /// Those of them that brought something new.
    public internal(set) var segmentsImported = 0
    /// Segments that were written, flushed, read back and found whole.
    public internal(set) var segmentsPublished = 0
    /// Events in them.
    public internal(set) var eventsPublished = 0
    /// Own segments that were written to take the place of several small ones.
    public internal(set) var segmentsCompacted = 0
    /// Own segments that were removed, since others hold all they held.
    public internal(set) var segmentsRemoved = 0
    /// Files that somebody has not finished writing, or never will; they do no harm.
    public internal(set) var unfinishedFiles = 0
    /// Replicas that asked with an invitation of this one, and were admitted.
    public internal(set) var admitted: [ReplicaID] = []
    /// Requests with an invitation of this replica's that is not good any more; they were answered.
    public internal(set) var requestsRefused = 0
    /// Requests to join that wait for another replica; they do no harm.
    public internal(set) var requestsToOthers = 0
    /// Whether this replica waits for its inviter to admit it.
    public internal(set) var isAsking = false
    /// Why the inviter does not admit this replica.
    public internal(set) var joinFailure: SyncError?
    /// Whether what was noted beside the ledger of earlier passes was damaged, so that all files were
    /// read again; nothing is lost by that but time.
    public internal(set) var isMemoryRebuilt = false
    /// Logs of which more than one chain is held here.
    public internal(set) var forks: [LogID] = []
    /// Why nothing more could be taken in, such as a full disk.
    public internal(set) var importFailure: SyncError?
    /// Why not all could be published, such as a folder that is read-only.
    public internal(set) var publishFailure: SyncError?

    var transfersByLog: [LogID: SyncReport.Transfer] = [:]
    var aside = SetAsideList()

    /// Takes note of a file that was left alone.
    mutating func add(_ name: String, _ reason: SyncError, log: LogID? = nil) {
        let unfinished: Set<SyncError.Code> = [.incomplete, .malformed, .notASegment]
        if unfinished.contains(reason.code), FolderName.isTemporary(name) {
            unfinishedFiles += 1
        } else {
            aside.add(SetAside(log: log, file: FolderName.printable(name), reason: reason))
        }
    }

    /// What came in, by log, ascending.
    public var transfers: [SyncReport.Transfer] {
        transfersByLog.values.sorted { $0.log < $1.log }
    }
    /// Events that were new here, over all logs.
    public var eventsImported: Int {
        transfersByLog.values.reduce(0) { $0 + $1.eventsReceived }
    }
    /// Files that were left alone, by name, and why; at most the first 1,000.
    public var setAside: [SetAside] { aside.items }
    /// How many files were left alone.
    public var setAsideCount: Int { aside.count }
    /// Whether all that this ledger's files hold is here, and all that is ours is there.
    ///
    /// Files of other programs and other ledgers do not count. It cannot speak of files that are
    /// still on their way.
    public var isComplete: Bool {
        let harmless: Set<SyncError.Code> = [.notASegment, .foreignLedger]
        let troubled = aside.items.contains { !harmless.contains($0.reason.code) }
        return importFailure == nil && publishFailure == nil && joinFailure == nil && !troubled
            && aside.count == aside.items.count
    }
}

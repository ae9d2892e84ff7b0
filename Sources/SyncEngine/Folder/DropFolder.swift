public import Ledger

/// A folder through which replicas exchange what they hold: a stick, a share, a synchronised
/// directory.
///
/// Each replica writes only into its own directory there, and only new files; it removes none but
/// own ones that others of its own have replaced. What is in the folder is judged by content alone,
/// so copies, cut files and files of other programs do no harm. Content is sealed with the ledger's
/// folder key.
///
/// ```swift
/// let report = try DropFolder(folder, of: ledger).sync()
/// ```
public struct DropFolder: Sendable {
    /// Whose events a replica puts into the folder.
    public enum Publishing: Sendable, Hashable {
        /// Its own logs.
        case ownLogs
        /// All it holds: it carries the logs of replicas that do not reach the folder.
        case allLogs
        /// None: it only reads.
        case nothing
    }

    let path: String
    let log: any ReplicaLog
    let publishing: Publishing
    let fileSystem: any FolderFileSystem
    let random: @Sendable (Int) throws(LedgerError) -> [UInt8]
    /// Unix milliseconds: how long a file that is no longer needed has been there.
    let wallClock: @Sendable () -> Int64
    let limits: FolderLimits
    let compaction: CompactionRules
    /// Where it is remembered which files were taken; nil to read them all each time.
    let memoryFile: FolderMemoryFile?

    /// Names a folder for a ledger; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - path: an existing directory, shared with the other replicas.
    ///   - ledger: what is merged with it.
    ///   - publishing: whose events this replica puts there.
    public init(_ path: String, of ledger: Ledger, publishing: Publishing = .ownLogs) {
        self.init(
            path, log: ledger, publishing: publishing,
            memoryFile: ledger.replica == nil
                ? nil : FolderMemoryFile(beside: ledger.directory, of: path))
    }

    package init(
        _ path: String, log: any ReplicaLog, publishing: Publishing = .ownLogs,
        fileSystem: any FolderFileSystem = PosixFileSystem(),
        random: @escaping @Sendable (Int) throws(LedgerError) -> [UInt8] = Crypto.random,
        wallClock: @escaping @Sendable () -> Int64 = SystemClock.milliseconds,
        limits: FolderLimits = FolderLimits(), compaction: CompactionRules = CompactionRules(),
        memoryFile: FolderMemoryFile? = nil
    ) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.log = log
        self.publishing = publishing
        self.fileSystem = fileSystem
        self.random = random
        self.wallClock = wallClock
        self.limits = limits
        self.compaction = compaction
        self.memoryFile = memoryFile
    }

    /// Takes in what others published, then publishes what the folder lacks.
    ///
    /// Lists the folder, and reads each file that it does not know, or knows to be bad. Which files
    /// were taken is remembered beside the ledger's database. Own files are read to their end, some
    /// of them again at each call, so that one that was damaged is published anew; many small ones
    /// are merged. It blocks as long as the folder takes: call it from a thread that may. A batch of
    /// about 1 MiB that is taken in costs one fsync of the ledger, and each segment that is
    /// published a few of the folder.
    ///
    /// - Returns: what was done, and what was left alone and why.
    /// - Throws: `notFound` or `unreadable` when there is no such folder to read; `ledger` when the
    ///   ledger cannot be read.
    @discardableResult
    public func sync() throws(SyncError) -> FolderReport {
        var memory = memoryFile?.load(of: log) ?? FolderMemory()
        let report = try pass(&memory, auditBytes: limits.auditBytes)
        memoryFile?.save(&memory, of: log)
        return report
    }

    /// Goes through the folder once.
    ///
    /// `memory` is brought up to date whatever happens; refused files are read again by `time`, in
    /// milliseconds of a clock that runs on. With the own directory alone as its scope, a pass only
    /// publishes. `auditBytes` of own files that were whole are read again. `makesAnew` says whether
    /// the ledger's directory is made again where it was before and is not.
    func pass(
        _ memory: inout FolderMemory, at time: Int64 = 0, _ scope: FolderPass.Scope = .everything,
        auditBytes: Int, makesAnew: Bool = true
    ) throws(SyncError) -> FolderReport {
        var pass = FolderPass(
            memory, at: time, scope, auditBytes: auditBytes, bytesMax: limits.bytesMax)
        pass.report.isMemoryRebuilt = pass.memory.wasDamaged
        pass.memory.wasDamaged = false
        if makesAnew { pass.memory.hasSeenLedger = false }
        defer { memory = pass.memory }
        pass.ledger = try LedgerSurvey(log)
        try scan(&pass)
        if publishing != .nothing { verifyOwn(&pass) }
        if scope == .everything {
            correspond(&pass) { (pass) throws(SyncError) in try answerRequests(&pass) }
            try takeIn(&pass)
            correspond(&pass) { (pass) throws(SyncError) in try ask(&pass) }
        }
        try publish(&pass)
        correspond(&pass) { (pass) throws(SyncError) in try publishKeys(&pass) }
        if scope == .everything, try !rewriteErased(&pass) { try compact(&pass) }
        pass.report.forks = LogID.forked(pass.ledger.tips)
        return pass.report
    }

    /// What fails about letters keeps no segment from being taken in or published.
    private func correspond(
        _ pass: inout FolderPass, _ body: (inout FolderPass) throws(SyncError) -> Void
    ) {
        do throws(SyncError) { try body(&pass) } catch {
            pass.report.publishFailure = pass.report.publishFailure ?? error
        }
    }

    /// The one directory this replica writes into, below the folder; nil when it has no key.
    var ownKey: String? {
        log.replica.map {
            "\(FolderName.ledgerDirectory(log.id))/\(FolderName.replicaDirectory($0))"
        }
    }
}

/// How much of a folder is looked at; what lies beyond is reported.
package struct FolderLimits: Sendable {
    package var entriesMax = 100_000
    package var depthMax = 8
    /// How many bytes of segments are read in one pass.
    package var bytesMax = 4 << 30
    /// How many bytes of segments are stored together.
    package var batchLength = 1 << 20
    /// How many bytes of own segments a sync reads again.
    package var auditBytes = 4 << 20

    package init() {}
}

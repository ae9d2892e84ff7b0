public import Ledger

/// A folder through which replicas exchange what they hold: a stick, a share, a synchronised
/// directory.
///
/// Each replica writes only into its own directory there, only new files, and never changes or
/// deletes one. What is in the folder is judged by content alone, so copies, cut files and files of
/// other programs do no harm. Content is sealed with the ledger's folder key.
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
    let limits: FolderLimits

    /// Names a folder for a ledger; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - path: an existing directory, shared with the other replicas.
    ///   - ledger: what is merged with it.
    ///   - publishing: whose events this replica puts there.
    public init(_ path: String, of ledger: Ledger, publishing: Publishing = .ownLogs) {
        self.init(path, log: ledger, publishing: publishing)
    }

    package init(
        _ path: String, log: any ReplicaLog, publishing: Publishing = .ownLogs,
        fileSystem: any FolderFileSystem = PosixFileSystem(),
        random: @escaping @Sendable (Int) throws(LedgerError) -> [UInt8] = Crypto.random,
        limits: FolderLimits = FolderLimits()
    ) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.log = log
        self.publishing = publishing
        self.fileSystem = fileSystem
        self.random = random
        self.limits = limits
    }

    /// Takes in what others published, then publishes what the folder lacks.
    ///
    /// Reads the beginning of every file, the whole of those with news, and the whole of this
    /// replica's own, so that one that was damaged is published anew. It blocks as long as the
    /// folder takes: call it from a thread that may. A batch of about 1 MiB that is taken in costs
    /// one fsync of the ledger, and each segment that is published a few of the folder.
    ///
    /// - Returns: what was done, and what was left alone and why.
    /// - Throws: `notFound` or `unreadable` when there is no such folder to read; `ledger` when the
    ///   ledger cannot be read.
    @discardableResult
    public func sync() throws(SyncError) -> FolderReport {
        var report = FolderReport()
        var files = try scan(&report)
        if publishing != .nothing { files = withoutDamagedOwn(files, &report) }
        try takeIn(files, &report)
        try publish(besides: files, &report)
        report.forks = LogID.forked(try fromLedger { () throws(LedgerError) in try log.tips() })
        return report
    }

    /// Where the replicas of this ledger have their directories.
    var ledgerDirectory: String { "\(path)/cl-\(log.id)" }

    /// The one directory this replica writes into; nil when it has no key.
    var ownDirectory: String? { log.replica.map { "\(ledgerDirectory)/r-\($0)" } }
}

/// How much of a folder is looked at; what lies beyond is reported.
package struct FolderLimits: Sendable {
    package var entriesMax = 100_000
    package var depthMax = 8
    /// How many bytes of segments are read in one pass.
    package var bytesMax = 4 << 30
    /// How many bytes of segments are stored together.
    package var batchLength = 1 << 20

    package init() {}
}

/// A file that begins like a segment of this ledger.
struct FoundSegment: Sendable {
    let path: String
    let name: String
    let prologue: SegmentPrologue
    let length: Int
    /// It lies, under a final name, in this replica's own directory.
    let isOwn: Bool
}

/// Names of files in a drop folder: lower-case letters, digits and `-` alone, so that no system
/// takes two for one or one for two.
enum FolderName {
    static let temporaryPrefix = ".cl-tmp-"

    static func segment(_ prologue: SegmentPrologue, contentHash: some Collection<UInt8>) -> String
    {
        "s-\(prologue.log)-\(prologue.first)-\(prologue.count)-\(Base32.encode(contentHash))"
            + SegmentFormat.suffix
    }

    /// iCloud's stand-in for a file that was not downloaded: `.name.icloud`.
    static func isPlaceholder(_ name: String) -> Bool {
        name.hasPrefix(".") && name.hasSuffix(".icloud")
    }

    /// A name as it may stand in a report: no control characters, not too long.
    static func printable(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(200).map {
            $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
                ? "\u{FFFD}" : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

public import Ledger

/// Something about a watched folder that a person may want to know, said once.
///
/// ```swift
/// for notice: FolderNotice in step.notices { log.append("\(notice)") }
/// ```
public struct FolderNotice: Sendable, Equatable, CustomStringConvertible {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
        /// The folder cannot be read: unplugged, unmounted, or not permitted.
        case away
        /// The folder is there again.
        case back
        /// Nothing can be written there: read-only, or full.
        case publishingFails
        /// It can be written again.
        case publishingWorks
        /// The ledger takes nothing more, such as on a full disk.
        case takingFails
        /// The ledger takes again.
        case takingWorks
        /// A file was left alone.
        case setAside
        /// More than one chain of a log is held: its replica was restored or copied.
        case forked
    }

    /// What it is about.
    public let kind: Kind
    /// Why, where something failed or was left alone.
    public let reason: SyncError?
    /// The file's name, where it is about one.
    public let file: String?
    /// The log, where it is about one.
    public let log: LogID?

    init(_ kind: Kind, _ reason: SyncError? = nil, file: String? = nil, log: LogID? = nil) {
        self.kind = kind
        self.reason = reason
        self.file = file
        self.log = log
    }

    /// One line; no personal data.
    public var description: String {
        let what =
            switch kind {
            case .away: "the folder cannot be read"
            case .back: "the folder is there again"
            case .publishingFails: "nothing is published"
            case .publishingWorks: "publishing works again"
            case .takingFails: "nothing is taken in"
            case .takingWorks: "taking in works again"
            case .setAside: "set aside: \(file ?? "a file")"
            case .forked: "log \(log?.short ?? "") has forked; both branches are kept"
            }
        return reason.map { "\(what): \($0)" } ?? what
    }
}

/// What one call of ``FolderWatcher/tick(at:)`` did.
///
/// ```swift
/// let step: FolderStep = watcher.tick(at: now)
/// if let report = step.report { events += report.eventsImported }
/// ```
public struct FolderStep: Sendable {
    /// What a pass over the folder did; nil when there was nothing to do, or the folder is away.
    public internal(set) var report: FolderReport?
    /// What is new to say.
    public internal(set) var notices: [FolderNotice] = []
    /// Whether this was the whole scan that was asked for; without a report it came to nothing.
    public internal(set) var isAnswer = false
    /// When to call again at the latest, in the milliseconds that were given; a hint may come
    /// earlier.
    public internal(set) var nextTick: Int64 = 0
}

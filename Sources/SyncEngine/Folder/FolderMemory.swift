internal import Ledger

/// What is known of the files in a folder, so that a scan reads only what is new.
///
/// A file is known by its place, its length and the number its file system gives it; a file that
/// differs in any of these is read again. Nothing rests on the memory: a file that was taken can do
/// no harm by changing, one that was refused is read again with a growing distance, an own one now
/// and then, and without a memory everything is read.
package struct FolderMemory: Sendable {
    /// A file by its path below the folder.
    struct File: Sendable {
        let length: Int
        let identity: UInt64
        /// How it begins, if it begins like a segment of this ledger.
        var prologue: SegmentPrologue?
        /// Every event and payload in it is in the ledger.
        var isHere = false
        /// It was read, and all it holds was handed to the ledger.
        var isTaken = false
        /// It was read from its beginning to its end, and its trailer is right.
        var isWhole = false
        /// Since when, by the wall clock, other own files hold all that it holds.
        var supersededSince: Int64?
        /// Why it was left alone the last time it was read.
        var refusal: SyncError?
        var attempts = 0
        /// When it is read again although nothing about it changed.
        var retryAt = Int64.min
        /// What the ledger held when it was refused.
        var ledgerState = 0

        init(length: Int, identity: UInt64) {
            self.length = length
            self.identity = identity
        }

        /// Whether nothing that a listing tells differs.
        func isSame(as entry: FolderEntry) -> Bool {
            length == entry.length && identity == entry.identity
        }
    }

    var files: [String: File] = [:]
    /// The directories that the last scan found, by their paths below the folder.
    var directories: [String] = []
    /// When leftovers of writing were first seen.
    var temporaries: [String: Int64] = [:]
    /// The own file that was read again last.
    var auditedThrough = ""
    /// Whether this ledger's directory was in the folder before.
    var hasSeenLedger = false

    /// The ledger's erasures up to which own files were looked through.
    var erasuresDone: Int64 = 0
    /// Whether what was remembered was damaged, and this began anew; until it was reported.
    var wasDamaged = false
    /// What was saved last.
    var savedFingerprint: Int?

    package init() {}

    private static let retryFirst: Int64 = 1000
    private static let retryMax: Int64 = 10 * 60_000

    /// Takes note that a file was left alone.
    mutating func refuse(_ key: String, _ reason: SyncError, at time: Int64, ledgerState: Int) {
        guard var file = files[key] else { return }
        let wait = min(Self.retryFirst << Int64(min(file.attempts, 20)), Self.retryMax)
        file.attempts += 1
        file.refusal = reason
        // What was passed over for lack of time is no worse for that.
        file.retryAt = reason.code == .limit ? time : time + wait
        file.ledgerState = ledgerState
        files[key] = file
    }

    /// Takes note that all a file holds is in the ledger.
    mutating func settle(_ key: String) {
        files[key]?.isHere = true
        files[key]?.refusal = nil
        files[key]?.attempts = 0
    }
}

extension SyncError {
    /// Whether it may pass once something else has come.
    var mayPass: Bool { code == .waiting || code == .unknownAuthor || code == .otherKey }
}

internal import Ledger

/// One pass over a folder: what is known, what was found, and what came of it.
struct FolderPass {
    enum Scope { case everything, ownDirectory }

    var memory: FolderMemory
    var report = FolderReport()
    /// Milliseconds on any clock that runs on: how long to leave a refused file alone.
    let time: Int64
    let scope: Scope
    /// How many bytes of own files are read again to see that they are still whole.
    let auditBytes: Int
    /// What begins like a segment of this ledger, by log and range.
    var files: [FoundSegment] = []
    /// Own segments that a provider took off this machine: published, though not here.
    var placeholders: [FoundSegment] = []
    /// What lies there besides segments.
    var letters: [FoundLetter] = []
    /// How many files of other ledgers were read.
    var foreign: [LedgerID: Int] = [:]
    var ledger = LedgerSurvey()
    var bytesLeft: Int
    var keys: [UInt64: [[UInt8]]] = [:]
    var hasProgressed = false
    var hasDirectories = false

    init(
        _ memory: FolderMemory, at time: Int64, _ scope: Scope, auditBytes: Int, bytesMax: Int
    ) {
        self.memory = memory
        self.time = time
        self.scope = scope
        self.auditBytes = auditBytes
        bytesLeft = bytesMax
    }

    mutating func setAside(_ file: FoundSegment, _ reason: SyncError) {
        memory.refuse(file.key, reason, at: time, ledgerState: ledger.state)
        report.add(file.name, reason, log: file.prologue.log)
    }

    mutating func setAside(_ letter: FoundLetter, _ reason: SyncError) {
        memory.refuse(letter.key, reason, at: time, ledgerState: ledger.state)
        report.add(letter.name, reason)
    }
}

/// How far the ledger is.
struct LedgerSurvey {
    var tips: [Tip] = []
    /// How far each log is here, counting what is about to be stored.
    var reach: [LogID: UInt64] = [:]
    /// Positions whose payloads are missing here.
    var missing: [LogID: [UInt64]] = [:]

    /// Differs when something came in; within this process.
    var state: Int {
        var hasher = Hasher()
        hasher.combine(tips)
        return hasher.finalize()
    }

    init() {}

    init(_ log: any ReplicaLog) throws(SyncError) {
        tips = try fromLedger { () throws(LedgerError) in try log.tips() }
        for tip in tips {
            reach[tip.log] = max(reach[tip.log] ?? 0, tip.size)
            let missing = try fromLedger { () throws(LedgerError) in
                try log.missingPayloads(of: tip)
            }
            if !missing.isEmpty { self.missing[tip.log, default: []] += missing }
        }
    }

    func isMissing(_ prologue: SegmentPrologue) -> Bool {
        let range = prologue.first..<prologue.end
        return missing[prologue.log]?.contains(where: range.contains) ?? false
    }

    func isForked(_ log: LogID) -> Bool { tips.count { $0.log == log } > 1 }
}

/// A file that begins like a segment of this ledger.
struct FoundSegment: Sendable {
    /// Its path below the folder.
    let key: String
    let path: String
    let name: String
    let prologue: SegmentPrologue
    let length: Int
    /// It lies, under a final name, in this replica's own directory.
    let isOwn: Bool
}

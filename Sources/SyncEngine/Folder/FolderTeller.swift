internal import Ledger

/// Turns what passes report into notices, each said once.
struct FolderTeller: Sendable {
    private var isAway = false
    private var publishFailure: SyncError.Code?
    private var importFailure: SyncError.Code?
    private var forks: Set<LogID> = []
    /// When each thing that was left alone was first seen, and whether it was told.
    private var aside: [String: (since: Int64, isTold: Bool)] = [:]

    /// What is on its way is told only when it stays on its way for so long.
    private static let patience: Int64 = 3_600_000
    private static let passing: Set<SyncError.Code> = [
        .incomplete, .waiting, .placeholder, .notFound,
    ]

    mutating func tell(away reason: SyncError, _ notices: inout [FolderNotice]) {
        guard !isAway else { return }
        isAway = true
        notices.append(FolderNotice(.away, reason))
    }

    /// What a pass found that was not said before; `isWhole` when it looked at the whole folder.
    mutating func tell(
        of report: FolderReport, at now: Int64, isWhole: Bool, _ notices: inout [FolderNotice]
    ) {
        if isAway { notices.append(FolderNotice(.back)) }
        isAway = false
        Self.tell(
            report.publishFailure, &publishFailure, .publishingFails, .publishingWorks, &notices)
        for log in report.forks where forks.insert(log).inserted {
            notices.append(FolderNotice(.forked, log: log))
        }
        guard isWhole else { return }
        Self.tell(report.importFailure, &importFailure, .takingFails, .takingWorks, &notices)
        var seen: [String: (since: Int64, isTold: Bool)] = [:]
        for item in report.setAside {
            let key = "\(item.reason.code) \(item.file ?? "")"
            var known = aside[key] ?? (now, false)
            let isDue =
                !Self.passing.contains(item.reason.code) || now - known.since >= Self.patience
            if !known.isTold, isDue {
                known.isTold = true
                notices.append(
                    FolderNotice(.setAside, item.reason, file: item.file, log: item.log))
            }
            seen[key] = known
        }
        aside = seen
    }

    private static func tell(
        _ failure: SyncError?, _ told: inout SyncError.Code?, _ fails: FolderNotice.Kind,
        _ works: FolderNotice.Kind, _ notices: inout [FolderNotice]
    ) {
        guard failure?.code != told else { return }
        told = failure?.code
        notices.append(failure.map { FolderNotice(fails, $0) } ?? FolderNotice(works))
    }
}

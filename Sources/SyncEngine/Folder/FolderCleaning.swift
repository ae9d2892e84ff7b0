internal import Ledger

/// What was removed from a drop folder, or would be.
///
/// ```swift
/// let cleaning: FolderCleaning = try DropFolder(folder, of: ledger).clean(isRehearsal: true)
/// let names = cleaning.items.filter(\.isRemoved).map(\.file)
/// ```
public struct FolderCleaning: Sendable {
    /// One own file that is of no use.
    public struct Item: Sendable, Hashable {
        /// Why it is of no use.
        public enum Kind: String, Sendable {
            /// It was begun and never finished.
            case unfinished
            /// Other own files hold all that it holds.
            case superseded
        }

        /// The file's name.
        public let file: String
        /// Why it is of no use.
        public let kind: Kind
        /// In bytes.
        public let length: Int
        /// Whether it was removed; in a rehearsal, whether it would be.
        ///
        /// The others stay for those who may have listed them.
        public internal(set) var isRemoved: Bool
        /// From when on it may be removed, Unix milliseconds; nil when it may be now.
        public let dueAt: Int64?
    }

    /// The files, by name.
    public internal(set) var items: [Item] = []
    /// Why not all could be removed, such as a folder that is read-only.
    public internal(set) var failure: SyncError?
}

extension DropFolder {
    /// Removes what is of no use among this replica's own files: unfinished ones, and those that
    /// others of its own have replaced.
    ///
    /// The files that stay are read to their end before one that they replace is removed. Files of
    /// other replicas are never touched, nor are copies that another program made.
    ///
    /// - Parameters:
    ///   - graceMilliseconds: how long a file must have been replaced; 7 days by default.
    ///   - isRehearsal: removes nothing, and says what would go.
    /// - Returns: the files.
    /// - Throws: `notFound` or `unreadable` when there is no such folder to read; `ledger` when the
    ///   ledger cannot be read.
    public func clean(
        graceMilliseconds: Int64? = nil, isRehearsal: Bool = false
    ) throws(SyncError) -> FolderCleaning {
        let known = memoryFile?.load(of: log) ?? FolderMemory()
        var pass = FolderPass(known, at: 0, .everything, auditBytes: 0, bytesMax: .max)
        pass.memory.hasSeenLedger = false
        pass.ledger = try LedgerSurvey(log)
        try scan(&pass)
        verifyOwn(&pass)
        var cleaning = FolderCleaning()
        do throws(SyncError) {
            try cleanUnfinished(isRehearsal, &pass, &cleaning)
            for tip in pass.ledger.tips where tip.size > 0 {
                try clean(
                    tip, graceMilliseconds ?? compaction.graceMilliseconds, isRehearsal, &pass,
                    &cleaning)
            }
        } catch { cleaning.failure = error }
        cleaning.items.sort { $0.file < $1.file }
        if !isRehearsal { memoryFile?.save(&pass.memory, of: log) }
        return cleaning
    }

    /// A file that another process of this replica is writing just now may be among them: it fails
    /// there, is reported, and is written again.
    private func cleanUnfinished(
        _ isRehearsal: Bool, _ pass: inout FolderPass, _ cleaning: inout FolderCleaning
    ) throws(SyncError) {
        for key in pass.memory.temporaries.keys.sorted() where key.parent.lowercased() == ownKey {
            let length = pass.memory.files[key]?.length ?? 0
            if !isRehearsal {
                do throws(FileFailure) { try fileSystem.remove(place(key)) } catch {
                    throw SyncError(writing: error)
                }
                pass.memory.files[key] = nil
            }
            cleaning.items.append(
                FolderCleaning.Item(
                    file: key.lastComponent, kind: .unfinished, length: length, isRemoved: true,
                    dueAt: nil))
        }
    }

    private func clean(
        _ tip: Tip, _ grace: Int64, _ isRehearsal: Bool, _ pass: inout FolderPass,
        _ cleaning: inout FolderCleaning
    ) throws(SyncError) {
        let own = try segments(of: tip, pass, where: \.isOwn)
        let now = wallClock()
        var due: [FoundSegment] = []
        for file in SegmentCover(own).superseded where Self.isRemovable(file) {
            var since = pass.memory.files[file.key]?.supersededSince ?? now
            if since > now { since = now }
            pass.memory.files[file.key]?.supersededSince = since
            let dueAt = since.addingReportingOverflow(grace).partialValue
            if dueAt <= now { due.append(file) }
            cleaning.items.append(
                FolderCleaning.Item(
                    file: file.name, kind: .superseded, length: file.length,
                    isRemoved: isRehearsal && dueAt <= now, dueAt: dueAt <= now ? nil : dueAt))
        }
        if isRehearsal { return }
        defer {
            for (index, item) in cleaning.items.enumerated() where item.kind == .superseded {
                let isGone = due.contains {
                    $0.name == item.file && pass.memory.files[$0.key] == nil
                }
                if isGone { cleaning.items[index].isRemoved = true }
            }
        }
        var rest = due[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(compaction.removalsMax))
            rest = rest.dropFirst(part.count)
            let all = own.filter { file in pass.memory.files[file.key] != nil }
            try remove(part, replacedBy: all, &pass)
        }
    }
}

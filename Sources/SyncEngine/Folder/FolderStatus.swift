public import Ledger

/// What lies in a drop folder, as one replica sees it.
///
/// ```swift
/// let found: FolderStatus = try DropFolder(folder, of: ledger).status()
/// for log in found.published { lines.append("\(log.log.short): \(log.reach) events") }
/// ```
public struct FolderStatus: Sendable {
    /// What one directory holds of one log.
    public struct Published: Sendable, Hashable {
        /// The directory's path below the folder; empty for the folder itself.
        public let directory: String
        /// Whose directory it is, by its name; nil for one that no replica made.
        public let replica: ReplicaID?
        /// The log.
        public let log: LogID
        /// Who writes the log; nil while it is not held here.
        public let author: ReplicaID?
        /// Whether it is this replica's directory.
        public let isOwn: Bool
        /// Whole files, by ascending range.
        public internal(set) var segments = 0
        /// Their bytes.
        public internal(set) var bytes = 0
        /// Up to which sequence the directory holds the log from its beginning.
        public internal(set) var reach: UInt64 = 0
        /// Where its last segment ends; more than ``reach`` when one is missing in between.
        public internal(set) var end: UInt64 = 0
        /// How far the log is held here.
        public let held: UInt64
        /// The generations of folder keys they are sealed with, ascending.
        public internal(set) var keyGenerations: [UInt64] = []
        /// Of them, segments whose events others of the same directory hold as well.
        public internal(set) var superseded = 0
    }

    /// Files of a ledger that is not this one.
    public struct Foreign: Sendable, Hashable {
        /// The other ledger.
        public let ledger: LedgerID
        /// How many files.
        public let files: Int
    }

    /// What is published, by directory and log.
    public internal(set) var published: [Published] = []
    /// Other ledgers that use the same folder.
    public internal(set) var foreign: [Foreign] = []
    /// How far the own logs that are not all in the own directory are published, and their size.
    public internal(set) var unpublished: [(log: LogID, published: UInt64, size: UInt64)] = []
    /// Files that somebody has not finished writing, by name, and whether they are this replica's.
    public internal(set) var temporaries: [(name: String, isOwn: Bool)] = []
    /// Files that were left alone, by name, and why; at most the first 1,000.
    ///
    /// Files of other ledgers and unfinished ones are not among them.
    public internal(set) var setAside: [SetAside] = []
    /// How many files were left alone.
    public internal(set) var setAsideCount = 0
    /// How many files were looked at.
    public internal(set) var files = 0
    /// The generation that new segments are sealed with.
    public internal(set) var keyGeneration: UInt64 = 0
}

extension DropFolder {
    /// Looks at all that lies in the folder; reads every segment to its end and opens it, and takes
    /// in or writes nothing.
    ///
    /// - Parameter progress: told how many bytes are read and how many there are.
    /// - Returns: what is there.
    /// - Throws: `notFound` or `unreadable` when there is no such folder to read; `ledger` when the
    ///   ledger cannot be read.
    public func status(
        progress: (Int64, Int64) -> Void = { _, _ in }
    ) throws(SyncError) -> FolderStatus {
        var pass = FolderPass(
            FolderMemory(), at: 0, .everything, auditBytes: 0, bytesMax: .max)
        pass.ledger = try LedgerSurvey(log)
        try scan(&pass)
        let total = pass.files.reduce(Int64(0)) { $0 + Int64($1.length) }
        var done: Int64 = 0
        let files = pass.files
        pass.files = []
        for file in files {
            do throws(SyncError) {
                _ = try open(try readWhole(file), file.prologue, &pass).all()
                pass.files.append(file)
            } catch { pass.setAside(file, error) }
            done += Int64(file.length)
            progress(done, total)
        }
        return try status(of: pass)
    }

    private func status(of pass: FolderPass) throws(SyncError) -> FolderStatus {
        var status = FolderStatus()
        status.files = pass.memory.files.count
        status.keyGeneration = try fromLedger { () throws(LedgerError) in
            try log.newestFolderKey().generation
        }
        status.foreign = pass.foreign.map { FolderStatus.Foreign(ledger: $0.key, files: $0.value) }
            .sorted { $0.ledger < $1.ledger }
        status.setAside = pass.report.setAside.filter { $0.reason.code != .foreignLedger }
        status.setAsideCount =
            pass.report.setAsideCount - (pass.report.setAside.count - status.setAside.count)
        let own = ownKey
        status.temporaries = pass.memory.temporaries.keys.sorted().map {
            (FolderName.printable($0.lastComponent), $0.parent.lowercased() == own)
        }
        let groups = Dictionary(grouping: pass.files) {
            Place(directory: $0.key.parent, log: $0.prologue.log)
        }
        for (place, files) in groups.sorted(by: { $0.key < $1.key }) {
            status.published.append(try published(place, files, pass))
        }
        for tip in pass.ledger.tips {
            if try isForeign(tip.log) { continue }
            let there = try segments(of: tip, pass, where: \.isOwn)
            let gaps = SegmentCover(there).gaps(in: tip.size)
            if let first = gaps.first {
                status.unpublished.append((tip.log, first.lowerBound, tip.size))
            }
        }
        return status
    }

    private struct Place: Hashable, Comparable {
        let directory: String
        let log: LogID

        static func < (left: Place, right: Place) -> Bool {
            (left.directory, left.log) < (right.directory, right.log)
        }
    }

    private func published(
        _ place: Place, _ files: [FoundSegment], _ pass: FolderPass
    ) throws(SyncError) -> FolderStatus.Published {
        let name = place.directory.lastComponent.lowercased()
        var found = FolderStatus.Published(
            directory: FolderName.printable(place.directory),
            replica: name.hasPrefix("r-") ? ReplicaID(String(name.dropFirst(2))) : nil,
            log: place.log,
            author: try fromLedger { () throws(LedgerError) in try log.author(of: place.log) },
            isOwn: place.directory.lowercased() == ownKey,
            held: pass.ledger.reach[place.log] ?? 0)
        found.segments = files.count
        found.bytes = files.reduce(0) { $0 + $1.length }
        found.end = files.map(\.prologue.end).max() ?? 0
        found.keyGenerations = Set(files.map(\.prologue.keyGeneration)).sorted()
        let cover = SegmentCover(files)
        found.reach = cover.gaps(in: found.end).first?.lowerBound ?? found.end
        found.superseded = cover.superseded.count
        return found
    }
}

extension String {
    /// A path without its last component; empty when there is none before it.
    var parent: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }
}

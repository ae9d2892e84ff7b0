internal import Ledger

extension DropFolder {
    /// Writes what the folder lacks of the logs that are to be published.
    func publish(_ pass: inout FolderPass) throws(SyncError) {
        guard let writer = SegmentWriter(self) else { return }
        pass.ledger.tips = try fromLedger { () throws(LedgerError) in try log.tips() }
        for tip in pass.ledger.tips where tip.size > 0 {
            let isForeign = try isForeign(tip.log)
            guard publishing == .allLogs || !isForeign else { continue }
            var covered = try segments(of: tip, pass) { file in
                // Who carries a log need not repeat what lies in its author's directory.
                file.isOwn || isForeign && (pass.memory.files[file.key]?.isWhole ?? false)
            }
            if !pass.ledger.isForked(tip.log) {
                covered += pass.placeholders.filter {
                    $0.prologue.log == tip.log && $0.prologue.end <= tip.size
                }
            }
            for gap in SegmentCover(covered).gaps(in: tip.size) {
                do throws(SyncError) {
                    try writer.write(gap, of: tip, for: .publishing, &pass)
                } catch {
                    pass.report.publishFailure = error
                    return
                }
            }
        }
    }

    func isForeign(_ log: LogID) throws(SyncError) -> Bool {
        let author = try fromLedger { () throws(LedgerError) in try self.log.author(of: log) }
        return author != self.log.replica
    }

    /// The segments among those of a pass that hold part of the chain that a tip ends.
    func segments(
        of tip: Tip, _ pass: FolderPass, where isMeant: (FoundSegment) -> Bool
    ) throws(SyncError) -> [FoundSegment] {
        let isForked = pass.ledger.isForked(tip.log)
        var found: [FoundSegment] = []
        for file in pass.files where file.prologue.log == tip.log && isMeant(file) {
            let segment = file.prologue
            guard segment.end <= tip.size else { continue }
            let isPart = try fromLedger { () throws(LedgerError) in
                if isForked {
                    return try log.intervals(of: tip, from: segment.end - 1, bytesMax: 0)
                        .contains { $0.tip == segment.tip }
                }
                if pass.memory.files[file.key]?.isHere ?? false { return true }
                return try log.holds(segment.tip)
            }
            if isPart { found.append(file) }
        }
        return found
    }

    /// Reads this replica's own segments: only those that are whole count as published.
    ///
    /// Those that were found whole are read again one after the other, as far as the pass allows.
    /// Whoever carries others' logs has to know as much of theirs.
    func verifyOwn(_ pass: inout FolderPass) {
        var due = Set(
            pass.files.lazy.filter { $0.isOwn || publishing == .allLogs }.map(\.key))
        let known = due.filter { pass.memory.files[$0]?.isWhole ?? false }
        due.subtract(known)
        let order = known.sorted()
        let start = order.firstIndex { $0 > pass.memory.auditedThrough } ?? 0
        var left = pass.auditBytes
        for key in order[start...] + order[..<start] {
            left -= pass.memory.files[key]?.length ?? 0
            guard left >= 0 else { break }
            due.insert(key)
            pass.memory.auditedThrough = key
        }
        let files = pass.files
        pass.files = files.filter { file in
            guard due.contains(file.key) else { return true }
            do throws(SyncError) {
                _ = try readWhole(file)
                pass.memory.files[file.key]?.isWhole = true
                return true
            } catch {
                pass.memory.files[file.key]?.isWhole = false
                pass.memory.files[file.key]?.isHere = false
                pass.setAside(file, error)
                return false
            }
        }
    }
}

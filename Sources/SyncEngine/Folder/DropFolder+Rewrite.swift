package import Ledger

extension DropFolder {
    /// Writes own segments anew that hold payloads which the ledger has dropped, and removes the old
    /// ones at once.
    ///
    /// For erasure: the new files are made from the ledger, where the payloads are gone, and are on
    /// the medium and read back before an old one is removed. A call that broke off is made again:
    /// files that hold none of the payloads any more are left as they are. Own unfinished files go
    /// as well. Other replicas rewrite theirs.
    ///
    /// - Parameter sequences: the events whose payloads must not stay, by log.
    /// - Returns: `segmentsCompacted` and `segmentsRemoved`; `publishFailure` when not all is done.
    ///   Own files of a branch that the ledger does not hold are set aside.
    /// - Throws: `notFound` or `unreadable` when there is no such folder to read; `ledger` when the
    ///   ledger cannot be read.
    package func rewriteOwn(
        without sequences: [LogID: [UInt64]]
    ) throws(SyncError) -> FolderReport {
        var pass = FolderPass(FolderMemory(), at: 0, .everything, auditBytes: 0, bytesMax: .max)
        pass.ledger = try LedgerSurvey(log)
        try scan(&pass)
        let holding = pass.files.filter { file in
            file.isOwn && holds(file, sequences[file.prologue.log] ?? [], &pass)
        }
        do throws(SyncError) {
            for key in pass.memory.temporaries.keys.sorted() where key.parent.lowercased() == ownKey
            {
                try remove(key, &pass)
            }
            try replace(holding, &pass)
        } catch { pass.report.publishFailure = error }
        return pass.report
    }

    /// Where content was erased since the last time, sees to it that none of it is left in own files.
    ///
    /// - Returns: whether anything was looked through; then the pass knows these files no longer.
    func rewriteErased(_ pass: inout FolderPass) throws(SyncError) -> Bool {
        guard publishing != .nothing, ownKey != nil else { return false }
        let mark = try fromLedger { () throws(LedgerError) in try log.erasureMark() }
        guard mark != pass.memory.erasuresDone else { return false }
        let sequences = try fromLedger { () throws(LedgerError) in try log.erasedSequences() }
        let report = try rewriteOwn(without: sequences)
        pass.report.segmentsCompacted += report.segmentsCompacted
        pass.report.segmentsRemoved += report.segmentsRemoved
        pass.report.publishFailure = pass.report.publishFailure ?? report.publishFailure
        let left = report.setAside.filter { $0.reason.code == .notVerified }
        for item in left { pass.report.add(item.file ?? "", item.reason, log: item.log) }
        if report.publishFailure == nil, left.isEmpty { pass.memory.erasuresDone = mark }
        return true
    }

    /// Whether a file holds one of the payloads, or may hold it.
    private func holds(
        _ file: FoundSegment, _ sequences: [UInt64], _ pass: inout FolderPass
    ) -> Bool {
        let range = file.prologue.range
        guard sequences.contains(where: range.contains) else { return false }
        guard let bytes = try? readWhole(file),
            let intervals = try? open(bytes, file.prologue, &pass).all()
        else { return true }
        let wanted = Set(sequences)
        return intervals.contains { interval in
            interval.events.contains { $0.body != nil && wanted.contains($0.header.sequence) }
        }
    }

    private func replace(
        _ old: [FoundSegment], _ pass: inout FolderPass
    ) throws(SyncError) {
        guard !old.isEmpty, let own = ownKey else { return }
        guard let writer = SegmentWriter(self) else { return }
        var replaced: Set<String> = []
        for tip in pass.ledger.tips {
            let part = try segments(of: tip, pass) { file in
                old.contains { $0.key == file.key }
            }
            for range in Self.union(part.map(\.prologue.range)) {
                try writer.write(range, of: tip, for: .compacting, &pass)
            }
            replaced.formUnion(part.map(\.key))
        }
        for file in old {
            if replaced.contains(file.key) {
                try remove(file.key, &pass)
                pass.report.segmentsRemoved += 1
            } else {
                pass.report.add(
                    file.name,
                    SyncError(
                        .notVerified,
                        "The ledger does not hold this branch, so the file cannot be made anew; "
                            + "take it in, or remove it by hand."), log: file.prologue.log)
            }
        }
        do throws(FileFailure) { try fileSystem.synchronizeNames(in: place(own)) } catch {
            throw SyncError(writing: error)
        }
    }

    private func remove(_ key: String, _ pass: inout FolderPass) throws(SyncError) {
        do throws(FileFailure) { try fileSystem.remove(place(key)) } catch {
            throw SyncError(writing: error)
        }
        pass.memory.files[key] = nil
        pass.files.removeAll { $0.key == key }
    }

    /// The ranges put together, ascending.
    private static func union(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        var union: [Range<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = union.last, range.lowerBound <= last.upperBound {
                union[union.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                union.append(range)
            }
        }
        return union
    }
}

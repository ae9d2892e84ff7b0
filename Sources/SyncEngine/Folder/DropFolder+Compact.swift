internal import Ledger

extension DropFolder {
    /// Merges own small segments into larger ones, and removes those that were replaced long ago.
    ///
    /// The new file is read from the ledger, has another name, and is on the medium and read back
    /// before the old ones count as replaced. Whatever fails in between, all events stay in files
    /// that are whole.
    func compact(_ pass: inout FolderPass) throws(SyncError) {
        guard let writer = SegmentWriter(self), pass.report.publishFailure == nil else { return }
        for tip in pass.ledger.tips where tip.size > 0 {
            if publishing != .allLogs, try isForeign(tip.log) { continue }
            let own = try segments(of: tip, pass, where: \.isOwn)
            let runs = SegmentCover(own).runsToCompact(compaction)
            do throws(SyncError) {
                for run in runs { try writer.write(run, of: tip, for: .compacting, &pass) }
                let all = runs.isEmpty ? own : try segments(of: tip, pass, where: \.isOwn)
                let due = dueForRemoval(SegmentCover(all), &pass)
                try remove(due, replacedBy: all, &pass)
            } catch {
                pass.report.publishFailure = error
                return
            }
        }
        removeLeftovers(&pass)
    }

    /// Own files whose time is over, and from now on the others that are no longer needed.
    private func dueForRemoval(
        _ cover: SegmentCover, _ pass: inout FolderPass
    ) -> [FoundSegment] {
        let now = wallClock()
        for file in cover.chosen { pass.memory.files[file.key]?.supersededSince = nil }
        return cover.superseded.filter { file in
            guard Self.isRemovable(file) else { return false }
            guard let since = pass.memory.files[file.key]?.supersededSince, since <= now else {
                // A clock that ran ahead and was set back begins the time anew.
                pass.memory.files[file.key]?.supersededSince = now
                return compaction.graceMilliseconds == 0
            }
            return now - since >= compaction.graceMilliseconds
        }
    }

    /// Whether the file bears a name that only this replica gives: copies under other names are
    /// somebody else's doing, and stay.
    static func isRemovable(_ file: FoundSegment) -> Bool {
        let name = file.name.lowercased()
        let model = FolderName.segment(file.prologue, contentHash: [UInt8](repeating: 0, count: 16))
        let stem = model.dropLast(SegmentFormat.suffix.count + 26)
        return file.isOwn && name.hasPrefix(stem) && name.utf8.count == model.utf8.count
            && name.hasSuffix(SegmentFormat.suffix)
    }

    /// Removes own segments once those that replace them are found whole again.
    func remove(
        _ old: [FoundSegment], replacedBy all: [FoundSegment], _ pass: inout FolderPass
    ) throws(SyncError) {
        guard !old.isEmpty, let own = ownKey else { return }
        let going = Set(old.prefix(compaction.removalsMax).map(\.key))
        let staying = all.filter { !going.contains($0.key) }
        let needed = staying.filter { file in
            old.contains { $0.prologue.range.overlaps(file.prologue.range) }
        }
        for file in needed {
            do throws(SyncError) { _ = try readWhole(file) } catch {
                // The next pass finds it damaged and goes by the old ones again.
                pass.memory.files[file.key]?.isWhole = false
                return
            }
        }
        let left = SegmentCover(needed).chosen.map(\.prologue.range)
        for file in old where going.contains(file.key) {
            guard Self.covers(left, file.prologue.range) else { continue }
            do throws(FileFailure) { try fileSystem.remove(file.path) } catch {
                throw SyncError(writing: error)
            }
            pass.memory.files[file.key] = nil
            pass.files.removeAll { $0.key == file.key }
            pass.report.segmentsRemoved += 1
        }
        do throws(FileFailure) { try fileSystem.synchronizeNames(in: place(own)) } catch {
            throw SyncError(writing: error)
        }
    }

    /// Whether ranges in ascending order hold another without a gap.
    private static func covers(_ ranges: [Range<UInt64>], _ wanted: Range<UInt64>) -> Bool {
        var reached = wanted.lowerBound
        for range in ranges where range.lowerBound <= reached {
            reached = max(reached, range.upperBound)
        }
        return reached >= wanted.upperBound
    }

    /// Removes own files that were begun long ago and never finished.
    private func removeLeftovers(_ pass: inout FolderPass) {
        guard let own = ownKey else { return }
        for (key, since) in pass.memory.temporaries
        where pass.time - since >= Self.leftoverAge && key.lowercased().hasPrefix(own) {
            guard (try? fileSystem.remove(place(key))) != nil else { continue }
            pass.memory.files[key] = nil
            pass.memory.temporaries[key] = nil
        }
    }

    /// Far longer than any write takes.
    private static let leftoverAge: Int64 = 3_600_000
}

extension SegmentPrologue {
    /// The sequences it holds.
    var range: Range<UInt64> { first..<end }
}

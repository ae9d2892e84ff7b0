internal import Ledger

extension DropFolder {
    /// Writes what the folder lacks of the logs that are to be published.
    func publish(
        besides files: [FoundSegment], _ report: inout FolderReport
    ) throws(SyncError) {
        guard publishing != .nothing, let directory = ownDirectory, let replica = log.replica
        else { return }
        let tips = try fromLedger { () throws(LedgerError) in try log.tips() }
        let own = files.filter(\.isOwn).map(\.prologue)
        var isReady = false
        for tip in tips where tip.size > 0 {
            let author = try fromLedger { () throws(LedgerError) in try log.author(of: tip.log) }
            guard publishing == .allLogs || author == replica else { continue }
            let isForked = tips.count { $0.log == tip.log } > 1
            var covered: [SegmentPrologue] = []
            for segment in own where segment.log == tip.log {
                if try covers(segment, tip, isForked: isForked) { covered.append(segment) }
            }
            for gap in Self.gaps(covered, in: tip.size) {
                do throws(SyncError) {
                    if !isReady { try prepare(directory) }
                    isReady = true
                    try publish(gap, of: tip, in: directory, &report)
                } catch {
                    report.publishFailure = error
                    return
                }
            }
        }
    }

    /// Reads this replica's own segments again: only those that are whole count as published.
    ///
    /// - Returns: the files without those of its own that are damaged, which are reported.
    func withoutDamagedOwn(
        _ files: [FoundSegment], _ report: inout FolderReport
    ) -> [FoundSegment] {
        files.filter { file in
            guard file.isOwn else { return true }
            do throws(SyncError) {
                let (bytes, _) = try read(file.path, upTo: file.length)
                try SegmentFormat.checkWhole(bytes, file.prologue)
                return true
            } catch {
                setAside(file.name, error, log: file.prologue.log, &report)
                return false
            }
        }
    }

    /// Whether a segment holds part of the chain that a tip ends.
    private func covers(
        _ segment: SegmentPrologue, _ tip: Tip, isForked: Bool
    ) throws(SyncError) -> Bool {
        guard segment.end <= tip.size else { return false }
        return try fromLedger { () throws(LedgerError) in
            guard isForked else { return try log.holds(segment.tip) }
            return try log.intervals(of: tip, from: segment.end - 1, bytesMax: 0)
                .contains { $0.tip == segment.tip }
        }
    }

    /// The ranges of a chain that no segment holds.
    private static func gaps(_ segments: [SegmentPrologue], in size: UInt64) -> [Range<UInt64>] {
        var gaps: [Range<UInt64>] = []
        var covered: UInt64 = 0
        for segment in segments.sorted(by: { $0.first < $1.first }) {
            if segment.first > covered { gaps.append(covered..<segment.first) }
            covered = max(covered, segment.end)
        }
        if covered < size { gaps.append(covered..<size) }
        return gaps
    }

    private func prepare(_ directory: String) throws(SyncError) {
        do throws(FileFailure) {
            try fileSystem.makeDirectory(ledgerDirectory)
            try fileSystem.makeDirectory(directory)
            try fileSystem.synchronizeDirectory(path)
            try fileSystem.synchronizeDirectory(ledgerDirectory)
        } catch { throw SyncError(writing: error) }
    }

    private func publish(
        _ gap: Range<UInt64>, of tip: Tip, in directory: String, _ report: inout FolderReport
    ) throws(SyncError) {
        var next = gap.lowerBound
        while next < gap.upperBound {
            let read = try fromLedger { () throws(LedgerError) in
                try log.intervals(
                    of: tip, from: next, bytesMax: SegmentFormat.contentLengthTarget)
            }
            let wanted = read.prefix { $0.first < gap.upperBound }
            guard let last = wanted.last, last.end > next else {
                throw SyncError(.ledger, "Log \(tip.log.short) cannot be read from event \(next).")
            }
            try write(Array(wanted), in: directory)
            report.segmentsPublished += 1
            report.eventsPublished += wanted.reduce(0) { $0 + $1.events.count }
            next = last.end
        }
    }

    private func write(_ intervals: [Interval], in directory: String) throws(SyncError) {
        let generation = log.folderKeyGeneration
        let (key, salt, nonce) = try fromLedger { () throws(LedgerError) in
            (
                try log.folderKey(generation: generation), try random(Sealing.saltLength),
                try random(16)
            )
        }
        let file = try SegmentFormat.encode(
            intervals, of: log.id, host: log, key: key, generation: generation, salt: salt)
        let prologue = try SegmentPrologue(file)
        let name = FolderName.segment(prologue, contentHash: file.suffix(32).prefix(16))
        let temporary = "\(directory)/\(FolderName.temporaryPrefix)\(Base32.encode(nonce))"
        do throws(FileFailure) {
            try place(file, at: "\(directory)/\(name)", by: temporary, in: directory)
        } catch { throw SyncError(writing: error) }
    }

    /// Makes a file that is either whole and durable under its name, or does not count.
    ///
    /// Create, write, fsync, close, rename, fsync directory, read back. Whatever fails, what this
    /// call made is taken away again as far as that works.
    private func place(
        _ file: [UInt8], at final: String, by temporary: String, in directory: String
    ) throws(FileFailure) {
        let descriptor = try fileSystem.create(temporary)
        do throws(FileFailure) {
            do throws(FileFailure) {
                try writeAll(file, to: descriptor)
                try fileSystem.synchronize(descriptor)
            } catch {
                try? fileSystem.close(descriptor)
                throw error
            }
            try fileSystem.close(descriptor)
            try fileSystem.rename(temporary, to: final)
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
        do throws(FileFailure) {
            try fileSystem.synchronizeDirectory(directory)
            let (bytes, _) = try fileSystem.read(final, upTo: file.count + 1)
            guard bytes == file else { throw FileFailure.readBackDiffers }
        } catch {
            try? fileSystem.remove(final)
            throw error
        }
    }

    private func writeAll(_ file: [UInt8], to descriptor: Int32) throws(FileFailure) {
        var rest = file[...]
        var fruitless = 0
        while !rest.isEmpty {
            let count = try fileSystem.write(rest, to: descriptor)
            rest = rest.dropFirst(count)
            fruitless = count == 0 ? fruitless + 1 : 0
            guard fruitless < 100 else { throw FileFailure.writesNothing }
        }
    }
}

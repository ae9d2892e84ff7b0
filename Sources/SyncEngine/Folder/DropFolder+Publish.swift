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
<<<<<<< HEAD

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
=======
>>>>>>> folder
}

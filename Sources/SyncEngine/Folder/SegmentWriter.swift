internal import Ledger

/// Puts ranges of a chain into this replica's own directory of a folder.
struct SegmentWriter {
    enum Purpose { case publishing, compacting }

    private let folder: DropFolder
    private let directory: String

    /// Nil when this replica writes nothing there.
    init?(_ folder: DropFolder) {
        guard folder.publishing != .nothing, let own = folder.ownKey else { return nil }
        self.folder = folder
        directory = own
    }

    /// Reads a range from the ledger and writes it, in files of about 1 MiB.
    ///
    /// The range is of whole intervals: it begins and ends where a checkpoint does.
    func write(
        _ range: Range<UInt64>, of tip: Tip, for purpose: Purpose, _ pass: inout FolderPass
    ) throws(SyncError) {
        try makeDirectories(&pass)
        var builder = SegmentBuilder(ledger: folder.log.id, host: folder.log)
        try RangeReading.forEach(range, of: tip, in: folder.log) {
            (interval) throws(SyncError) in
            try builder.append(interval)
            guard
                builder.length >= SegmentFormat.contentLengthTarget
                    || interval.end >= range.upperBound
            else { return }
            let prologue = try write(builder, &pass)
            switch purpose {
            case .publishing:
                pass.report.segmentsPublished += 1
                pass.report.eventsPublished += Int(prologue.count)
            case .compacting: pass.report.segmentsCompacted += 1
            }
            builder = SegmentBuilder(ledger: folder.log.id, host: folder.log)
        }
    }

    private func makeDirectories(_ pass: inout FolderPass) throws(SyncError) {
        guard !pass.hasDirectories else { return }
        do throws(FileFailure) {
            let ledgerDirectory = folder.place(FolderName.ledgerDirectory(folder.log.id))
            try folder.fileSystem.makeDirectory(ledgerDirectory)
            try folder.fileSystem.makeDirectory(folder.place(directory))
            try folder.fileSystem.synchronizeNames(in: folder.path)
            try folder.fileSystem.synchronizeNames(in: ledgerDirectory)
        } catch { throw SyncError(writing: error) }
        pass.hasDirectories = true
        pass.memory.hasSeenLedger = true
    }

    private func write(
        _ builder: SegmentBuilder, _ pass: inout FolderPass
    ) throws(SyncError) -> SegmentPrologue {
        let (newest, salt, nonce) = try fromLedger { () throws(LedgerError) in
            (
                try folder.log.newestFolderKey(), try folder.random(Sealing.saltLength),
                try folder.random(16)
            )
        }
        let (prologue, file) = try builder.sealed(
            key: newest.key, generation: newest.generation, salt: salt)
        let name = FolderName.segment(prologue, contentHash: file.suffix(32).prefix(16))
        let (place, content) = try self.place(file, name, nonce, &pass)
        var known = FolderMemory.File(length: content.length, identity: content.identity)
        known.prologue = prologue
        (known.isHere, known.isWhole) = (true, true)
        pass.memory.files[place] = known
        pass.files.append(
            FoundSegment(
                key: place, path: folder.place(place), name: name, prologue: prologue,
                length: file.count, isOwn: true))
        return prologue
    }

    /// Puts a file that is no segment into the own directory.
    ///
    /// - Returns: its path below the folder.
    func place(
        _ file: [UInt8], _ name: String, _ pass: inout FolderPass
    ) throws(SyncError) -> (key: String, content: FileContent) {
        try makeDirectories(&pass)
        let nonce = try fromLedger { () throws(LedgerError) in try folder.random(16) }
        return try place(file, name, nonce, &pass)
    }

    private func place(
        _ file: [UInt8], _ name: String, _ nonce: [UInt8], _ pass: inout FolderPass
    ) throws(SyncError) -> (key: String, content: FileContent) {
        let place = "\(directory)/\(name)"
        let temporary = "\(directory)/\(FolderName.temporaryPrefix)\(Base32.encode(nonce))"
        do throws(FileFailure) {
            let content = try folder.fileSystem.place(
                file, at: folder.place(place), by: folder.place(temporary),
                in: folder.place(directory))
            return (place, content)
        } catch { throw SyncError(writing: error) }
    }
}

internal import Ledger

/// Segments on their way into the ledger.
private struct Batch {
    var files: [(file: FoundSegment, intervals: EncodedIntervals)] = []
    var length = 0

    /// The intervals of all files, one after the other.
    var source: IntervalSource {
        let places = files.flatMap { file in
            (0..<file.intervals.count).map { (file.intervals, $0) }
        }
        let events = files.reduce(0) { $0 + Int(clamping: $1.file.prologue.count) }
        return IntervalSource(count: places.count, events: events) { place in
            let (intervals, index) = places[place]
            return intervals.interval(index)
        }
    }
}

extension DropFolder {
    /// Takes in every segment that brings something; what must wait for another is tried again
    /// as long as that helps.
    func takeIn(_ pass: inout FolderPass) throws(SyncError) {
        var waiting = pass.files
        var refusals: [(FoundSegment, SyncError)] = []
        repeat {
            refusals = []
            pass.hasProgressed = false
            var batch = Batch()
            for file in waiting where pass.report.importFailure == nil {
                do throws(SyncError) {
                    guard let intervals = try load(file, &pass) else {
                        pass.report.segmentsRead += 1
                        continue
                    }
                    batch.files.append((file, intervals))
                    batch.length += file.length
                } catch { refusals.append((file, error)) }
                if batch.length >= limits.batchLength {
                    refusals += try store(batch, &pass)
                    batch = Batch()
                }
            }
            refusals += try store(batch, &pass)
            waiting = refusals.filter(\.1.mayPass).map(\.0)
            for (file, reason) in refusals where !reason.mayPass { pass.setAside(file, reason) }
        } while pass.hasProgressed && !waiting.isEmpty && pass.report.importFailure == nil
        for (file, reason) in refusals where reason.mayPass { pass.setAside(file, reason) }
    }

    /// The intervals of a segment; nil when all of it is here.
    private func load(
        _ file: FoundSegment, _ pass: inout FolderPass
    ) throws(SyncError) -> EncodedIntervals? {
        let prologue = file.prologue
        if try isHere(file, pass) {
            pass.memory.settle(file.key)
            return nil
        }
        guard prologue.first <= pass.ledger.reach[prologue.log] ?? 0 else {
            throw .predecessorMissing
        }
        guard pass.bytesLeft >= file.length else {
            throw SyncError(.limit, "Enough was read for now; the next sync goes on here.")
        }
        pass.bytesLeft -= file.length
        let content = try readWhole(file)
        pass.memory.files[file.key]?.isWhole = true
        let intervals = try open(content, prologue, &pass)
        pass.ledger.reach[prologue.log] = max(
            pass.ledger.reach[prologue.log] ?? 0, prologue.end)
        return intervals
    }

    /// Reads a file from beginning to end and judges it by its trailer.
    func readWhole(_ file: FoundSegment) throws(SyncError) -> [UInt8] {
        let content = try read(file.path, upTo: file.length)
        guard content.length == file.length else {
            throw SyncError(.incomplete, "The file changed while it was read; try again.")
        }
        guard content.bytes.starts(with: file.prologue.encoded) else {
            throw SyncError(.incomplete, "The file changed since it was listed; try again.")
        }
        try SegmentFormat.checkWhole(content.bytes, file.prologue)
        return content.bytes
    }

    /// Whether the range, and each of its payloads that is not erased, is here.
    private func isHere(_ file: FoundSegment, _ pass: FolderPass) throws(SyncError) -> Bool {
        let known = pass.memory.files[file.key]
        // A file that was taken has given all it holds, though payloads may be missing still.
        if known?.isTaken ?? false { return true }
        if pass.ledger.isMissing(file.prologue) { return false }
        if known?.isHere ?? false { return true }
        return try fromLedger { () throws(LedgerError) in try log.holds(file.prologue.tip) }
    }

    /// The intervals in a whole file.
    func open(
        _ bytes: [UInt8], _ prologue: SegmentPrologue, _ pass: inout FolderPass
    ) throws(SyncError) -> EncodedIntervals {
        let generation = prologue.keyGeneration
        if pass.keys[generation] == nil {
            pass.keys[generation] = try keys(of: generation, pass)
        }
        return try SegmentFormat.open(
            bytes, prologue, host: log, keys: pass.keys[generation] ?? [])
    }

    /// Hands a batch to the ledger.
    ///
    /// - Returns: what was not taken, and why.
    private func store(
        _ batch: Batch, _ pass: inout FolderPass
    ) throws(SyncError) -> [(FoundSegment, SyncError)] {
        guard !batch.files.isEmpty, pass.report.importFailure == nil else { return [] }
        let results: [Result<IngestReceipt, LedgerError>]
        do throws(LedgerError) { results = try log.ingest(batch.source) } catch {
            pass.report.importFailure = SyncError(error)
            return []
        }
        var refusals: [(FoundSegment, SyncError)] = []
        var next = results[...]
        for (file, intervals) in batch.files {
            let own = next.prefix(intervals.count)
            next = next.dropFirst(intervals.count)
            if let refusal = take(own, of: file, &pass) { refusals.append((file, refusal)) }
        }
        guard !refusals.isEmpty else { return [] }
        // Something before it in the batch may have been refused: then it waits, and is not bad.
        pass.ledger = try LedgerSurvey(log)
        let reach = pass.ledger.reach
        return refusals.map { (file, reason) in
            file.prologue.first > reach[file.prologue.log] ?? 0
                ? (file, .predecessorMissing) : (file, reason)
        }
    }

    /// Counts what became of one file's intervals.
    ///
    /// - Returns: why one of them was refused.
    private func take(
        _ results: ArraySlice<Result<IngestReceipt, LedgerError>>, of file: FoundSegment,
        _ pass: inout FolderPass
    ) -> SyncError? {
        var transfer = SyncReport.Transfer(log: file.prologue.log)
        var refusal: SyncError?
        for result in results {
            switch result {
            case .success(let receipt): transfer.add(receipt)
            case .failure(let error): refusal = refusal ?? SyncError(error)
            }
        }
        pass.report.transfersByLog[transfer.log, default: .init(log: transfer.log)].add(transfer)
        let isNew = transfer.eventsReceived + transfer.payloadsReceived > 0
        if isNew {
            pass.hasProgressed = true
            // An event may have brought another key.
            pass.keys = [:]
        }
        if let refusal { return refusal }
        pass.memory.settle(file.key)
        pass.memory.files[file.key]?.isTaken = true
        pass.report.segmentsRead += 1
        if isNew { pass.report.segmentsImported += 1 }
        return nil
    }
}

extension SyncReport.Transfer {
    mutating func add(_ receipt: IngestReceipt) {
        eventsReceived += receipt.newEvents
        payloadsReceived += receipt.newPayloads
        payloadsRefused += receipt.refusedPayloads
    }
}

extension SyncError {
    fileprivate static let predecessorMissing = SyncError(
        .waiting, "What comes before it is not here yet; it is taken once that has come.")
}

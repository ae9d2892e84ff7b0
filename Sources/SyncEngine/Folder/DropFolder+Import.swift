internal import Ledger

/// Segments on their way into the ledger.
private struct Batch {
    var files: [(file: FoundSegment, intervals: [Interval])] = []
    var length = 0
}

extension DropFolder {
    /// Takes in every segment that brings something; what must wait for another is tried again
    /// as long as that helps.
    func takeIn(_ files: [FoundSegment], _ report: inout FolderReport) throws(SyncError) {
        var pass = ImportPass(bytesLeft: limits.bytesMax)
        try survey(&pass)
        var waiting = files
        var refusals: [(FoundSegment, SyncError)] = []
        repeat {
            refusals = []
            pass.hasProgressed = false
            var batch = Batch()
            for file in waiting where report.importFailure == nil {
                do throws(SyncError) {
                    guard let intervals = try load(file, &pass) else {
                        report.segmentsRead += 1
                        continue
                    }
                    batch.files.append((file, intervals))
                    batch.length += file.length
                } catch { refusals.append((file, error)) }
                if batch.length >= limits.batchLength {
                    refusals += try store(batch, &pass, &report)
                    batch = Batch()
                }
            }
            refusals += try store(batch, &pass, &report)
            waiting = refusals.filter(\.1.mayPass).map(\.0)
            for (file, reason) in refusals where !reason.mayPass {
                setAside(file.name, reason, log: file.prologue.log, &report)
            }
        } while pass.hasProgressed && !waiting.isEmpty && report.importFailure == nil
        for (file, reason) in refusals where reason.mayPass {
            setAside(file.name, reason, log: file.prologue.log, &report)
        }
    }

    /// What one pass over the files knows.
    struct ImportPass {
        /// How far each log is here, counting what is about to be stored.
        var reach: [LogID: UInt64] = [:]
        /// Positions whose payloads are missing here.
        var missing: [LogID: [UInt64]] = [:]
        var keys: [UInt64: [UInt8]] = [:]
        var bytesLeft: Int
        var hasProgressed = false

        init(bytesLeft: Int) { self.bytesLeft = bytesLeft }
    }

    /// Reads from the ledger how far it is.
    private func survey(_ pass: inout ImportPass) throws(SyncError) {
        pass.reach = [:]
        pass.missing = [:]
        for tip in try fromLedger({ () throws(LedgerError) in try log.tips() }) {
            pass.reach[tip.log] = max(pass.reach[tip.log] ?? 0, tip.size)
            let missing = try fromLedger { () throws(LedgerError) in
                try log.missingPayloads(of: tip)
            }
            if !missing.isEmpty { pass.missing[tip.log, default: []] += missing }
        }
    }

    /// The intervals of a segment; nil when all of it is here.
    private func load(
        _ file: FoundSegment, _ pass: inout ImportPass
    ) throws(SyncError) -> [Interval]? {
        let prologue = file.prologue
        if try isHere(prologue, pass) { return nil }
        guard pass.bytesLeft >= file.length else {
            throw SyncError(.limit, "Enough was read for now; the next sync goes on here.")
        }
        pass.bytesLeft -= file.length
        let (bytes, length) = try read(file.path, upTo: file.length)
        guard length == file.length else {
            throw SyncError(.incomplete, "The file changed while it was read; try again.")
        }
        try SegmentFormat.checkWhole(bytes, prologue)
        guard prologue.first <= pass.reach[prologue.log] ?? 0 else {
            throw .predecessorMissing
        }
        let key = try folderKey(prologue.keyGeneration, &pass)
        let intervals = try SegmentFormat.decode(bytes, prologue, host: log, key: key)
        pass.reach[prologue.log] = max(pass.reach[prologue.log] ?? 0, prologue.end)
        return intervals
    }

    /// Whether the range, and each of its payloads that is not erased, is here.
    private func isHere(
        _ prologue: SegmentPrologue, _ pass: ImportPass
    ) throws(SyncError) -> Bool {
        let range = prologue.first..<prologue.end
        if pass.missing[prologue.log]?.contains(where: range.contains) ?? false { return false }
        return try fromLedger { () throws(LedgerError) in try log.holds(prologue.tip) }
    }

    private func folderKey(
        _ generation: UInt64, _ pass: inout ImportPass
    ) throws(SyncError) -> [UInt8] {
        if let key = pass.keys[generation] { return key }
        do throws(LedgerError) {
            let key = try log.folderKey(generation: generation)
            pass.keys[generation] = key
            return key
        } catch {
            throw SyncError(
                .otherKey, "The file is sealed with folder key \(generation), which is not here.",
                cause: error.message)
        }
    }

    /// Hands a batch to the ledger.
    ///
    /// - Returns: what was not taken, and why.
    private func store(
        _ batch: Batch, _ pass: inout ImportPass, _ report: inout FolderReport
    ) throws(SyncError) -> [(FoundSegment, SyncError)] {
        guard !batch.files.isEmpty, report.importFailure == nil else { return [] }
        let results: [Result<IngestReceipt, LedgerError>]
        do throws(LedgerError) { results = try log.ingest(batch.files.flatMap(\.intervals)) } catch
        {
            report.importFailure = SyncError(error)
            return []
        }
        var refusals: [(FoundSegment, SyncError)] = []
        var next = results[...]
        for (file, intervals) in batch.files {
            let own = next.prefix(intervals.count)
            next = next.dropFirst(intervals.count)
            var transfer = SyncReport.Transfer(log: file.prologue.log)
            var refusal: SyncError?
            for result in own {
                switch result {
                case .success(let receipt): transfer.add(receipt)
                case .failure(let error): refusal = refusal ?? SyncError(error)
                }
            }
            report.transfersByLog[transfer.log, default: .init(log: transfer.log)].add(transfer)
            let isNew = transfer.eventsReceived + transfer.payloadsReceived > 0
            if isNew { pass.hasProgressed = true }
            if let refusal {
                refusals.append((file, refusal))
            } else {
                report.segmentsRead += 1
                if isNew { report.segmentsImported += 1 }
            }
        }
        guard !refusals.isEmpty else { return [] }
        // Something before it in the batch may have been refused: then it waits, and is not bad.
        try survey(&pass)
        return refusals.map { (file, reason) in
            file.prologue.first > pass.reach[file.prologue.log] ?? 0
                ? (file, .predecessorMissing) : (file, reason)
        }
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

    /// Whether it may pass once something else has come.
    fileprivate var mayPass: Bool { code == .waiting || code == .unknownAuthor }
}

internal import Ledger

extension Session {
    /// What storing a batch came to.
    struct BatchOutcome {
        enum Verdict: Equatable {
            case goOn
            /// The chains differ before this sequence: ask again from further back.
            case stepBack(UInt64)
            case setAside(SyncError)
            case blocked(SyncError)
        }
        var verdict = Verdict.goOn
        var stored = 0
        var newEvents: UInt64 = 0
    }

    /// Counts what storing has brought.
    mutating func note(_ transfer: SyncReport.Transfer) {
        report.count(transfer.log) { $0.add(transfer) }
        moved.eventsReceived += transfer.eventsReceived
        guard transfer.eventsReceived + transfer.payloadsReceived > 0 else { return }
        moved.hasStored = true
        live.isUntold = true
    }

    /// Hands the batch to the log, but for what is here already.
    mutating func ingest(_ fetch: inout Fetch) throws(SyncError) -> (
        outcome: BatchOutcome, transfer: SyncReport.Transfer
    ) {
        var outcome = BatchOutcome()
        var transfer = SyncReport.Transfer(log: fetch.tip.log)
        guard let decoder = fetch.decoder else { return (outcome, transfer) }
        // One owner while it changes: a second would copy all it remembers.
        fetch.decoder = nil
        let intervals = EncodedIntervals(fetch.batch, of: fetch.tip.log, decoder)
        let skipped = try heldAtFirst(fetch)
        if skipped > 0 { fetch.known = fetch.batch[skipped - 1].head.end }
        outcome.stored = skipped
        var results: [Result<IngestReceipt, LedgerError>] = []
        if skipped == fetch.batch.count {
            intervals.skip()
        } else {
            do throws(LedgerError) {
                results = try log.ingest(intervals.source(from: skipped))
            } catch {
                outcome.verdict = .blocked(SyncError(error))
                return (outcome, transfer)
            }
        }
        fetch.decoder = intervals.decoder
        for (place, result) in zip(skipped..., results) where place < intervals.decodedCount {
            let head = fetch.batch[place].head
            switch result {
            case .success(let receipt):
                fetch.known = head.end
                outcome.stored += 1
                outcome.newEvents += UInt64(max(receipt.newEvents, 0))
                transfer.add(receipt)
                if receipt.isFork { report.noteFork(of: fetch.tip.log) }
            case .failure(let error):
                // Where its beginning is known to be here, the interval itself is bad.
                let isBad = head.first <= fetch.known || fetch.isRepair
                outcome.verdict = isBad ? .setAside(SyncError(error)) : .stepBack(head.first)
                return (outcome, transfer)
            }
        }
        if let failure = intervals.failure {
            guard [.malformed, .limit].contains(failure.code) else { throw failure }
            outcome.verdict = .setAside(failure)
        }
        return (outcome, transfer)
    }

    /// How many intervals at the beginning of a batch are here already.
    private func heldAtFirst(_ fetch: Fetch) throws(SyncError) -> Int {
        guard !fetch.isRepair else { return 0 }
        for (place, item) in fetch.batch.enumerated() {
            guard try holds(item.head.tip(of: fetch.tip.log)) else { return place }
        }
        return fetch.batch.count
    }
}

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
        var unknown: [Interval] = []
        for interval in fetch.batch {
            let mayBeHere = unknown.isEmpty && !fetch.isRepair
            if mayBeHere, try holds(interval.tip) {
                fetch.known = interval.end
                outcome.stored += 1
            } else {
                unknown.append(interval)
            }
        }
        guard !unknown.isEmpty else { return (outcome, transfer) }
        let results: [Result<IngestReceipt, LedgerError>]
        do throws(LedgerError) { results = try log.ingest(unknown) } catch {
            outcome.verdict = .blocked(SyncError(error))
            return (outcome, transfer)
        }
        for (interval, result) in zip(unknown, results) {
            switch result {
            case .success(let receipt):
                fetch.known = interval.end
                outcome.stored += 1
                outcome.newEvents += UInt64(max(receipt.newEvents, 0))
                transfer.add(receipt)
                if receipt.isFork { report.noteFork(of: fetch.tip.log) }
            case .failure(let error):
                // Where its beginning is known to be here, the interval itself is bad.
                let isBad = interval.first <= fetch.known || fetch.isRepair
                outcome.verdict =
                    isBad ? .setAside(SyncError(error)) : .stepBack(interval.first)
                return (outcome, transfer)
            }
        }
        return (outcome, transfer)
    }
}

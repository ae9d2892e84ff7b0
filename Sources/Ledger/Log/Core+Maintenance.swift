extension Core {
    /// Computes projection and index anew; inside a write transaction.
    func rebuild() throws(LedgerError) {
        let last = rows.chains.maxRow
        try store.clearProjection()
        try projector.restart()
        let fold = LedgerFold()
        let judge = FactJudge(fold)
        var index: [IndexRun.Entry] = []
        var firstIndexed: Int64 = 1
        var source = HashedRows(self, readsTree: false)
        try source.forEachBatch(
            note: { (row, head) throws(LedgerError) in
                let entry = IndexRun.Entry(tag: StoredRow.tagPrefix(head), row: row)
                if entry.prefix != 0 { index.append(entry) }
                guard index.count >= IndexRun.rebuiltEntriesMax else { return }
                try store.insertSortedRun(firstIndexed...row, &index)
                firstIndexed = row + 1
            },
            progress: { _, _ in }, work: { judge.take($0) })
        if let failure = judge.failure { throw failure }
        if last >= firstIndexed { try store.insertSortedRun(firstIndexed...last, &index) }
        try fold.finish(self)
        try store.insertStates(fold)
        try store.setMeta(.watermark, last)
        try store.setMeta(.indexedThrough, last)
        try projector.reload(through: last)
    }

    func clockReport() -> ClockReport {
        let wall = environment.wallClock()
        return ClockReport(
            wall: wall, logical: clock.last, floor: floor,
            isFloorAhead: floor > wall + HybridClock.aheadMillisecondsMax)
    }
}

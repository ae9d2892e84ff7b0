extension Core {
    /// Computes projection and index anew; inside a write transaction.
    func rebuild() throws(LedgerError) {
        let last = rows.chains.maxRow
        try store.clearProjection()
        try projector.restart()
        let fold = LedgerFold(through: last)
        let judge = FactJudge(fold)
        var index: [IndexRun.Entry] = []
        var firstIndexed: Int64 = 1
        var unlisted: [Int64] = []
        var source = HashedRows(self)
        try source.forEachBatch(
            note: { (row, head) throws(LedgerError) in
                if try isUnlistedMember(row, head) { unlisted.append(row) }
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
        guard !unlisted.isEmpty else { return }
        for row in unlisted { try store.insertMemberRow(row) }
        try settleMembers()
    }

    func clockReport() -> ClockReport {
        let wall = environment.wallClock()
        return ClockReport(
            wall: wall, logical: clock.last, floor: floor,
            isFloorAhead: floor > wall + HybridClock.aheadMillisecondsMax)
    }
}

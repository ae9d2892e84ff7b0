/// Writing down what was deferred.
extension Projector {
    /// Writes what is deferred past its bounds; inside a write transaction that has followed.
    func flush(all: Bool = false) throws(LedgerError) {
        let flushesStates = all || isTailLong
        changeCount += 1
        if flushesStates || through - indexedThrough >= Self.indexLagMax { try flushIndex() }
        if flushesStates { try flushStates() }
    }

    var needsFlush: Bool {
        through - indexedThrough >= Self.indexLagMax || isTailLong
    }

    /// Whether as many rows wait as are written down, or more keys than may be in memory.
    ///
    /// A row of states costs more to write than to fold, so a tail that grows with the ledger
    /// keeps the cost of an event the same; its bound keeps that of reading all of it.
    private var isTailLong: Bool {
        let lagMax = min(max(watermark, Self.tailRows.lowerBound), Self.tailRows.upperBound)
        // What is not known to be of the keys at hand may be of a key each.
        let unknown = dirtySince - watermark
        return through - watermark >= lagMax
            || Int64(dirtyKeys.count) + unknown >= Int64(cachedKeysMax)
    }

    private func flushIndex() throws(LedgerError) {
        guard through > indexedThrough else { return }
        let range = indexedThrough + 1...through
        runs.append(
            try store.insertRun(level: 0, rows: range, try loadUnindexed().sorted()))
        unindexed = []
        indexedThrough = through
        try store.setMeta(.indexedThrough, through)
        try mergeRuns()
    }

    private func mergeRuns() throws(LedgerError) {
        var level = 0
        while true {
            let full = runs.filter { $0.level == level }
            guard full.count >= Self.runsPerLevel else { return }
            var entries: [IndexRun.Entry] = []
            for run in full {
                try store.forEachEntry(of: run, pages: 0..<run.fences.count) { entries.append($0) }
            }
            entries.sort()
            let first = full.map(\.rows.lowerBound).min() ?? 0
            let last = full.map(\.rows.upperBound).max() ?? 0
            for run in full { try store.deleteRun(run) }
            runs.removeAll { $0.level == level }
            runs.append(try store.insertRun(level: level + 1, rows: first...last, entries))
            level += 1
        }
    }

    private func flushStates() throws(LedgerError) {
        if dirtySince > watermark { try loadTail() }
        var changes = StateBundle.Changes()
        for key in StateKey.sorted(dirtyKeys) {
            if let row = changes.row, row != StateBundle.row(key.tag) {
                try put(changes)
                changes.removeAll()
            }
            let entry = try entry(key)
            entry.append(key, to: &changes)
            entry.isDirty = false
        }
        try put(changes)
        dirtyKeys = []
        dirtySince = through
        watermark = through
        try store.setMeta(.watermark, through)
        if cache.count > cachedKeysMax {
            dropCache()
        }
    }

    private func put(_ changes: StateBundle.Changes) throws(LedgerError) {
        guard try !store.putStates(changes), let tag = changes.tag else { return }
        // What the row held is lost; the events tell it.
        var all = StateBundle.Changes()
        for key in try keys(of: tag).sorted() { all.append(key, try entry(key).state) }
        try store.putBundle(StateBundle.row(tag), [])
        _ = try store.putStates(all)
    }

    /// Loads the keys that changed between the watermark and `dirtySince`.
    func loadTail() throws(LedgerError) {
        guard dirtySince > watermark else { return }
        var tail = TailFold(self)
        if watermark < through {
            try store.forEachEvent(watermark + 1...through) {
                (row, head, body) throws(LedgerError) in
                try tail.add(try rows.fact(row, head, body))
                return true
            }
        }
        for (key, entry) in tail.entries {
            let kept = cache[key] ?? entry
            if cache[key] == nil { insert(entry, key) }
            markDirty(kept)
        }
        dirtySince = watermark
        // Nothing was written down yet, so the tail was all there is.
        if watermark == 0 { isCacheComplete = true }
    }
}

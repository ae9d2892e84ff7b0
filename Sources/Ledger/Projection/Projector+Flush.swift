/// Writing down what was deferred.
extension Projector {
    /// Writes what is deferred past its bounds; inside a write transaction that has followed.
    func flush(all: Bool = false) throws(LedgerError) {
        let flushesStates =
            all || through - watermark >= watermarkLagMax
            || dirtyKeys.count >= dirtyKeysMax
        changeCount += 1
        if flushesStates || through - indexedThrough >= Self.indexLagMax { try flushIndex() }
        if flushesStates { try flushStates() }
    }

    var needsFlush: Bool {
        through - indexedThrough >= Self.indexLagMax || dirtyKeys.count >= dirtyKeysMax
            || through - watermark >= watermarkLagMax
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
        for key in StateKey.sorted(dirtyKeys) {
            let entry = try entry(key)
            try store.putState(key, entry.state)
            entry.isDirty = false
        }
        dirtyKeys = []
        dirtySince = through
        watermark = through
        try store.setMeta(.watermark, through)
        if cache.count > cachedKeysMax {
            dropCache()
        }
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
            markDirty(key, kept)
        }
        dirtySince = watermark
        // Nothing was written down yet, so the tail was all there is.
        if watermark == 0 { isCacheComplete = true }
    }
}

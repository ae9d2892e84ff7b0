extension IndexRun {
    /// A rebuild sorts this many entries in memory at a time.
    static let rebuiltEntriesMax = 1 << 20

    /// The level of a run over so many rows, as if smaller ones had been merged into it.
    static func level(rows: Int64) -> Int {
        var level = 0
        var reach = Projector.indexLagMax * Int64(Projector.runsPerLevel)
        while rows >= reach {
            level += 1
            reach *= Int64(Projector.runsPerLevel)
        }
        return level
    }
}

extension EventStore {
    /// Writes entries as one run, and empties them.
    func insertSortedRun(
        _ rows: ClosedRange<Int64>, _ entries: inout [IndexRun.Entry]
    ) throws(LedgerError) {
        entries.sort()
        let count = rows.upperBound - rows.lowerBound + 1
        _ = try insertRun(level: IndexRun.level(rows: count), rows: rows, entries)
        entries.removeAll(keepingCapacity: true)
    }

    /// Fills the empty tables of the projection, in the order of their keys.
    func insertStates(_ fold: LedgerFold) throws(LedgerError) {
        let entries = fold.states.values.map { (StateBundle.row($0.key.tag), $0) }.sorted {
            left, right in
            // The first eight bytes nearly always tell two keys apart, without fetching them.
            left.0 == right.0 ? left.1.key < right.1.key : left.0 < right.0
        }
        var changes = StateBundle.Changes()
        for (row, entry) in entries {
            if let last = changes.row, last != row {
                _ = try putStates(changes)
                changes.removeAll()
            }
            changes.append(entry.key, entry.state)
        }
        _ = try putStates(changes)
        for erasure in fold.erasures { try insertErasure(erasure) }
        for blocker in fold.blockerRows {
            try insertBlocker(tag: blocker.tag, id: blocker.id, row: blocker.row)
        }
    }
}

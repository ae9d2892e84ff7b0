/// Compares the projection that events alone come to with what is kept.
struct ProjectionCheck {
    private let core: Core
    /// What the events come to.
    let fold: LedgerFold
    private let hasLongTail: Bool
    private var index = IndexDigest()

    /// After the projector was reloaded.
    init(_ core: Core) {
        self.core = core
        let (watermark, last) = (core.projector.watermark, core.rows.chains.maxRow)
        // States of a long tail are written nowhere: to fold it twice would compare nothing that
        // is kept.
        hasLongTail = last - watermark > Projector.indexLagMax
        fold = LedgerFold(through: hasLongTail ? watermark : last)
    }

    /// Takes note of a row that the index has to name.
    mutating func note(_ row: Int64, _ head: UnsafeRawBufferPointer) {
        let entry = IndexRun.Entry(tag: StoredRow.tagPrefix(head), row: row)
        if entry.prefix != 0, row <= core.projector.indexedThrough { index.add(entry) }
    }

    /// What differs, in words without names.
    func compare() throws(LedgerError) -> [String] {
        var findings: [String] = []
        let differing = try differingKeys()
        if differing > 0 {
            findings.append(
                "The projection differs from its events in \(differing) keys; rebuild it.")
        }
        if !core.projector.hasSoundMarks {
            findings.append("The projection is about rows that are not there; rebuild it.")
        }
        if fold.blockers != core.projector.blockers {
            findings.append("The list of unreadable events differs from the events; rebuild it.")
        }
        let erasures = Set(fold.erasures.map(\.id))
        if erasures != Set(core.projector.erasures.values.joined().map(\.id)) {
            findings.append("The list of erased subjects differs from the events; rebuild it.")
        }
        if try !indexMatches() {
            findings.append("The index differs from the events; rebuild it.")
        }
        return findings
    }

    private func differingKeys() throws(LedgerError) -> Int {
        try fold.finish(core)
        var differing = 0
        var seen = 0
        if !hasLongTail { try core.projector.loadTail() }
        let dirty = Set(core.projector.dirtyKeys)
        differing += try core.store.forEachStoredState { (bytes, stored) throws(LedgerError) in
            seen += 1
            let digest = KeyDigest(bytes)
            let expected = fold.states[digest]?.state.storedBytes
            // What is cached is newer than what is stored.
            if !dirty.isEmpty, let kept = core.projector.cache[digest], kept.isDirty,
                let key = kept.key
            {
                if try core.projector.entry(key).state.storedBytes != expected { differing += 1 }
            } else if !(expected.map { Self.same($0, stored) } ?? false) {
                differing += 1
            }
            return true
        }
        for key in dirty {
            guard case .nothing = try core.store.projectedState(key) else { continue }
            seen += 1
            let kept = try core.projector.entry(key).state.storedBytes
            if fold.states[key.digest]?.state.storedBytes != kept { differing += 1 }
        }
        return max(differing, abs(seen - fold.states.count))
    }

    private static func same(_ bytes: [UInt8], _ stored: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { $0.hasSameBytes(as: stored) }
    }

    private func indexMatches() throws(LedgerError) -> Bool {
        var stored = IndexDigest()
        for run in core.projector.runs {
            try core.store.forEachEntry(of: run, pages: 0..<run.fences.count) { stored.add($0) }
        }
        return stored == index
    }
}

/// A sum over index entries in any order; finds damage, not malice, which the tree finds.
private struct IndexDigest: Equatable {
    private var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ entry: IndexRun.Entry) {
        count += 1
        var mixed = entry.prefix ^ (UInt64(bitPattern: entry.row) &* 0x9E37_79B9_7F4A_7C15)
        mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
        sum = sum &+ (mixed ^ (mixed >> 32))
    }
}

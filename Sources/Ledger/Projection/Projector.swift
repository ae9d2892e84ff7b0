/// Keeps the states of keys current with the log, and writes them and the index down in batches.
///
/// Rows up to `watermark` are in the projection table, rows up to `indexedThrough` in index runs;
/// what follows is folded in at reading, so no reader is behind the last commit. Guarded by the
/// lock of the ledger.
final class Projector {
    /// A key's state as of `through`.
    final class Entry {
        var state: KeyState {
            didSet { base = nil }
        }
        var isDirty = false
        /// The status as far as it depends on the state alone; computed at the first reading.
        var base: Status?
        /// The state of the device's other install on which the person acted last, and the row up
        /// to which that is known.
        var lastInstall: (through: Int64, state: KeyState?)?

        /// Whether `lastInstall` is known where it matters.
        func knowsLastInstall(through row: Int64) -> Bool {
            state.lastAct != nil || lastInstall?.through == row
        }

        init(_ state: KeyState) { self.state = state }
    }

    /// A projection row costs more to write than to fold, up to about this many events.
    static let watermarkLagMax: Int64 = 131_072
    static let dirtyKeysMax = 65_536
    static let indexLagMax: Int64 = 4096
    private static let cachedKeysMax = 200_000
    /// More foreign rows than this are read again on demand instead of at once.
    private static let foreignRowsMax: Int64 = 20_000
    static let runsPerLevel = 16

    let store: EventStore
    let rows: RowReader
    private(set) var cache: [StateKey: Entry] = [:]
    /// The cached keys of each subject.
    private var keysOfSubject: [SubjectTag: [StateKey]] = [:]
    /// Subjects of which every key is in `cache`.
    private var loadedSubjects: Set<SubjectTag> = []
    /// Every key of the ledger is in `cache`, so a key that is not there has no events.
    private var isCacheComplete = false
    private(set) var dirtyKeys: [StateKey] = []
    /// `dirtyKeys` names every key that changed after this row.
    private(set) var dirtySince: Int64 = 0
    var blockers: [SubjectTag: [EventID]] = [:]
    private(set) var watermark: Int64 = 0
    private(set) var indexedThrough: Int64 = 0
    private(set) var through: Int64 = 0
    private(set) var runs: [IndexRun] = []
    /// Entries of the rows after `indexedThrough`, in order of rows; nil until first needed.
    private var unindexed: [IndexRun.Entry]?

    init(store: EventStore, rows: RowReader) {
        self.store = store
        self.rows = rows
    }

    // MARK: Following the log

    /// Starts from what is on disk; everything cached is dropped.
    func reload(through row: Int64) throws(LedgerError) {
        dropCache()
        isCacheComplete = row == 0
        dirtyKeys = []
        dirtySince = row
        unindexed = nil
        through = row
        try reloadMarks()
    }

    /// Begins anew from no events, for a rebuild.
    func restart() throws(LedgerError) {
        try reload(through: 0)
        unindexed = []
    }

    private func reloadMarks() throws(LedgerError) {
        watermark = try store.metaInteger(.watermark)
        indexedThrough = try store.metaInteger(.indexedThrough)
        runs = try store.runs()
        blockers = [:]
        for blocker in try store.blockers() {
            blockers[blocker.tag, default: []].append(blocker.id)
        }
    }

    /// Takes note of what other processes committed, up to `row`.
    func follow(to row: Int64) throws(LedgerError) {
        let marks = (try store.metaInteger(.indexedThrough), try store.metaInteger(.watermark))
        if marks != (indexedThrough, watermark) || row != through {
            let indexed = indexedThrough
            try reloadMarks()
            if indexed != indexedThrough { unindexed?.removeAll { $0.row <= indexedThrough } }
            if watermark >= dirtySince, watermark >= through { markClean() }
        }
        guard row > through else { return }
        guard row - through <= Self.foreignRowsMax, unindexed != nil || !cache.isEmpty else {
            return try reload(through: row)
        }
        try store.forEachEvent(through + 1...row) { (row, head, body) throws(LedgerError) in
            let fact = Fact(try rows.event(row, head, body), row: row)
            if row <= watermark, !follows(fact) {
                // Its state on disk holds the row already; it is read from there when needed.
                note(IndexRun.Entry(tag: fact.tag.raw.a, row: row))
            } else {
                try apply(fact, isStored: true)
            }
            return true
        }
        through = row
    }

    /// Whether the state of the fact's key is kept current row by row.
    private func follows(_ fact: Fact) -> Bool {
        guard let key = fact.key else { return true }
        return isCacheComplete || cache[key] != nil || loadedSubjects.contains(fact.tag)
    }

    private func markClean() {
        for key in dirtyKeys { cache[key]?.isDirty = false }
        dirtyKeys = []
        dirtySince = through
    }

    // MARK: States

    private func dropCache() {
        cache = [:]
        keysOfSubject = [:]
        loadedSubjects = []
        isCacheComplete = false
    }

    private func insert(_ entry: Entry, _ key: StateKey) {
        cache[key] = entry
        keysOfSubject[key.tag, default: []].append(key)
    }

    /// The state of a key as of `through`; must run on a snapshot that ends there.
    func entry(_ key: StateKey) throws(LedgerError) -> Entry {
        if let entry = cache[key] { return entry }
        try load(key.tag)
        if let entry = cache[key] { return entry }
        let entry = Entry(KeyState())
        insert(entry, key)
        return entry
    }

    /// All keys of a subject; must run on a snapshot that ends at `through`.
    func keys(of tag: SubjectTag) throws(LedgerError) -> [StateKey] {
        try load(tag)
        return keysOfSubject[tag] ?? []
    }

    /// Reads all states of a subject at once: its rows after the watermark are decoded once for
    /// all of its keys.
    private func load(_ tag: SubjectTag) throws(LedgerError) {
        guard !isCacheComplete, !loadedSubjects.contains(tag) else { return }
        var tail = TailFold(self)
        try store.forEachState(prefix: tag.bytes) { (key, stored) throws(LedgerError) in
            try tail.begin(key, stored)
            return true
        }
        for row in try eventRows(of: tag, after: watermark) {
            if let fact = try rows.fact(row), fact.tag == tag { try tail.add(fact) }
        }
        for (key, entry) in tail.entries where cache[key] == nil { insert(entry, key) }
        loadedSubjects.insert(tag)
    }

    /// Folds all events of the key from the log.
    func refold(_ key: StateKey, adding fact: Fact? = nil) throws(LedgerError) -> KeyState {
        var facts: [Fact] = fact.map { [$0] } ?? []
        for row in try eventRows(of: key.tag, after: 0) {
            if let fact = try rows.fact(row), fact.key == key { facts.append(fact) }
        }
        return KeyState.fold(facts)
    }

    /// Takes in the fact of the row after `through`.
    ///
    /// - Parameters:
    ///   - fact: what the row says.
    ///   - known: the entry of the fact's key, where the caller has it already.
    ///   - isStored: whether another process wrote what the fact adds beside its row.
    /// - Throws: `damaged`, `io`.
    func apply(
        _ fact: Fact, to known: Entry? = nil, isStored: Bool = false
    ) throws(LedgerError) {
        if case .blocks = fact.role {
            try addBlocker(fact, isStored: isStored)
        } else if let key = fact.key {
            var entry = known
            if entry == nil { entry = try self.entry(key) }
            guard let entry else { return }
            if !entry.state.apply(fact, blockers: blockers[fact.tag] ?? []) {
                entry.state = try refold(key, adding: fact)
            }
            markDirty(key, entry)
        }
        note(IndexRun.Entry(tag: fact.tag.raw.a, row: fact.row))
    }

    func markDirty(_ key: StateKey, _ entry: Entry) {
        guard !entry.isDirty else { return }
        entry.isDirty = true
        dirtyKeys.append(key)
    }

    private func addBlocker(_ fact: Fact, isStored: Bool) throws(LedgerError) {
        var ids = blockers[fact.tag] ?? []
        ids.insertSorted(fact.id)
        blockers[fact.tag] = ids
        if !isStored { try store.insertBlocker(tag: fact.tag, id: fact.id, row: fact.row) }
    }

    /// Judges a row again whose payload arrived after it.
    func reconsider(_ fact: Fact) throws(LedgerError) {
        if let ids = blockers[fact.tag], ids.contains(fact.id) {
            blockers[fact.tag] = ids.filter { $0 != fact.id }
            try store.deleteBlocker(tag: fact.tag, id: fact.id)
        }
        guard let key = fact.key else { return }
        let entry = try entry(key)
        entry.state = try refold(key)
        markDirty(key, entry)
    }

    // MARK: Index

    private func note(_ entry: IndexRun.Entry) {
        through = entry.row
        if unindexed == nil, indexedThrough == entry.row - 1 { unindexed = [] }
        if entry.prefix != 0 { unindexed?.append(entry) }
    }

    private func loadUnindexed() throws(LedgerError) -> [IndexRun.Entry] {
        if let unindexed { return unindexed }
        var entries: [IndexRun.Entry] = []
        if indexedThrough < through {
            try store.forEachEvent(indexedThrough + 1...through) { (row, head, _) in
                let prefix = StoredRow.tagPrefix(head)
                if prefix != 0 { entries.append(IndexRun.Entry(tag: prefix, row: row)) }
                return true
            }
        }
        unindexed = entries
        return entries
    }

    /// The rows about a subject after `row`, ascending; a few may be about another one whose tag
    /// begins alike.
    func eventRows(of tag: SubjectTag, after row: Int64) throws(LedgerError) -> [Int64] {
        let prefix = tag.raw.a >> 16
        var found: [Int64] = []
        for run in runs where run.rows.upperBound > row {
            try store.forEachEntry(of: run, pages: run.pages(for: prefix)) { entry in
                if entry.prefix == prefix, entry.row > row { found.append(entry.row) }
            }
        }
        for entry in try loadUnindexed() where entry.prefix == prefix && entry.row > row {
            found.append(entry.row)
        }
        return found.sorted()
    }

    /// Writes what is deferred past its bounds; inside a write transaction that has followed.
    func flush(all: Bool = false) throws(LedgerError) {
        let flushesStates =
            all || through - watermark >= Self.watermarkLagMax
            || dirtyKeys.count >= Self.dirtyKeysMax
        if flushesStates || through - indexedThrough >= Self.indexLagMax { try flushIndex() }
        if flushesStates { try flushStates() }
    }

    var needsFlush: Bool {
        through - indexedThrough >= Self.indexLagMax || dirtyKeys.count >= Self.dirtyKeysMax
            || through - watermark >= Self.watermarkLagMax
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
        for key in dirtyKeys.sorted() {
            guard let entry = cache[key] else { continue }
            try store.putState(key, entry.state)
            entry.isDirty = false
        }
        dirtyKeys = []
        dirtySince = through
        watermark = through
        try store.setMeta(.watermark, through)
        if cache.count > Self.cachedKeysMax {
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
                try tail.add(Fact(try rows.event(row, head, body), row: row))
                return true
            }
        }
        for (key, entry) in tail.entries {
            let kept = cache[key] ?? entry
            if cache[key] == nil { insert(entry, key) }
            markDirty(key, kept)
        }
        dirtySince = watermark
    }
}

/// Keeps the states of keys current with the log, and writes them and the index down in batches.
///
/// Rows up to `watermark` are in the projection table, rows up to `indexedThrough` in index runs;
/// what follows is folded in at reading, so no reader is behind the last commit. Guarded by the
/// lock of the ledger.
final class Projector {
    /// How many rows may wait for their states to be written down.
    static let tailRows: ClosedRange<Int64> = 131_072...524_288
    static let indexLagMax: Int64 = 4096
    /// A ledger this small is taken into the cache whole, and then stays there as it grows.
    private static let completedRowsMax: Int64 = 256
    /// More foreign rows than this are read again on demand instead of at once.
    private static let foreignRowsMax: Int64 = 20_000
    static let runsPerLevel = 16

    let store: EventStore
    let rows: RowReader
    /// How often rows were judged again; a change by another process ends the cache.
    private var amendments: Int64 = 0
    /// What another process may have set the floor of expiry back at.
    private(set) var floorReset: Int64 = 0
    /// Whether the marks on disk are about rows that are there.
    private(set) var hasSoundMarks = true
    /// Grows with everything that a failed transaction would leave behind in memory.
    var changeCount = 0
    private(set) var cache = DigestTable<Entry>()
    /// The first cached entry of each subject; the others follow it.
    private var firstOfSubject = DigestTable<Entry>()
    /// Subjects of which every key is in `cache`.
    private var loadedSubjects = DigestTable<Bool>()
    /// Every key of the ledger is in `cache`, so a key that is not there has no events.
    var isCacheComplete = false
    var dirtyKeys: [StateKey] = []
    /// `dirtyKeys` names every key that changed after this row.
    var dirtySince: Int64 = 0
    var blockers: [SubjectTag: [EventID]] = [:]
    /// The `erased` events of each erased subject, ascending by id.
    var erasures: [SubjectTag: [EventStore.ErasureRow]] = [:]
    var watermark: Int64 = 0
    var indexedThrough: Int64 = 0
    private(set) var through: Int64 = 0
    var runs: [IndexRun] = []
    /// Entries of the rows after `indexedThrough`, in order of rows; nil until first needed.
    var unindexed: [IndexRun.Entry]?

    let cachedKeysMax: Int

    init(store: EventStore, rows: RowReader, keysInMemory: Int) {
        self.store = store
        self.rows = rows
        cachedKeysMax = max(keysInMemory, 1024)
    }

    // MARK: Following the log

    /// Starts from what is on disk; everything cached is dropped.
    func reload(through row: Int64) throws(LedgerError) {
        forget()
        try rows.readMembers(anew: true)
        isCacheComplete = row == 0
        dirtySince = row
        through = row
        try reloadMarks(try store.marks())
    }

    /// Drops everything cached, so that the next snapshot starts from what is on disk.
    func forget() {
        dropCache()
        dirtyKeys = []
        dirtySince = 0
        unindexed = nil
        through = 0
    }

    /// Begins anew from no events, for a rebuild.
    func restart() throws(LedgerError) {
        changeCount += 1
        try reload(through: 0)
        unindexed = []
        try amend()
    }

    /// Tells other processes that states changed which no new row accounts for.
    func amend() throws(LedgerError) {
        amendments = try store.metaInteger(.amendments) &+ 1
        try store.setMeta(.amendments, amendments)
    }

    private func reloadMarks(_ marks: EventStore.Marks) throws(LedgerError) {
        let there = 0...max(rows.chains.maxRow, 0)
        hasSoundMarks = there.contains(marks.watermark) && there.contains(marks.indexedThrough)
        watermark = min(max(marks.watermark, 0), there.upperBound)
        indexedThrough = min(max(marks.indexedThrough, 0), there.upperBound)
        amendments = marks.amendments
        floorReset = marks.floorReset
        runs = try store.runs()
        blockers = [:]
        for blocker in try store.blockers() {
            blockers[blocker.tag, default: []].append(blocker.id)
        }
        erasures = Dictionary(grouping: try store.erasures(), by: \.tag)
    }

    /// Takes note of what other processes committed, up to `row`.
    func follow(to row: Int64) throws(LedgerError) {
        let marks = try store.marks()
        floorReset = marks.floorReset
        guard marks.amendments == amendments else { return try reload(through: row) }
        let isMoved = (marks.indexedThrough, marks.watermark) != (indexedThrough, watermark)
        if isMoved || row != through {
            let indexed = indexedThrough
            try reloadMarks(marks)
            if indexed != indexedThrough { unindexed?.removeAll { $0.row <= indexedThrough } }
            if watermark >= dirtySince, watermark >= through { markClean() }
        }
        guard row > through else { return }
        guard row - through <= Self.foreignRowsMax, unindexed != nil || !cache.isEmpty else {
            return try reload(through: row)
        }
        try store.forEachEvent(through + 1...row) { (row, head, body) throws(LedgerError) in
            let fact = try rows.fact(row, head, body)
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
        return cache[key] != nil || isLoaded(fact.tag)
    }

    private func markClean() {
        for key in dirtyKeys { cache[key]?.isDirty = false }
        dirtyKeys = []
        dirtySince = through
    }

    // MARK: States

    func dropCache() {
        cache = DigestTable<Entry>()
        firstOfSubject = DigestTable<Entry>()
        loadedSubjects = DigestTable<Bool>()
        isCacheComplete = false
    }

    func insert(_ entry: Entry, _ key: StateKey) {
        entry.key = key
        cache.insert(entry, key.digest)
        if let first = firstOfSubject[key.tag.digest] {
            entry.next = first.next
            first.next = entry
        } else {
            firstOfSubject.insert(entry, key.tag.digest)
        }
    }

    /// The state of a key as of `through`; must run on a snapshot that ends there.
    func entry(_ key: StateKey) throws(LedgerError) -> Entry {
        if let entry = cache[key] {
            if entry.needsFold {
                entry.state = try refold(key)
                entry.needsFold = false
            }
            return entry
        }
        try load(key.tag)
        if let entry = cache[key] { return entry }
        let entry = Entry(KeyState())
        insert(entry, key)
        return entry
    }

    /// The entry of a key, if it is at hand without reading.
    func cached(_ key: StateKey) -> Entry? { cached(key.digest) }

    func cached(_ digest: KeyDigest) -> Entry? {
        guard let entry = cache[digest], !entry.needsFold else { return nil }
        return entry
    }

    /// The entry of a key that has any events; unlike ``entry(_:)`` it makes none for others.
    func known(_ key: StateKey) throws(LedgerError) -> Entry? {
        if cache[key.digest] == nil { try load(key.tag) }
        return cache[key.digest] == nil ? nil : try entry(key)
    }

    /// Whether it is certain, without reading, that a key that is not cached has no events.
    func isLoaded(_ tag: SubjectTag) -> Bool {
        isCacheComplete || loadedSubjects[tag.digest] != nil
    }

    /// All keys of a subject; must run on a snapshot that ends at `through`.
    func keys(of tag: SubjectTag) throws(LedgerError) -> [StateKey] {
        try load(tag)
        var keys: [StateKey] = []
        var entry = firstOfSubject[tag.digest]
        while let next = entry {
            if let key = next.key { keys.append(key) }
            entry = next.next
        }
        return keys
    }

    /// Reads all states of a subject at once: its rows after the watermark are decoded once for
    /// all of its keys.
    private func load(_ tag: SubjectTag) throws(LedgerError) {
        guard !isLoaded(tag) else { return }
        var tail = TailFold(self)
        let stored = try store.states(of: tag)
        for (key, state) in stored ?? [] { try tail.begin(key, state) }
        // Where the states do not decode, the events name the keys.
        for row in try eventRows(of: tag, after: stored == nil ? 0 : watermark) {
            if let fact = try rows.fact(row), fact.tag == tag { try tail.add(fact) }
        }
        for (key, entry) in tail.entries where cache[key] == nil { insert(entry, key) }
        loadedSubjects.insert(true, tag.digest)
    }

    /// Folds all events of the key from the log.
    func refold(_ key: StateKey) throws(LedgerError) -> KeyState {
        var facts: [Fact] = []
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
        changeCount += 1
        if case .blocks = fact.role {
            try addBlocker(fact, isStored: isStored)
        } else if case .erases = fact.role {
            try addErasure(fact, isStored: isStored)
        } else if fact.key != nil {
            var entry = known
            if entry == nil { entry = try entryAtHand(fact) }
            guard let entry else { return pass(fact) }
            let blocking = blockers.isEmpty ? [] : blockers[fact.tag] ?? []
            if !entry.needsFold, !entry.state.apply(fact, blockers: blocking) {
                entry.needsFold = true
            }
            if !entry.isDirty { markDirty(entry) }
        }
        note(IndexRun.Entry(tag: fact.tag.raw.a, row: fact.row))
    }

    /// The entry of a key, if taking an event into it costs no reading of what came before.
    private func entryAtHand(_ fact: Fact) throws(LedgerError) -> Entry? {
        // By the digest alone: the key's bytes were mostly written on another core.
        if let digest = fact.keyDigest, let entry = cache[digest] { return entry }
        guard let key = fact.key else { return nil }
        if !isCacheComplete, watermark == 0, through <= Self.completedRowsMax { try loadTail() }
        return isLoaded(key.tag) ? try entry(key) : nil
    }

    /// Takes in the row after `through` of a key whose state is not at hand; it is folded in when
    /// the key is read, or with all of the tail when the projection is written down.
    func pass(_ fact: Fact) {
        changeCount += 1
        note(IndexRun.Entry(tag: fact.tag.raw.a, row: fact.row))
        dirtySince = fact.row
    }

    func markDirty(_ entry: Entry) {
        guard !entry.isDirty, let key = entry.key else { return }
        entry.isDirty = true
        // The entry's own, not the equal one of the event: held until the next flush, those would
        // leave a hole each in memory that everything else has just been put around.
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
        changeCount += 1
        try amend()
        // What could not be read before and still cannot goes on blocking.
        if case .blocks = fact.role { return }
        if let ids = blockers[fact.tag], ids.contains(fact.id) {
            let rest = ids.filter { $0 != fact.id }
            blockers[fact.tag] = rest.isEmpty ? nil : rest
            try store.deleteBlocker(tag: fact.tag, id: fact.id)
        }
        guard let key = fact.key else { return }
        let entry = try entry(key)
        entry.needsFold = true
        markDirty(entry)
    }

    // MARK: Index

    private func note(_ entry: IndexRun.Entry) {
        through = entry.row
        if unindexed == nil, indexedThrough == entry.row - 1 { unindexed = [] }
        // Another process may have indexed the row already.
        guard entry.prefix != 0, entry.row > indexedThrough else { return }
        unindexed?.append(entry)
    }

    func loadUnindexed() throws(LedgerError) -> [IndexRun.Entry] {
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

    /// The rows about a subject after `row` and up to `through`, ascending; a few may be about another one whose tag
    /// begins alike.
    func eventRows(of tag: SubjectTag, after row: Int64) throws(LedgerError) -> [Int64] {
        let prefix = tag.raw.a >> 16
        var found: [Int64] = []
        for run in runs where run.rows.upperBound > row {
            try store.forEachRow(of: run, about: prefix) { about in
                if about > row, about <= through { found.append(about) }
            }
        }
        for entry in try loadUnindexed() where entry.prefix == prefix && entry.row > row {
            found.append(entry.row)
        }
        return found.sorted()
    }
}

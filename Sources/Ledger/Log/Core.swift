/// Everything behind the lock of a ledger: the store, the chains, the projection, the clock and
/// the writer of the own log.
final class Core {
    let store: EventStore
    let rows: RowReader
    let projector: Projector
    let environment: LedgerEnvironment
    var identity: LedgerIdentity
    let access: Ledger.Access
    var tags: SubjectTagger
    /// For what comes from outside.
    let judge: IntervalJudge
    /// The writer of the own log; nil where the replica's key is not here.
    var writer: LogWriter?
    /// Sign in the transaction that appends: what leaves at once would otherwise cost a second.
    var signsEachCommit = false
    /// Whether the own log may be continued, and how much of it may leave.
    var epoch = EpochState()
    /// Why the mark on disk names a log that the open transaction is only about to begin.
    var unopened: LogOpening.Reason?
    var clock = HybridClock()
    /// The latest wall time an own event was written at; expiry is not judged earlier than this.
    var floor: Int64 = 0
    /// SQLite's wal-index header when everything committed was last taken in, to notice commits
    /// of other processes.
    private var knownHeader = WalIndexHeader()
    /// The header before the snapshot that is being taken in.
    private var newestHeader = WalIndexHeader()
    /// The reset that `floor` knows of.
    private var floorReset: Int64 = -1
    private var walIndex: UnsafeRawPointer?
    /// Right edges of other replicas' chains, by chain number.
    var frontiers: [Int64: MerkleFrontier] = [:]
    /// What merging compares.
    var tipBook = TipBook()
    /// The folder secrets as of a version of the members.
    var folderSecretCache: (version: Int, secrets: [(rank: Int, secret: FolderSecret)])?
    /// The version of the members, and the number of chains, as of which everybody has the folder
    /// secrets that this replica gives.
    var sharedAt: (version: Int, chainCount: Int)?
    /// A private copy that this ledger reads from and removes at close.
    var temporaryCopy: TemporaryCopy?
    /// Subjects whose first `erased` event came with the intervals that are being taken.
    var newlyErased: Set<SubjectTag> = []
    /// Where headers are encoded, kept to save an allocation per event.
    var scratch: [UInt8] = []
    /// Where keys are written to be digested, for the same reason.
    var keyScratch: [UInt8] = []

    var digester: Digester { rows.digester }

    init(
        store: EventStore, access: Ledger.Access, keys: ReplicaKeys?, environment: LedgerEnvironment
    ) throws(LedgerError) {
        self.store = store
        self.access = access
        self.environment = environment
        identity = try LedgerIdentity(store)
        tags = try SubjectTagger(ledgerKey: identity.key)
        rows = try RowReader(store: store, ledger: identity.id)
        // With a tagger of its own, since it may work on a thread of its own.
        judge = IntervalJudge(rows.digester, try SubjectTagger(ledgerKey: identity.key))
        projector = Projector(
            store: store, rows: rows, keysInMemory: environment.keysInMemory)
        // Before the snapshot: the database is never behind a mark that was read earlier.
        let mark = keys == nil ? nil : try readMark()
        try store.withSnapshot { () throws(LedgerError) in
            try rows.refresh()
            try projector.reload(through: rows.chains.maxRow)
            if let keys {
                writer = try LogWriter(keys: keys, identity: identity, store)
                epoch = EpochState(doubt: try doubt(mark), mark: mark)
            }
            try loadClock()
        }
    }

    /// Takes over how far clock and floor got in other processes and before this one.
    private func loadClock() throws(LedgerError) {
        let stored = Timestamp(value: UInt64(bitPattern: try store.metaInteger(.clock)))
        clock = HybridClock(last: max(clock.last, stored))
        let storedFloor = try store.metaInteger(.floor)
        floor = projector.floorReset == floorReset ? max(floor, storedFloor) : storedFloor
        floorReset = projector.floorReset
        if let log = identity.ownLog, let chain = rows.chains.indices(of: log).first,
            let last = rows.chains.row(chain, rows.chains.size(chain) &- 1),
            let event = try rows.event(last)
        {
            clock = HybridClock(last: max(clock.last, event.header.timestamp))
            if last > floorReset {
                floor = max(floor, event.payload?.wall ?? event.header.timestamp.milliseconds)
            }
        }
    }

    /// The time expiry is judged at: it does not run back with the wall clock.
    var now: Int64 { max(environment.wallClock(), floor) }

    // MARK: Snapshots

    /// Whether nothing was committed by anyone since the last snapshot.
    ///
    /// Reading the header costs nanoseconds; `PRAGMA data_version` would cost half a query.
    var isCurrent: Bool {
        guard let walIndex else { return false }
        return knownHeader.equals(walIndex)
    }

    /// SQLite's wal-index header, which every commit of anyone changes; empty where there is none.
    var changeMark: [UInt8] {
        if walIndex == nil { walIndex = store.database.walIndex }
        guard let walIndex else { return [] }
        let header = WalIndexHeader()
        header.copy(walIndex)
        return header.value
    }

    /// Runs `body` on a snapshot with everything that is committed folded in.
    func withSnapshot<R>(_ body: () throws(LedgerError) -> R) throws(LedgerError) -> R {
        // The header is read before the snapshot begins: a commit between the two is seen twice,
        // never missed.
        readHeader()
        return try store.withSnapshot { () throws(LedgerError) in
            try follow()
            return try body()
        }
    }

    private func readHeader() {
        if walIndex == nil { walIndex = store.database.walIndex }
        if let walIndex { newestHeader.copy(walIndex) }
    }

    /// Takes in what other processes committed; inside a transaction.
    private func follow() throws(LedgerError) {
        let known = rows.chains.maxRow
        let chainCount = rows.chains.chains.count
        try rows.refresh()
        if rows.chains.maxRow != known { try rows.readMembers() }
        if rows.chains.chains.count != chainCount { try followOwnLog() }
        try projector.follow(to: rows.chains.maxRow)
        if rows.chains.maxRow != known || projector.floorReset != floorReset { try loadClock() }
        // Not before: what could not be taken in must not pass for known.
        swap(&knownHeader, &newestHeader)
    }

    /// Runs `body` in a write transaction on the newest state; all or nothing.
    func write<R>(_ body: () throws(LedgerError) -> R) throws(LedgerError) -> R {
        guard access == .readWrite else {
            throw LedgerError(.readOnly, "This ledger was opened for reading; open it for writing.")
        }
        readHeader()
        try store.beginWrite()
        var saved = (
            clock: clock, floor: floor, writer: writer, epoch: epoch, log: identity.ownLog
        )
        var followed: (row: Int64, changes: Int)?
        do {
            try follow()
            saved = (clock, floor, writer, epoch, identity.ownLog)
            followed = (rows.chains.maxRow, projector.changeCount)
            let result = try body()
            try commit()
            unopened = nil
            return result
        } catch {
            store.rollback()
            (clock, floor, writer, epoch, identity.ownLog) = saved
            if let unopened { epoch.doubt = unopened }
            unopened = nil
            if let followed, followed == (rows.chains.maxRow, projector.changeCount) { throw error }
            // What the failed transaction left in the caches is of no use: the next snapshot
            // starts from the disk.
            frontiers = [:]
            rows.forget()
            projector.forget()
            throw error
        }
    }

    private func commit() throws(LedgerError) {
        guard let onCommit = environment.onCommit else { return try store.commit() }
        let start = SystemClock.monotonicNanoseconds()
        try store.commit()
        onCommit(SystemClock.monotonicNanoseconds() - start)
    }

    /// Writes deferred index entries and states where they are past their bounds.
    func flushIfNeeded() throws(LedgerError) {
        guard projector.needsFlush else { return }
        try flush(all: false)
    }

    func flush(all: Bool) throws(LedgerError) {
        try write { () throws(LedgerError) in
            try projector.flush(all: all)
            try store.setMeta(.floor, floor)
        }
    }
}

internal import Synchronization

/// The consent ledger of one replica.
///
/// All calls are synchronous and may come from any thread. Call them from a thread that may block,
/// not from inside an actor or the cooperative pool.
///
/// - Calls that write, and quick ones such as ``status(_:)``, wait for one another. The long reads
///   (histories, lists, proofs, ``verify(progress:)``) run on connections of their own and keep
///   nobody waiting.
/// - Appends are durable when they return: one fsync, shared with the appends that other threads
///   ask for meanwhile. Each other call that may cost one says so; reading costs none. Now and
///   then a call that writes also moves on what was deferred, which costs a few more.
/// - Another process that holds the database is waited for, up to
///   ``LedgerEnvironment/lockWaitMilliseconds``; then the call throws `busy`.
///
/// ```swift
/// let (ledger, recoveryKey) = try Ledger.create(at: directory)
/// let phone = Place(device: "phone", install: "1")
/// try ledger.append(.allowed("me", resource: "camera", at: phone))
/// let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
/// try ledger.close()
/// ```
public final class Ledger: Sendable {
    /// What a ledger is opened for.
    public enum Access: Sendable, Hashable {
        /// Record, ask and merge.
        case readWrite
        /// Ask, prove and verify; works on media that cannot be written.
        case readOnly
    }

    /// The ledger's id.
    public let id: LedgerID
    /// The replica's id; nil where its key is not here.
    public let replica: ReplicaID?
    /// The log this replica writes into; nil where its key is not here.
    ///
    /// Another one after its state was restored, copied or moved; waits for other calls.
    public var log: LogID? {
        core.withLock { core in core?.writer?.log ?? lastLog.withLock { $0 } }
    }

    /// The log that was written into when this was closed.
    private let lastLog = Mutex<LogID?>(nil)

    private let core: Mutex<Core?>
    private let queue = AppendQueue()
    let readers: ReaderPool
    /// Beside the core, so that whoever makes intervals for it need not wait for it.
    let tagger = Mutex<SubjectTagger?>(nil)
    let ledgerKey: [UInt8]
    /// Called after each append of this process, outside the lock.
    private let appendObservers = Mutex<[@Sendable () -> Void]>([])

    init(_ core: sending Core, mode: Database.Mode = .readOnly) {
        ledgerKey = core.identity.key
        readers = ReaderPool(
            path: core.store.database.path, mode: mode, environment: core.environment)
        id = core.identity.id
        replica = core.writer?.replica
        self.core = Mutex(core)
    }

    /// Runs `body` under the lock of the ledger.
    func withCore<R: Sendable>(
        _ body: (Core) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        try core.withLock { (core) throws(LedgerError) in
            guard let core else {
                throw LedgerError(.closed, "This ledger was closed; open it again.")
            }
            return try body(core)
        }
    }

    /// Has `observer` called after each append, on the thread that appended; it must be quick.
    package func onAppend(_ observer: @escaping @Sendable () -> Void) {
        appendObservers.withLock { $0.append(observer) }
    }

    /// Runs `body` on a connection of its own, without the lock of the ledger.
    func withReader<R>(_ body: (Core) throws(LedgerError) -> R) throws(LedgerError) -> R {
        try withCore { _ in }
        return try readers.withReader(body)
    }

    /// Records drafts through the queue of appenders.
    func enqueue(_ drafts: [Draft]) throws(LedgerError) -> [Receipt] {
        for draft in drafts { try DraftRules.check(draft) }
        defer { for observer in appendObservers.withLock({ $0 }) { observer() } }
        return try queue.append(drafts) { requests in
            core.withLock { core in
                if let core {
                    core.commit(requests)
                } else {
                    let closed = LedgerError(.closed, "This ledger was closed; open it again.")
                    for request in requests { request.outcome = .failure(closed) }
                }
            }
        }
    }

    /// Signs the tail of the own log, writes what is deferred and closes; later calls fail.
    ///
    /// Waits for calls that hold the lock; costs a few fsyncs. Reads that run on connections of
    /// their own go on to their end. Closing twice does nothing.
    ///
    /// - Throws: `busy`, `io` or `noSpace` when that cannot be written; everything appended is
    ///   durable.
    public func close() throws(LedgerError) {
        try core.withLock { (core) throws(LedgerError) in
            guard let open = core else { return }
            core = nil
            readers.close()
            defer { lastLog.withLock { $0 = open.writer?.log } }
            try open.close()
        }
    }
}

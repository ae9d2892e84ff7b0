internal import Ledger
internal import Synchronization

/// What all parts of a running daemon share.
final class Daemon: Sendable {
    let ledger: Ledger
    let directory: String
    let log: DaemonLog
    let metrics: Metrics
    /// Unix milliseconds.
    let startedAt: Int64

    private struct Words: Sendable {
        var catalog: Catalog?
        var facts = CatalogFacts()
    }
    private let words = Mutex(Words())
    private struct Merging: Sendable {
        var peers: SyncPart?
        var folders: FolderPart?
    }
    private let merging = Mutex(Merging())
    /// What went wrong last in a part that goes on trying, by the part's name.
    private let troubles = Mutex<[String: HealthReport.Problem]>([:])

    init(_ ledger: Ledger, _ directory: String, _ log: DaemonLog, _ metrics: Metrics, now: Int64) {
        self.ledger = ledger
        self.directory = directory
        self.log = log
        self.metrics = metrics
        startedAt = now
    }

    /// Lends the parts that merge to the rest.
    func attach(_ peers: SyncPart, _ folders: FolderPart) {
        merging.withLock { $0 = Merging(peers: peers, folders: folders) }
    }

    var peers: SyncPart? { merging.withLock { $0.peers } }
    var folders: FolderPart? { merging.withLock { $0.folders } }

    /// The daemon's own catalog.
    var catalog: Catalog? { words.withLock { $0.catalog } }
    var catalogFacts: CatalogFacts { words.withLock { $0.facts } }

    func use(_ catalog: Catalog?) {
        let facts = catalog.map { CatalogFacts($0) } ?? CatalogFacts()
        words.withLock { $0 = Words(catalog: catalog, facts: facts) }
    }

    /// Records what a client asked for; all or nothing.
    func append(_ drafts: [Draft]) throws(Failure) -> [Receipt] {
        let start = SystemClock.monotonicNanoseconds()
        let receipts = try lifted { () throws(LedgerError) in try ledger.append(drafts) }
        metrics.addAppend(
            nanoseconds: SystemClock.monotonicNanoseconds() - start,
            events: receipts.count { $0.isNew })
        return receipts
    }

    /// Notes that a part of the daemon fails, or works again.
    func note(_ part: String, _ failure: Failure?) {
        troubles.withLock { troubles in
            troubles[part] = failure.map {
                HealthReport.Problem(code: $0.code, message: "\(part): \($0.message)")
            }
        }
    }

    func health() -> HealthReport {
        var report = HealthReport(ledger, directory)
        report.daemonUpSeconds = max(0, SystemClock.milliseconds() - startedAt) / 1000
        report.peers = peers?.counts
        let troubles = troubles.withLock { $0 }
        for (_, problem) in troubles.sorted(by: { $0.key < $1.key }) {
            report.add(problem.code, problem.message)
        }
        return report
    }
}

/// Recomputes a ledger from its stored bytes, row by row in the order of arrival.
struct Verifier {
    private let core: Core

    init(_ core: Core) { self.core = core }

    /// Runs all checks; inside a snapshot.
    func run(progress: (Int64, Int64) -> Void) throws(LedgerError) -> VerificationReport {
        let chains = core.rows.chains
        // What is cached must not hide what is on disk.
        try core.projector.reload(through: chains.maxRow)
        var projection = ProjectionCheck(core)
        let check = try LogCheck(core, projection.fold)
        var rows = HashedRows(core, checking: try TreeCheck(core))
        var hasUnlistedMember = false
        try rows.forEachBatch(
            note: { (row, head) throws(LedgerError) in
                projection.note(row, head)
                if try core.isUnlistedMember(row, head) { hasUnlistedMember = true }
            }, progress: progress,
            work: { check.take($0) })
        if let failure = check.failure { throw failure }
        check.judgeBlanks()
        for chain in chains.chains.indices {
            check.finish(
                chain, newest: try core.store.checkpoint(chain: chains.chains[chain].number),
                root: rows.tree?.root(chain) ?? .zero)
        }
        var report = check.report
        do throws(LedgerError) {
            for message in try projection.compare() { report.add(message) }
        } catch  where error.code == .damaged {
            report.add(error.message)
        }
        if hasUnlistedMember {
            report.add("The list of events about members lacks some of them; rebuild it.")
        }
        try core.store.checkPages()
        progress(chains.maxRow, chains.maxRow)
        return report
    }
}

extension VerificationReport {
    fileprivate mutating func add(_ message: String) {
        findings.append(Finding(log: nil, sequence: nil, message: message))
    }
}

/// Recomputes a ledger from its stored bytes, row by row in the order of arrival.
struct Verifier {
    private let core: Core
    private var report = VerificationReport()
    /// Right edges by chain index; a chain with a finding is not followed further.
    private var frontiers: [Int: MerkleFrontier] = [:]
    private var nextCheckpoints: [Int: StoredCheckpoint] = [:]
    private var broken: Set<Int> = []
    private var projection: ProjectionCheck
    private var expectedRow: Int64 = 1
    /// Subjects that were erased, and the first event of each subject that lacks its content
    /// though no replica could have failed to send it.
    private var erased: Set<SubjectTag> = []
    private var blank: [SubjectTag: (chain: Int, sequence: UInt64)] = [:]

    init(_ core: Core) {
        self.core = core
        projection = ProjectionCheck(core)
    }

    private var chains: ChainMap { core.rows.chains }

    /// Runs all checks; inside a snapshot.
    mutating func run(
        progress: (Int64, Int64) -> Void
    ) throws(LedgerError) -> VerificationReport {
        // What is cached must not hide what is on disk.
        try core.projector.reload(through: chains.maxRow)
        for chain in chains.chains.indices { try begin(chain) }
        let total = chains.maxRow
        if total > 0 {
            try core.store.forEachEvent(1...total) { (row, head, body) throws(LedgerError) in
                try check(row, head, body)
                if row % 4096 == 0 { progress(row, total) }
                return true
            }
        }
        for (tag, place) in blank where !erased.contains(tag) {
            find(place.chain, place.sequence, "lacks its content, and its subject was not erased")
        }
        for chain in chains.chains.indices { try finish(chain) }
        do throws(LedgerError) {
            for message in try projection.compare() { find(message) }
        } catch  where error.code == .damaged {
            find(error.message)
        }
        progress(total, total)
        return report
    }

    private mutating func begin(_ chain: Int) throws(LedgerError) {
        let own = chains.chains[chain].pieces.first { !$0.isShared }
        let start = own?.firstSequence ?? 0
        // What a fork shares with another chain is checked there, once both say the same of it.
        if start > 0 { try checkShared(chain, below: start) }
        frontiers[chain] = start == 0 ? MerkleFrontier() : try core.frontier(of: chain, at: start)
        nextCheckpoints[chain] = try core.store.checkpoint(
            chain: chains.chains[chain].number, above: start)
    }

    /// The checkpoints that a fork has copied must be those of the chains that it shares with.
    private mutating func checkShared(
        _ chain: Int, below start: UInt64
    ) throws(LedgerError) {
        let number = chains.chains[chain].number
        var size: UInt64 = 0
        while let copied = try core.store.checkpoint(chain: number, above: size),
            copied.size <= start
        {
            let owner = chains.row(chain, copied.size - 1).flatMap { chains.locate($0)?.chain }
            let original =
                try owner.map { (owner) throws(LedgerError) in
                    try core.store.checkpoint(
                        chain: chains.chains[owner].number, atMost: copied.size)
                } ?? nil
            guard let original, original == copied else {
                return find(
                    chain, size, "begins an interval whose checkpoint differs between branches")
            }
            size = copied.size
        }
    }

    private mutating func check(
        _ row: Int64, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?
    ) throws(LedgerError) {
        while expectedRow < row {
            if let place = chains.locate(expectedRow) {
                find(place.chain, place.sequence, "is missing from the database")
            }
            expectedRow += 1
        }
        expectedRow = row + 1
        report.eventCount += 1
        guard let (chain, sequence) = chains.locate(row) else { return }
        let log = chains.chains[chain].log
        guard
            let event = try? StoredRow.event(
                log: log, sequence: sequence, head: head, body: body, core.digester)
        else { return find(chain, sequence, "has a header that does not decode") }
        if !broken.contains(chain) { try check(event, chain, head) }
        note(event, chain)
        try projection.add(event, row)
    }

    /// A payload from another replica may never have come; any other is here until it is erased.
    private mutating func note(_ event: Event, _ chain: Int) {
        let tag = event.header.subjectTag
        if event.header.kind == .erased { erased.insert(tag) }
        // Own events of an earlier log may have come back from a peer that had not all of them.
        let isLost =
            event.content == .missing && chains.chains[chain].log == core.identity.ownLog
        guard event.content == .erased || isLost, blank[tag] == nil else { return }
        blank[tag] = (chain, event.header.sequence)
    }

    private func isOwn(_ chain: Int) -> Bool {
        chains.chains[chain].author == core.identity.replica
    }

    private mutating func check(
        _ event: Event, _ chain: Int, _ head: UnsafeRawBufferPointer
    ) throws(LedgerError) {
        let sequence = event.header.sequence
        guard StoredRow.check(head) == UInt32(truncatingIfNeeded: event.id.raw.a >> 32) else {
            return find(chain, sequence, "was changed: its header does not hash to its id")
        }
        if !event.body.isEmpty {
            guard event.body.count == StoredRow.saltLength + event.header.payloadLength,
                core.digester.digest(event.body) == event.header.commitment
            else {
                return find(
                    chain, sequence, "was changed: its content differs from what it commits to")
            }
            guard try core.isAboutTag(event.header, event.content) else {
                return find(chain, sequence, "is about another subject than its header says")
            }
        }
        if sequence == 0, !proves(event, chain) {
            return find(chain, 0, "does not prove the log's author")
        }
        frontiers[chain]?.append(event.id.raw, core.digester)
        if let root = frontiers[chain]?.completedSubtree {
            let place = sequence / MerkleTree.storedSubtreeSize
            let stored = try core.store.subtree(chain: chains.chains[chain].number, place: place)
            guard stored == nil || stored == root else {
                return find(chain, sequence, "ends a part of the tree whose stored root differs")
            }
        }
        guard let checkpoint = nextCheckpoints[chain], checkpoint.size == sequence + 1 else {
            return
        }
        try check(checkpoint, chain)
    }

    private func proves(_ event: Event, _ chain: Int) -> Bool {
        // A log is taken in only with the content of its first event.
        guard case .opening(let opening) = event.content else { return false }
        let log = try? LedgerIdentity.logID(
            ledger: core.identity.id, replica: opening.replica, epoch: opening.epoch)
        return log == event.header.log && opening.replica == chains.chains[chain].author
    }

    private mutating func check(
        _ stored: StoredCheckpoint, _ chain: Int
    ) throws(LedgerError) {
        let known = chains.chains[chain]
        let previous = try core.store.checkpoint(chain: known.number, atMost: stored.size - 1)
        let first = previous?.size ?? 0
        nextCheckpoints[chain] = try core.store.checkpoint(chain: known.number, above: stored.size)
        guard let frontier = frontiers[chain], frontier.root(core.digester) == stored.root,
            frontier.subtrees == stored.frontier.subtrees
        else {
            return find(
                chain, first,
                "or a later one before \(stored.size) was changed: the signed root differs")
        }
        let checkpoint = Checkpoint(
            log: known.log, size: stored.size, root: stored.root, signature: stored.signature)
        guard checkpoint.isSigned(by: known.author) else {
            return find(
                chain, first, "begins an interval whose checkpoint is not signed by its author")
        }
    }

    private mutating func find(_ chain: Int, _ sequence: UInt64, _ what: String) {
        guard broken.insert(chain).inserted else { return }
        let log = chains.chains[chain].log
        report.findings.append(
            VerificationReport.Finding(
                log: log, sequence: sequence, message: "Event \(sequence) of log \(log) \(what)."))
    }

    private mutating func find(_ message: String) {
        report.findings.append(
            VerificationReport.Finding(log: nil, sequence: nil, message: message))
    }

    private mutating func finish(_ chain: Int) throws(LedgerError) {
        let known = chains.chains[chain]
        let newest = try core.store.checkpoint(chain: known.number)
        let size = chains.size(chain)
        if let newest, newest.size > size {
            find(
                chain, size, "is missing: the log was cut off below its signed size \(newest.size)")
        }
        let unsigned = size - min(size, newest?.size ?? 0)
        if !isOwn(chain), unsigned > 0 {
            find(chain, size - unsigned, "and what follows is not signed by the log's author")
        } else if unsigned >= LogWriter.intervalEventsMax {
            find(chain, size - unsigned, "and what follows should be signed and is not")
        }
        let root = broken.contains(chain) ? nil : frontiers[chain]?.root(core.digester)
        report.logs.append(
            VerificationReport.LogSummary(
                log: known.log, author: known.author, size: size, root: root ?? .zero,
                signedSize: min(size, newest?.size ?? 0)))
    }
}

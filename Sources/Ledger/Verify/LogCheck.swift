/// Checks hashed rows against their logs' trees and signatures, and folds what they say.
///
/// `@unchecked Sendable`: belongs to the thread that judges rows until that has ended, then to the
/// caller who waited for it; it reads nothing of the ledger, which the other thread uses.
final class LogCheck: @unchecked Sendable {
    private let chains: ChainMap
    private let identity: LedgerIdentity
    private let digester: Digester
    private var tags: TagCheck
    private let fold: LedgerFold
    private(set) var report = VerificationReport()
    /// Why the check itself could not go on.
    private(set) var failure: LedgerError?
    /// Right edges by chain index; a chain with a finding is not followed further.
    private var frontiers: [MerkleFrontier] = []
    private var isBroken: [Bool]
    private var expectedRow: Int64 = 1
    /// Subjects that were erased, and the first event of each subject that lacks its content
    /// though no replica could have failed to send it.
    private var erased: Set<SubjectTag> = []
    private var blank: [SubjectTag: (chain: Int, sequence: UInt64)] = [:]

    /// Inside a snapshot.
    init(_ core: Core, _ fold: LedgerFold) throws(LedgerError) {
        chains = core.rows.chains
        identity = core.identity
        digester = try Digester()
        tags = TagCheck(try SubjectTagger(ledgerKey: core.identity.key))
        self.fold = fold
        isBroken = chains.chains.map { _ in false }
        for chain in chains.chains.indices {
            // What a fork shares with another chain is checked there.
            let start = chains.chains[chain].ownStart
            frontiers.append(
                start == 0 ? MerkleFrontier() : try core.frontier(of: chain, at: start))
        }
        for chain in chains.chains.indices { try checkShared(chain, core.store) }
    }

    /// The checkpoints that a fork has copied must be those of the chains that it shares with.
    private func checkShared(_ chain: Int, _ store: EventStore) throws(LedgerError) {
        let start = chains.chains[chain].ownStart
        let number = chains.chains[chain].number
        var size: UInt64 = 0
        while size < start, let copied = try store.checkpoint(chain: number, above: size),
            copied.size <= start
        {
            var original: StoredCheckpoint?
            if let owner = chains.row(chain, copied.size - 1).flatMap({ chains.locate($0)?.chain })
            {
                original = try store.checkpoint(
                    chain: chains.chains[owner].number, atMost: copied.size)
            }
            guard original == copied else {
                return find(
                    chain, size, "begins an interval whose checkpoint differs between branches")
            }
            size = copied.size
        }
    }

    func take(_ batch: RowBatch) {
        guard failure == nil else { return }
        for index in batch.rows.indices {
            do throws(LedgerError) {
                try check(batch.rows[index], batch.marks[index], batch)
            } catch {
                failure = error
                return
            }
        }
    }

    private func check(
        _ row: RowBatch.Row, _ mark: RowBatch.Mark?, _ batch: RowBatch
    ) throws(LedgerError) {
        while expectedRow < row.number {
            if let place = chains.locate(expectedRow) {
                find(place.chain, place.sequence, "is missing from the database")
            }
            expectedRow += 1
        }
        expectedRow = row.number + 1
        report.eventCount += 1
        guard let (chain, sequence) = row.place else { return }
        guard case .success(let header) = EventHeader.decode(batch.header(row)) else {
            return find(chain, sequence, "has a header that does not decode")
        }
        let stored = batch.body(row)
        let body = ScannedBody(header.kind, stored)
        if !isBroken[chain] {
            try check(row, header, stored, body, chain)
            if !isBroken[chain] { grow(chain, sequence, row.id, mark) }
        }
        note(header, body, chain)
        var fact = Fact(row.id, header, body, row: row.number)
        if row.isRepeated {
            fact.key = nil
            fact.role = .nothing
        }
        fold.add(fact)
    }

    private func check(
        _ row: RowBatch.Row, _ header: EventHeader, _ stored: UnsafeRawBufferPointer?,
        _ body: ScannedBody, _ chain: Int
    ) throws(LedgerError) {
        // A row's content is hashed into its header, so this tells a change of either.
        guard row.check == UInt32(truncatingIfNeeded: row.id.raw.a >> 32) else {
            return find(
                chain, header.sequence, "was changed: header and content do not hash to its id")
        }
        guard try tags.isAbout(header, body) else {
            return find(chain, header.sequence, "is about another subject than its header says")
        }
        if header.sequence == 0, !proves(header, stored, chain) {
            return find(chain, 0, "does not prove the log's author")
        }
    }

    private func proves(
        _ header: EventHeader, _ stored: UnsafeRawBufferPointer?, _ chain: Int
    ) -> Bool {
        // A log is taken in only with the content of its first event.
        guard header.kind == .logOpened, let stored, stored.count >= StoredRow.saltLength,
            let opening = try? LogOpening(encoded: [UInt8](stored[StoredRow.saltLength...]))
        else { return false }
        let log = try? LedgerIdentity.logID(
            ledger: identity.id, replica: opening.replica, epoch: opening.epoch)
        return log == header.log && opening.replica == chains.chains[chain].author
    }

    // MARK: Tree

    private func grow(_ chain: Int, _ sequence: UInt64, _ id: EventID, _ mark: RowBatch.Mark?) {
        frontiers[chain].append(id.raw, digester)
        guard let mark else { return }
        if let root = frontiers[chain].completedSubtree, let stored = mark.subtree, stored != root {
            return find(chain, sequence, "ends a part of the tree whose stored root differs")
        }
        if let checkpoint = mark.checkpoint { check(checkpoint, after: mark.previousSize, chain) }
    }

    private func check(_ stored: StoredCheckpoint, after first: UInt64, _ chain: Int) {
        let frontier = frontiers[chain]
        guard frontier.root(digester) == stored.root,
            frontier.subtrees == stored.frontier.subtrees
        else {
            return find(
                chain, first,
                "or a later one before \(stored.size) was changed: the signed root differs")
        }
        let known = chains.chains[chain]
        let checkpoint = Checkpoint(
            log: known.log, size: stored.size, root: stored.root, signature: stored.signature)
        guard checkpoint.isSigned(by: known.author) else {
            return find(
                chain, first, "begins an interval whose checkpoint is not signed by its author")
        }
    }

    // MARK: Content that is not here

    /// A payload from another replica may never have come; any other is here until it is erased.
    private func note(_ header: EventHeader, _ body: ScannedBody, _ chain: Int) {
        if header.kind == .erased { erased.insert(header.subjectTag) }
        switch body {
        case .erased: break
        // Own events of an earlier log may have come back from a peer that had not all of them.
        case .missing where chains.chains[chain].log == identity.ownLog: break
        default: return
        }
        if blank[header.subjectTag] == nil { blank[header.subjectTag] = (chain, header.sequence) }
    }

    private func isOwn(_ chain: Int) -> Bool { chains.chains[chain].author == identity.replica }

    func judgeBlanks() {
        for (tag, place) in blank where !erased.contains(tag) {
            find(place.chain, place.sequence, "lacks its content, and its subject was not erased")
        }
    }

    // MARK: Findings

    private func find(_ chain: Int, _ sequence: UInt64, _ what: String) {
        guard !isBroken[chain] else { return }
        isBroken[chain] = true
        let log = chains.chains[chain].log
        report.findings.append(
            VerificationReport.Finding(
                log: log, sequence: sequence, message: "Event \(sequence) of log \(log) \(what)."))
    }

    /// Judges how a chain ends.
    func finish(_ chain: Int, newest: StoredCheckpoint?) {
        let known = chains.chains[chain]
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
        report.logs.append(
            VerificationReport.LogSummary(
                log: known.log, author: known.author, size: size,
                root: isBroken[chain] ? .zero : frontiers[chain].root(digester),
                signedSize: min(size, newest?.size ?? 0)))
    }
}

/// Checks hashed rows one by one, notes what their trees showed, and folds what they say.
///
/// `@unchecked Sendable`: belongs to the thread that judges rows until that has ended, then to the
/// caller who waited for it; it reads nothing of the ledger, which the other thread uses.
final class LogCheck: @unchecked Sendable {
    private let chains: ChainMap
    private let identity: LedgerIdentity
    private var tags: TagCheck
    private let fold: LedgerFold
    private(set) var report = VerificationReport()
    /// Why the check itself could not go on.
    private(set) var failure: LedgerError?
    /// By chain index; a chain with a finding is not followed further.
    private var isBroken: [Bool]
    private var expectedRow: Int64 = 1
    /// Subjects that were erased, and the first event of each subject that lacks its content
    /// though no replica could have failed to send it.
    private var erased: Set<SubjectTag> = []
    /// Subjects that are listed as erased, of whom nothing may be left.
    private let gone: Set<SubjectTag>
    private var blank: [SubjectTag: (chain: Int, sequence: UInt64)] = [:]

    /// Inside a snapshot.
    init(_ core: Core, _ fold: LedgerFold) throws(LedgerError) {
        chains = core.rows.chains
        identity = core.identity
        tags = TagCheck(try SubjectTagger(ledgerKey: core.identity.key))
        self.fold = fold
        gone = Set(core.projector.erasures.keys)
        isBroken = chains.chains.map { _ in false }
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
                let problem = batch.problems.isEmpty ? nil : batch.problems[index]
                try check(batch.rows[index], problem, batch)
            } catch {
                failure = error
                return
            }
        }
    }

    private func check(
        _ row: RowBatch.Row, _ problem: RowBatch.Problem?, _ batch: RowBatch
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
        defer { if let problem { find(chain, problem.sequence, problem.what) } }
        guard case .success(let header) = EventHeader.decode(batch.header(row)) else {
            return find(chain, sequence, "has a header that does not decode")
        }
        let stored = batch.body(row)
        let body = ScannedBody(header.kind, stored)
        var fact = Fact(row.id, header, body, row: row.number)
        if row.isRepeated {
            fact.key = nil
            fact.role = .nothing
        }
        if row.isLimited { fact.limit() }
        let entry = fold.entry(of: fact)
        if !isBroken[chain] { try check(row, header, stored, body, chain, entry) }
        note(header, body, chain)
        fold.add(fact, to: entry)
    }

    private func check(
        _ row: RowBatch.Row, _ header: EventHeader, _ stored: UnsafeRawBufferPointer?,
        _ body: ScannedBody, _ chain: Int, _ entry: LedgerFold.Entry?
    ) throws(LedgerError) {
        // A row's content is hashed into its header, so this tells a change of either.
        guard row.check == UInt32(truncatingIfNeeded: row.id.raw.a >> 32) else {
            return find(
                chain, header.sequence, "was changed: header and content do not hash to its id")
        }
        guard try isAbout(header, body, entry) else {
            return find(chain, header.sequence, "is about another subject than its header says")
        }
        if header.sequence == 0, !proves(header, stored, chain) {
            return find(chain, 0, "does not prove the log's author")
        }
    }

    /// Whether a payload is about the subject that its header names by tag; one keyed hash for
    /// each key, whose later payloads are about it too where they name the subject alike.
    private func isAbout(
        _ header: EventHeader, _ body: ScannedBody, _ entry: LedgerFold.Entry?
    ) throws(LedgerError) -> Bool {
        guard let entry, case .payload(let scan) = body, let subject = scan.subject else {
            return try tags.isAbout(header, body)
        }
        let name = KeyDigest(subject)
        if entry.subject == name { return true }
        guard try tags.isAbout(header, body) else { return false }
        entry.subject = name
        return true
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

    // MARK: Content that is not here

    /// A payload from another replica may never have come; any other is here until it is erased.
    private func note(_ header: EventHeader, _ body: ScannedBody, _ chain: Int) {
        if header.kind == .erased { erased.insert(header.subjectTag) }
        switch body {
        case .erased: break
        // Own events of an earlier log may have come back from a peer that had not all of them.
        case .missing where chains.chains[chain].log == identity.ownLog: break
        default:
            if gone.contains(header.subjectTag), !body.isKeptWhenErased(header.kind) {
                find(chain, header.sequence, "has its content still, and its subject was erased")
            }
            return
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
    func finish(_ chain: Int, newest: StoredCheckpoint?, root: Bytes32) {
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
                root: isBroken[chain] ? .zero : root,
                signedSize: min(size, newest?.size ?? 0)))
    }
}

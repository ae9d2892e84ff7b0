/// Reads stored rows as events.
///
/// Guarded by the lock of the ledger.
final class RowReader {
    let store: EventStore
    let digester: Digester
    let ledger: LedgerID
    var chains = ChainMap()
    /// Who is a member, as of the rows that were taken note of.
    var members = Membership() {
        didSet {
            membersVersion += 1
            hasLimits = !members.limits.isEmpty
        }
    }
    /// Whether anybody's events count only in part: known without a copy of `members` per event.
    private(set) var hasLimits = false
    /// Grows with every change of `members`.
    private(set) var membersVersion = 0
    var prefixes = PrefixSearch()
    /// Where headers are restored, kept to save an allocation per row.
    private var scratch: [UInt8] = []

    init(store: EventStore, ledger: LedgerID) throws(LedgerError) {
        self.store = store
        self.ledger = ledger
        digester = try Digester()
    }

    /// Takes note of rows, chains and pieces up to the snapshot's end.
    func refresh() throws(LedgerError) {
        let row = try store.maxRow()
        guard row != chains.maxRow || chains.chains.isEmpty else { return }
        let (lastRow, lastChain) = (chains.lastPieceRow, chains.lastChainNumber)
        for chain in try store.chains(after: lastChain) { chains.add(chain) }
        for piece in try store.pieces(afterRow: lastRow, orChain: lastChain) { chains.add(piece) }
        chains.maxRow = row
    }

    /// Drops what was taken note of, so that it is read again.
    func forget() {
        chains = ChainMap()
        members = Membership()
        prefixes = PrefixSearch()
    }

    func event(
        _ row: Int64, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?
    ) throws(LedgerError) -> Event {
        guard let (chain, sequence) = chains.locate(row) else { throw store.damaged("row \(row)") }
        do {
            return try StoredRow.event(
                log: chains.chains[chain].log, sequence: sequence, head: head, body: body, digester)
        } catch {
            throw damaged(chain, sequence, error)
        }
    }

    func event(_ row: Int64) throws(LedgerError) -> Event? {
        var event: Event?
        _ = try store.readEvent(row) { (head, body) throws(LedgerError) in
            event = try self.event(row, head, body)
        }
        return event
    }

    func fact(_ row: Int64) throws(LedgerError) -> Fact? {
        var fact: Fact?
        _ = try store.readEvent(row) { (head, body) throws(LedgerError) in
            fact = try self.fact(row, head, body)
        }
        return fact
    }

    /// What a stored row contributes, without making an event of it.
    func fact(
        _ row: Int64, _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?
    ) throws(LedgerError) -> Fact {
        guard let (chain, sequence) = chains.locate(row) else { throw store.damaged("row \(row)") }
        let log = chains.chains[chain].log
        let length = StoredRow.headerLength(head: head, body: body)
        if scratch.count < length { scratch = [UInt8](repeating: 0, count: length) }
        let (id, decoded) = scratch.withUnsafeMutableBytes { buffer in
            let raw = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            StoredRow.restore(
                into: raw, log: log, sequence: sequence, head: head, body: body, digester)
            let bytes = UnsafeRawBufferPointer(raw)
            return (EventID(raw: digester.leaf(bytes)), EventHeader.decode(bytes))
        }
        let header: EventHeader
        switch decoded {
        case .success(let read): header = read
        case .failure(let error): throw damaged(chain, sequence, error)
        }
        var fact = Fact(id, header, ScannedBody(header.kind, body), row: row)
        try removeRepeated(&fact)
        try limit(&fact)
        return fact
    }

    private func damaged(_ chain: Int, _ sequence: UInt64, _ error: LedgerError) -> LedgerError {
        LedgerError(
            .damaged, "Event \(sequence) of log \(chains.chains[chain].log) is damaged.",
            cause: error.message)
    }

    /// What a stored event contributes: nothing where an earlier row holds the same event.
    func fact(_ event: Event, _ row: Int64) throws(LedgerError) -> Fact {
        var fact = Fact(event, row: row)
        try removeRepeated(&fact)
        try limit(&fact)
        return fact
    }

    func removeRepeated(_ fact: inout Fact) throws(LedgerError) {
        if try isRepeated(fact.id, fact.row) {
            fact.key = nil
            fact.role = .nothing
        }
    }

    /// Whether an earlier row of another branch holds the same event.
    ///
    /// A header does not commit to what is before it, so an author who signs two pasts of a log
    /// can put one event into both; in the set of events it is one.
    func isRepeated(_ id: EventID, _ row: Int64) throws(LedgerError) -> Bool {
        guard chains.hasBranches, let (chain, sequence) = chains.locate(row) else { return false }
        return try others(id, chain, sequence).contains { $0 < row }
    }

    /// The rows of a chain's other branches that hold the same event at the same place.
    func others(
        _ id: EventID, _ chain: Int, _ sequence: UInt64
    ) throws(LedgerError) -> [Int64] {
        guard chains.hasBranches else { return [] }
        let own = chains.row(chain, sequence)
        var found: Set<Int64> = []
        for other in chains.indices(of: chains.chains[chain].log) where other != chain {
            guard let row = chains.row(other, sequence), row != own, try event(row)?.id == id
            else { continue }
            found.insert(row)
        }
        return found.sorted()
    }

    /// The leaf hashes of a range of a chain.
    func leaves(
        chain: Int, _ sequences: Range<UInt64>
    ) throws(LedgerError) -> [Bytes32] {
        var leaves: [Bytes32] = []
        // No more than a row can be there for: the size may come from a damaged file.
        leaves.reserveCapacity(min(sequences.count, 8192))
        let log = chains.chains[chain].log
        for rows in chains.rows(chain, sequences) {
            try store.forEachEvent(rows) { (_, head, body) in
                let sequence = sequences.lowerBound + UInt64(leaves.count)
                let bytes = StoredRow.headerBytes(
                    log: log, sequence: sequence, head: head, body: body, digester)
                leaves.append(bytes.withUnsafeBytes { digester.leaf($0) })
                return true
            }
        }
        guard leaves.count == sequences.count else { throw store.damaged("log \(log) with a gap") }
        return leaves
    }

    /// What proofs over a chain are computed from.
    func source(chain: Int) -> MerkleTree.Source {
        let number = chains.chains[chain].number
        return MerkleTree.Source(
            leaves: { (range) throws(LedgerError) in try self.leaves(chain: chain, range) },
            subtree: { (place) throws(LedgerError) in
                try self.store.subtree(chain: number, place: place)
            })
    }
}

/// A checkpoint with the tree's right edge, so that a chain can be extended from it.
struct StoredCheckpoint: Equatable {
    let size: UInt64
    let root: Bytes32
    let signature: [UInt8]
    let frontier: MerkleFrontier
}

extension EventStore {
    /// A chain's row in the database.
    struct ChainRow {
        let number: Int64
        let log: LogID
        let author: ReplicaID
    }

    /// A run of a chain's events in consecutive rows.
    struct PieceRow {
        let chain: Int64
        let firstSequence: UInt64
        let firstRow: Int64
        let isShared: Bool
    }

    func chains(after number: Int64) throws(LedgerError) -> [ChainRow] {
        let statement = try statement("SELECT no, log, author FROM chain WHERE no>?1 ORDER BY no")
        statement.bind(1, number)
        var rows: [ChainRow] = []
        while try statement.step() {
            guard let log = LogID(bytes: statement.bytes(1)),
                let author = ReplicaID(bytes: statement.bytes(2))
            else { throw damaged("chain") }
            rows.append(ChainRow(number: statement.integer(0), log: log, author: author))
        }
        return rows
    }

    func insertChain(log: LogID, author: ReplicaID) throws(LedgerError) -> Int64 {
        let number = try database.integer("SELECT coalesce(max(no), 0) + 1 FROM chain")
        let statement = try statement("INSERT INTO chain VALUES(?1, ?2, ?3)")
        statement.bind(1, number)
        statement.bind(2, log.bytes)
        statement.bind(3, author.bytes)
        try statement.run()
        return number
    }

    /// Pieces that begin after a row, and all pieces of chains after a number.
    func pieces(afterRow row: Int64, orChain chain: Int64) throws(LedgerError) -> [PieceRow] {
        let statement = try statement(
            """
            SELECT chain, first_sequence, first_row, is_shared FROM piece
            WHERE first_row>?1 OR chain>?2 ORDER BY chain, first_sequence
            """)
        statement.bind(1, row)
        statement.bind(2, chain)
        var rows: [PieceRow] = []
        while try statement.step() {
            guard let sequence = Self.count(statement.integer(1)),
                let row = Self.count(statement.integer(2))
            else { throw damaged("piece") }
            rows.append(
                PieceRow(
                    chain: statement.integer(0), firstSequence: sequence, firstRow: Int64(row),
                    isShared: statement.integer(3) == 1))
        }
        return rows
    }

    /// A number of events; nil for one that no ledger has, with which sums could overflow.
    static func count(_ number: Int64) -> UInt64? {
        number >= 0 && number < 1 << 53 ? UInt64(number) : nil
    }

    func insertPiece(_ piece: PieceRow) throws(LedgerError) {
        let statement = try statement("INSERT INTO piece VALUES(?1, ?2, ?3, ?4)")
        statement.bind(1, piece.chain)
        statement.bind(2, Int64(piece.firstSequence))
        statement.bind(3, piece.firstRow)
        statement.bind(4, piece.isShared ? 1 : 0)
        try statement.run()
    }

    // MARK: Checkpoints and subtrees

    func insertCheckpoint(_ checkpoint: StoredCheckpoint, chain: Int64) throws(LedgerError) {
        noteChange(of: chain)
        let statement = try statement(
            "INSERT OR IGNORE INTO checkpoint VALUES(?1, ?2, ?3, ?4, ?5)")
        statement.bind(1, chain)
        statement.bind(2, Int64(checkpoint.size))
        statement.bind(3, checkpoint.root.bytes)
        statement.bind(4, checkpoint.signature)
        statement.bind(5, checkpoint.frontier.subtrees.flatMap(\.bytes))
        try statement.run()
    }

    /// The newest checkpoint of at most `size`.
    func checkpoint(
        chain: Int64, atMost size: UInt64 = UInt64(Int64.max)
    ) throws(LedgerError) -> StoredCheckpoint? {
        try firstCheckpoint(
            try statement(
                """
                SELECT size, root, signature, frontier FROM checkpoint
                WHERE chain=?1 AND size<=?2 ORDER BY size DESC LIMIT 1
                """), chain, size)
    }

    /// The oldest checkpoint of more than `size`.
    func checkpoint(chain: Int64, above size: UInt64) throws(LedgerError) -> StoredCheckpoint? {
        try firstCheckpoint(
            try statement(
                """
                SELECT size, root, signature, frontier FROM checkpoint
                WHERE chain=?1 AND size>?2 ORDER BY size LIMIT 1
                """), chain, size)
    }

    private func firstCheckpoint(
        _ statement: Statement, _ chain: Int64, _ size: UInt64
    ) throws(LedgerError) -> StoredCheckpoint? {
        statement.bind(1, chain)
        statement.bind(2, Int64(clamping: size))
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        guard let size = Self.count(statement.integer(0)) else { throw damaged("checkpoint") }
        let bytes = statement.bytes(3)
        let subtrees = stride(from: 0, to: bytes.count, by: 32).compactMap {
            Bytes32(bytes[$0..<Swift.min($0 + 32, bytes.count)])
        }
        guard let root = Bytes32(statement.bytes(1)),
            let frontier = MerkleFrontier(size: size, subtrees: subtrees)
        else { throw damaged("checkpoint") }
        return StoredCheckpoint(
            size: size, root: root, signature: statement.bytes(2), frontier: frontier)
    }

    func insertSubtree(chain: Int64, place: UInt64, root: Bytes32) throws(LedgerError) {
        let statement = try statement("INSERT OR REPLACE INTO subtree VALUES(?1, ?2, ?3)")
        statement.bind(1, chain)
        statement.bind(2, Int64(place))
        statement.bind(3, root.bytes)
        try statement.run()
    }

    func subtree(chain: Int64, place: UInt64) throws(LedgerError) -> Bytes32? {
        let statement = try statement("SELECT root FROM subtree WHERE chain=?1 AND place=?2")
        statement.bind(1, chain)
        statement.bind(2, Int64(place))
        defer { statement.reset() }
        return try statement.step() ? Bytes32(statement.bytes(0)) : nil
    }

    func damaged(_ what: String) -> LedgerError {
        LedgerError(
            .damaged,
            "\(database.path) holds a \(what) that does not decode. It was left as it is; keep it "
                + "and restore a backup beside it.")
    }
}

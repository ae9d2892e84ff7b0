/// Which rows hold which events: the pieces of each chain, and their owners by row.
///
/// A chain is one line of events of a log from sequence 0 on. A log has one chain unless its
/// author's state was copied and both copies wrote; then the chains share rows up to the fork.
struct ChainMap {
    struct Piece {
        let firstSequence: UInt64
        let firstRow: Int64
        let isShared: Bool
    }
    struct Chain {
        let number: Int64
        let log: LogID
        let author: ReplicaID
        var pieces: [Piece] = []
    }
    private struct Owner {
        let firstRow: Int64
        let chain: Int
        let firstSequence: UInt64
    }

    private(set) var chains: [Chain] = []
    private var byLog: [LogID: [Int]] = [:]
    /// Whether any log has more than one chain.
    private(set) var hasBranches = false
    /// Ascending by row; each owns the rows up to the next one.
    private var owners: [Owner] = []
    var maxRow: Int64 = 0

    var lastChainNumber: Int64 { chains.last?.number ?? 0 }
    var lastPieceRow: Int64 { owners.last?.firstRow ?? 0 }

    mutating func add(_ row: EventStore.ChainRow) {
        byLog[row.log, default: []].append(chains.count)
        if byLog[row.log]?.count ?? 0 > 1 { hasBranches = true }
        chains.append(Chain(number: row.number, log: row.log, author: row.author))
    }

    mutating func add(_ row: EventStore.PieceRow) {
        guard let index = chains.firstIndex(where: { $0.number == row.chain }) else { return }
        chains[index].pieces.append(
            Piece(
                firstSequence: row.firstSequence, firstRow: row.firstRow, isShared: row.isShared))
        guard !row.isShared else { return }
        let owner = Owner(firstRow: row.firstRow, chain: index, firstSequence: row.firstSequence)
        let place = owners.lastIndex { $0.firstRow < row.firstRow }.map { $0 + 1 } ?? 0
        owners.insert(owner, at: place)
    }

    func index(number: Int64) -> Int? { chains.firstIndex { $0.number == number } }

    func indices(of log: LogID) -> [Int] { byLog[log] ?? [] }

    /// The chain that owns a row and the row's sequence in it.
    func locate(_ row: Int64) -> (chain: Int, sequence: UInt64)? {
        var (low, high) = (0, owners.count)
        while low < high {
            let middle = (low + high) / 2
            if owners[middle].firstRow <= row { low = middle + 1 } else { high = middle }
        }
        guard low > 0, row <= maxRow else { return nil }
        let owner = owners[low - 1]
        return (owner.chain, owner.firstSequence + UInt64(row - owner.firstRow))
    }

    /// How many events a chain has.
    func size(_ chain: Int) -> UInt64 {
        guard let last = chains[chain].pieces.last else { return 0 }
        return last.firstSequence + UInt64(max(0, endRow(of: last) - last.firstRow))
    }

    /// The row after the last one that belongs to the owner of the piece's first row.
    private func endRow(of piece: Piece) -> Int64 {
        var (low, high) = (0, owners.count)
        while low < high {
            let middle = (low + high) / 2
            if owners[middle].firstRow <= piece.firstRow { low = middle + 1 } else { high = middle }
        }
        return low < owners.count ? owners[low].firstRow : maxRow + 1
    }

    /// The row of an event; nil beyond the chain's end.
    func row(_ chain: Int, _ sequence: UInt64) -> Int64? {
        let pieces = chains[chain].pieces
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].firstSequence <= sequence { low = middle + 1 } else { high = middle }
        }
        guard low > 0, sequence < size(chain) else { return nil }
        let piece = pieces[low - 1]
        return piece.firstRow + Int64(sequence - piece.firstSequence)
    }

    /// The rows of a range of sequences, as few contiguous runs as possible.
    func rows(_ chain: Int, _ sequences: Range<UInt64>) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        let pieces = chains[chain].pieces
        for (index, piece) in pieces.enumerated() {
            let end = index + 1 < pieces.count ? pieces[index + 1].firstSequence : size(chain)
            let from = max(piece.firstSequence, sequences.lowerBound)
            let to = min(end, sequences.upperBound)
            guard from < to else { continue }
            let first = piece.firstRow + Int64(from - piece.firstSequence)
            runs.append(first...first + Int64(to - from) - 1)
        }
        return runs
    }

    /// How many events two chains of a log have in common, as they are stored.
    func sharedSize(_ left: Int, _ right: Int) -> UInt64 {
        let end = min(size(left), size(right))
        var sequence: UInt64 = 0
        while sequence < end, let row = row(left, sequence), row == self.row(right, sequence) {
            // Rows that run together do so to the end of the shorter piece.
            sequence = min(end, pieceEnd(left, sequence), pieceEnd(right, sequence))
        }
        return sequence
    }

    private func pieceEnd(_ chain: Int, _ sequence: UInt64) -> UInt64 {
        chains[chain].pieces.first { $0.firstSequence > sequence }?.firstSequence ?? size(chain)
    }

    /// Whether appending to the chain continues the last row's run.
    func endsWith(_ chain: Int) -> Bool { owners.last?.chain == chain }
}

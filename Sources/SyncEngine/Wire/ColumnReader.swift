internal import Ledger

/// Reads the columns of an interval side by side, each from its own beginning to its own end.
struct ColumnReader {
    private var columns: [ByteReader]
    /// Salts and hashes, which are not compressed.
    var raw: ByteReader

    /// The buffer must outlive the reader.
    init(_ content: UnsafeRawBufferPointer, raw: ByteReader) throws(SyncError) {
        self.raw = raw
        columns = [ByteReader](
            repeating: ByteReader(UnsafeRawBufferPointer(start: nil, count: 0)),
            count: Column.count)
        var reader = ByteReader(content)
        let count = try reader.number(atMost: Column.count, "columns")
        var directory: [(number: Int, length: Int)] = []
        for _ in 0..<count {
            let number = try reader.number(atMost: Column.count - 1, "a column")
            guard number > directory.last?.number ?? -1 else {
                throw reader.malformed("columns out of order")
            }
            let length = try reader.number(atMost: content.count, "a column's length")
            guard length > 0 else { throw reader.malformed("an empty column") }
            directory.append((number, length))
        }
        for (number, length) in directory { columns[number] = ByteReader(try reader.take(length)) }
        try reader.end()
    }

    func malformed(_ what: String) -> SyncError { SyncError(.malformed, "An interval: \(what).") }

    func isAtEnd(_ column: Int) -> Bool { columns[column].remaining == 0 }

    mutating func byte(_ column: Int) throws(SyncError) -> UInt8 { try columns[column].byte() }

    mutating func number(_ column: Int) throws(SyncError) -> UInt64 {
        try columns[column].number()
    }

    mutating func number(
        _ column: Int, atMost limit: Int, _ what: String
    ) throws(SyncError) -> Int { try columns[column].number(atMost: limit, what) }

    mutating func signed(_ column: Int) throws(SyncError) -> Int64 {
        try columns[column].signed()
    }

    mutating func take(
        _ column: Int, _ count: Int
    ) throws(SyncError) -> UnsafeRawBufferPointer { try columns[column].take(count) }

    /// Everything must have been used: bytes left over are another interval's, or a second meaning.
    func end() throws(SyncError) {
        guard raw.remaining == 0, columns.allSatisfy({ $0.remaining == 0 }) else {
            throw malformed("bytes after the end")
        }
    }
}

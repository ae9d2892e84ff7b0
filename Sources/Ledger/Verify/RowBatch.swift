/// Rows on their way from the one who reads and hashes them to the one who judges them.
///
/// Everything lies in one buffer that is used again, so a row costs no allocation.
/// `@unchecked Sendable`: a batch is with the reader or with the worker, never with both; it
/// changes hands under the lock of ``BatchWorker``.
final class RowBatch: @unchecked Sendable {
    /// One stored row, its header restored and hashed.
    struct Row {
        let number: Int64
        /// The chain that owns the row, and its place there; nil for a row that no chain owns.
        let place: (chain: Int, sequence: UInt64)?
        let id: EventID
        /// The check in front of the stored header.
        let check: UInt32
        /// Whether an earlier row holds the same event.
        let isRepeated: Bool
        /// Whether it lies beyond a removal point of its author.
        let isLimited: Bool
        fileprivate let headerStart: Int
        fileprivate let headerCount: Int
        /// Negative for a payload that never came.
        fileprivate let bodyCount: Int
    }

    /// What the tree shows to be wrong after a row: from which event on, and what.
    typealias Problem = (sequence: UInt64, what: String)

    static let rowsMax = 512
    private static let bytesMax = 1 << 18

    private(set) var rows: [Row] = []
    /// By index of their row.
    private(set) var problems: [Int: Problem] = [:]
    private var buffer: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0

    init() {
        capacity = Self.bytesMax
        buffer = .allocate(byteCount: capacity, alignment: 16)
        rows.reserveCapacity(Self.rowsMax)
    }

    deinit { buffer.deallocate() }

    var isFull: Bool { rows.count >= Self.rowsMax || count >= Self.bytesMax / 2 }
    var isEmpty: Bool { rows.isEmpty }

    func removeAll() {
        rows.removeAll(keepingCapacity: true)
        if !problems.isEmpty { problems = [:] }
        count = 0
    }

    /// Restores and hashes the header of a row, and keeps both parts of it.
    func append(
        _ number: Int64, _ place: (chain: Int, sequence: UInt64)?, log: LogID,
        head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?, _ digester: Digester,
        judge: (EventID) throws(LedgerError) -> (isRepeated: Bool, isLimited: Bool)
    ) throws(LedgerError) -> EventID {
        let headerCount = StoredRow.headerLength(head: head, body: body)
        let bodyCount = body?.count ?? 0
        reserve(headerCount + bodyCount)
        let header = UnsafeMutableRawBufferPointer(start: buffer + count, count: headerCount)
        StoredRow.restore(
            into: header, log: log, sequence: place?.sequence ?? 0, head: head, body: body,
            digester)
        if let body, let source = body.baseAddress {
            (buffer + count + headerCount).copyMemory(from: source, byteCount: bodyCount)
        }
        let id = EventID(raw: digester.leaf(UnsafeRawBufferPointer(header)))
        let (isRepeated, isLimited) = try judge(id)
        rows.append(
            Row(
                number: number, place: place, id: id, check: StoredRow.check(head),
                isRepeated: isRepeated, isLimited: isLimited, headerStart: count,
                headerCount: headerCount,
                bodyCount: body == nil ? -1 : bodyCount))
        count += headerCount + bodyCount
        return id
    }

    /// Notes what the tree shows after the last row.
    func add(_ problem: Problem) { problems[rows.count - 1] = problem }

    private func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        capacity = (count + more) * 2
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: buffer, byteCount: count)
        buffer.deallocate()
        buffer = larger
    }

    /// The header's bytes; valid until the batch changes.
    func header(_ row: Row) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: buffer + row.headerStart, count: row.headerCount)
    }

    /// Salt and payload, nil when they never came; valid until the batch changes.
    func body(_ row: Row) -> UnsafeRawBufferPointer? {
        guard row.bodyCount >= 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: buffer + row.headerStart + row.headerCount, count: row.bodyCount)
    }
}

/// A sorted run of index entries: which rows are about a subject.
///
/// Runs are written once and merged later, as in a log-structured merge tree, since an index kept
/// up in place would dirty a random page per event.
struct IndexRun: Sendable {
    /// The first eight bytes of a subject's tag, and the row.
    struct Entry: Sendable, Hashable, Comparable {
        let prefix: UInt64
        let row: Int64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.prefix, left.row) < (right.prefix, right.row)
        }
    }

    let number: Int64
    let level: Int
    let rows: ClosedRange<Int64>
    /// The first prefix of each page.
    let fences: [UInt64]

    /// Few enough bytes that a page of entries fills most of a database page.
    static let entriesPerPage = 330
    static let entryLength = 12
    /// How many pages a run may have; a page's place is run number × this + its index.
    static let pagesMax: Int64 = 1 << 20

    /// The pages that may hold the prefix.
    func pages(for prefix: UInt64) -> Range<Int> {
        // Entries equal to a fence may have begun on the page before it.
        let first = max(fences.lowerBound(prefix) - 1, 0)
        var last = first
        while last < fences.count, fences[last] <= prefix { last += 1 }
        return first..<max(last, first)
    }

    /// Splits sorted entries into pages; rows are kept relative to `base` in four bytes.
    static func pages(_ entries: [Entry], base: Int64) -> [(fence: UInt64, bytes: [UInt8])] {
        stride(from: 0, to: entries.count, by: entriesPerPage).map { start in
            let slice = entries[start..<min(start + entriesPerPage, entries.count)]
            let bytes = [UInt8](unsafeUninitializedCapacity: slice.count * entryLength) {
                buffer, count in
                let raw = UnsafeMutableRawBufferPointer(buffer)
                for entry in slice {
                    raw.storeBytes(of: entry.prefix.bigEndian, toByteOffset: count, as: UInt64.self)
                    raw.storeBytes(
                        of: UInt32(truncatingIfNeeded: entry.row - base).bigEndian,
                        toByteOffset: count + 8, as: UInt32.self)
                    count += entryLength
                }
            }
            return (slice.first?.prefix ?? 0, bytes)
        }
    }

    /// Calls `body` with the entries of a page.
    static func forEach(
        _ bytes: UnsafeRawBufferPointer, base: Int64, _ body: (Entry) -> Void
    ) {
        for start in stride(from: 0, to: bytes.count / entryLength * entryLength, by: entryLength) {
            let prefix = UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            let offset = UInt32(
                bigEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
            body(Entry(prefix: prefix, row: base + Int64(offset)))
        }
    }
}

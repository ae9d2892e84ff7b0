/// A sorted run of index entries: which rows are about a subject.
///
/// Runs are written once and merged later, as in a log-structured merge tree, since an index kept
/// up in place would dirty a random page per event.
struct IndexRun: Sendable {
    /// The first six bytes of a subject's tag, and the row.
    struct Entry: Sendable, Hashable, Comparable {
        let prefix: UInt64
        let row: Int64

        /// Keeps the first six of the eight bytes: more would only tell apart what the tag tells.
        init(tag: UInt64, row: Int64) {
            prefix = tag >> 16
            self.row = row
        }

        fileprivate init(prefix: UInt64, row: Int64) {
            self.prefix = prefix
            self.row = row
        }

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
    static let entriesPerPage = 400
    static let entryLength = 10
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
                    raw.storeBytes(
                        of: UInt32(truncatingIfNeeded: entry.prefix >> 16).bigEndian,
                        toByteOffset: count, as: UInt32.self)
                    raw.storeBytes(
                        of: UInt16(truncatingIfNeeded: entry.prefix).bigEndian,
                        toByteOffset: count + 4, as: UInt16.self)
                    raw.storeBytes(
                        of: UInt32(truncatingIfNeeded: entry.row - base).bigEndian,
                        toByteOffset: count + 6, as: UInt32.self)
                    count += entryLength
                }
            }
            return (slice.first?.prefix ?? 0, bytes)
        }
    }

    /// Calls `body` with the rows of a page's entries with this prefix, found by halving.
    static func forEachRow(
        _ bytes: UnsafeRawBufferPointer, base: Int64, about prefix: UInt64, _ body: (Int64) -> Void
    ) {
        func entry(_ index: Int) -> Entry { Self.entry(bytes, index * entryLength, base) }
        let count = bytes.count / entryLength
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if entry(middle).prefix < prefix { low = middle + 1 } else { high = middle }
        }
        while low < count {
            let found = entry(low)
            guard found.prefix == prefix else { return }
            body(found.row)
            low += 1
        }
    }

    /// Calls `body` with the entries of a page.
    static func forEach(
        _ bytes: UnsafeRawBufferPointer, base: Int64, _ body: (Entry) -> Void
    ) {
        for start in stride(from: 0, to: bytes.count / entryLength * entryLength, by: entryLength) {
            body(entry(bytes, start, base))
        }
    }

    private static func entry(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ base: Int64
    ) -> Entry {
        func load<T: FixedWidthInteger>(_ offset: Int) -> T {
            T(bigEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: T.self))
        }
        let high: UInt32 = load(0)
        let low: UInt16 = load(4)
        let offset: UInt32 = load(6)
        return Entry(prefix: UInt64(high) << 16 | UInt64(low), row: base + Int64(offset))
    }
}

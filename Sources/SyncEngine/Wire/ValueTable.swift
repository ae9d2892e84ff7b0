/// Numbers values in order of their first appearance, by column: the sender's side.
struct ValueTable: Sendable {
    private struct Entry: Sendable {
        let column: UInt8
        let index: Int32
        let start: Int32
        let count: Int32
    }

    private(set) var arena: [UInt8] = []
    private var entries: [Entry] = []
    /// Open addressing: places in `entries` plus one.
    private var slots = [Int32](repeating: 0, count: 256)
    private var counts = [Int32](repeating: 0, count: Column.wholePayload + 1)
    /// The last remembered literal of each column, which the next one may share a beginning with.
    private var lasts = [Range<Int>](repeating: 0..<0, count: Column.wholePayload + 1)

    var count: Int { entries.count }

    func last(_ column: Int) -> Range<Int> { lasts[column] }

    /// The number of a value that came before; nil when it is new, and then it is remembered.
    mutating func index(_ column: Int, _ value: UnsafeRawBufferPointer) -> Int? {
        guard value.count <= StreamMemory.valueLengthMax else { return nil }
        if 2 * (entries.count + 1) > slots.count { grow() }
        var slot = Self.hash(column, value) & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if Int(entry.column) == column, Int(entry.count) == value.count,
                equals(entry, value)
            {
                return Int(entry.index)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        let entry = Entry(
            column: UInt8(column), index: counts[column], start: Int32(arena.count),
            count: Int32(value.count))
        counts[column] += 1
        arena.append(contentsOf: value)
        entries.append(entry)
        slots[slot] = Int32(entries.count)
        return nil
    }

    /// Takes note of the literal that was written last, once it is written.
    mutating func noteLast(_ column: Int, count: Int) {
        lasts[column] = (arena.count - count)..<arena.count
    }

    private func equals(_ entry: Entry, _ value: UnsafeRawBufferPointer) -> Bool {
        arena.withUnsafeBytes { arena in
            let start = Int(entry.start)
            return arena[start..<(start + value.count)].elementsEqual(value)
        }
    }

    /// Seeded by the process: whoever writes values cannot choose which ones collide.
    private static func hash(_ column: Int, _ value: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(column)
        hasher.combine(bytes: value)
        return hasher.finalize()
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (place, entry) in entries.enumerated() {
            let hash = arena.withUnsafeBytes { arena in
                let start = Int(entry.start)
                return Self.hash(
                    Int(entry.column),
                    UnsafeRawBufferPointer(rebasing: arena[start..<(start + Int(entry.count))]))
            }
            var slot = hash & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(place + 1)
        }
    }
}

/// The same numbering at the receiver.
struct ValueList: Sendable {
    private(set) var arena: [UInt8] = []
    private var values = [[Range<Int32>]](repeating: [], count: Column.wholePayload + 1)
    private(set) var lasts = [Range<Int>](repeating: 0..<0, count: Column.wholePayload + 1)
    private(set) var count = 0

    /// How many values of a column are remembered.
    func count(_ column: Int) -> Int { values[column].count }

    func value(_ column: Int, _ index: Int) -> Range<Int>? {
        guard index < values[column].count else { return nil }
        let range = values[column][index]
        return Int(range.lowerBound)..<Int(range.upperBound)
    }

    mutating func add(_ column: Int, _ value: UnsafeRawBufferPointer) {
        guard value.count <= StreamMemory.valueLengthMax else { return }
        let start = arena.count
        arena.append(contentsOf: value)
        values[column].append(Int32(start)..<Int32(arena.count))
        lasts[column] = start..<arena.count
        count += 1
    }
}

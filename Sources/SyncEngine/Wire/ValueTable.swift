internal import Ledger

/// Numbers values in order of their first appearance, by column: the sender's side.
struct ValueTable: Sendable {
    private struct Entry: Sendable {
        let hash: UInt32
        let index: Int32
        let start: Int32
        let count: UInt16
        let column: UInt8
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
        let hash = Self.hash(column, value)
        let slot = slot(hash, column, value)
        if slots[slot] != 0 { return Int(entries[Int(slots[slot]) - 1].index) }
        let entry = Entry(
            hash: hash, index: counts[column], start: Int32(arena.count),
            count: UInt16(value.count), column: UInt8(column))
        counts[column] += 1
        arena.append(contentsOf: value)
        entries.append(entry)
        slots[slot] = Int32(entries.count)
        return nil
    }

    /// The number of a value that came before.
    func known(_ column: Int, _ value: UnsafeRawBufferPointer) -> Int? {
        guard value.count <= StreamMemory.valueLengthMax else { return nil }
        let place = slots[slot(Self.hash(column, value), column, value)]
        return place == 0 ? nil : Int(entries[Int(place) - 1].index)
    }

    /// Takes note of the literal that was written last, once it is written.
    mutating func noteLast(_ column: Int, count: Int) {
        lasts[column] = (arena.count - count)..<arena.count
    }

    /// Where a value is, or the free slot where it belongs.
    private func slot(_ hash: UInt32, _ column: Int, _ value: UnsafeRawBufferPointer) -> Int {
        arena.withUnsafeBytes { arena in
            var slot = Int(hash) & (slots.count - 1)
            while slots[slot] != 0 {
                let entry = entries[Int(slots[slot]) - 1]
                if entry.hash == hash, Int(entry.column) == column,
                    Int(entry.count) == value.count
                {
                    let start = Int(entry.start)
                    let held = UnsafeRawBufferPointer(
                        rebasing: arena[start..<(start + value.count)])
                    if held.hasSameBytes(as: value) { break }
                }
                slot = (slot + 1) & (slots.count - 1)
            }
            return slot
        }
    }

    /// Keyed by the process: whoever writes values cannot choose which ones collide.
    private static func hash(_ column: Int, _ value: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: KeyDigest(value).a &+ UInt64(column) &* 0x9E37_79B9)
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (place, entry) in entries.enumerated() {
            var slot = Int(entry.hash) & (slots.count - 1)
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

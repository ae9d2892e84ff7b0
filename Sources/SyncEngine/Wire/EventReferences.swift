internal import Ledger
internal import Synchronization

/// Where in their logs events lie: the sender's side of references, shared by all streams of a
/// service, since what one was sent the others are sent too.
///
/// A stream may refer to whatever lies before the event in hand, sent in it or not: the receiver
/// asked from where its own copy of the log ends. Only 64 bits are compared. Who makes ids begin
/// alike spoils references; then the receiver asks again for whole ids.
package final class EventReferences: Sendable {
    private let book = Mutex(ReferenceBook())

    package init() {}

    func sequence(of id: EventID, in log: LogID) -> UInt64? {
        book.withLock { $0.sequence(Self.key(id, log)) }
    }

    func add(_ id: EventID, _ sequence: UInt64, in log: LogID) {
        book.withLock { $0.add(Self.key(id, log), sequence) }
    }

    private static func key(_ id: EventID, _ log: LogID) -> UInt64 {
        id.raw.firstWord ^ log.raw.firstWord
    }
}

private struct ReferenceBook: Sendable {
    /// Two generations of at most so many events: what was added last is found.
    private static let generationMax = 1 << 17

    private struct Table: Sendable {
        var keys = [UInt64](repeating: 0, count: 1024)
        var sequences = [UInt64](repeating: 0, count: 1024)
        var count = 0

        func slot(_ key: UInt64) -> Int {
            var slot = Int(truncatingIfNeeded: key) & (keys.count - 1)
            while keys[slot] != 0, keys[slot] != key { slot = (slot + 1) & (keys.count - 1) }
            return slot
        }

        func sequence(_ key: UInt64) -> UInt64? {
            let slot = slot(key)
            return keys[slot] == key ? sequences[slot] : nil
        }

        mutating func add(_ key: UInt64, _ sequence: UInt64) {
            if 3 * (count + 1) > 2 * keys.count { grow() }
            let slot = slot(key)
            if keys[slot] == 0 { count += 1 }
            keys[slot] = key
            sequences[slot] = sequence
        }

        private mutating func grow() {
            let old = self
            keys = [UInt64](repeating: 0, count: old.keys.count * 2)
            sequences = [UInt64](repeating: 0, count: old.keys.count * 2)
            for (key, sequence) in zip(old.keys, old.sequences) where key != 0 {
                let slot = slot(key)
                keys[slot] = key
                sequences[slot] = sequence
            }
        }
    }

    private var current = Table()
    private var previous: Table?

    func sequence(_ key: UInt64) -> UInt64? {
        // A slot that holds 0 is free; an id with that key is sent in full.
        guard key != 0 else { return nil }
        return current.sequence(key) ?? previous?.sequence(key)
    }

    mutating func add(_ key: UInt64, _ sequence: UInt64) {
        guard key != 0 else { return }
        if current.count >= Self.generationMax {
            previous = current
            current = Table()
        }
        current.add(key, sequence)
    }
}

/// The receiver's side: the ids of the newest events of a stream, by sequence.
struct RecentIDs: Sendable {
    private var ids: [EventID] = []
    private var first: UInt64 = 0
    private var log: LogID?

    /// Begins an interval; from nothing, unless `sequence` continues what is here of the log.
    ///
    /// Only here is anything let go: what is there at an interval's beginning is not asked for
    /// elsewhere, so it must be there until the interval's end.
    mutating func begin(at sequence: UInt64, of log: LogID) {
        guard self.log == log, sequence == first + UInt64(ids.count) else {
            ids = []
            first = sequence
            self.log = log
            return
        }
        guard ids.count >= 2 * StreamMemory.recentMax else { return }
        let surplus = ids.count - StreamMemory.recentMax
        ids.removeFirst(surplus)
        first += UInt64(surplus)
    }

    mutating func add(_ id: EventID) { ids.append(id) }

    func id(at sequence: UInt64) -> EventID? {
        guard sequence >= first, sequence - first < UInt64(ids.count) else { return nil }
        return ids[Int(sequence - first)]
    }
}

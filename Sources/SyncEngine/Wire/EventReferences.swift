internal import Ledger

/// Which events of a stream have which ids: the sender's side of references.
///
/// Only the first 64 bits are compared. An author who makes two of its own ids begin alike spoils
/// the references of its own log; then the receiver asks again for whole ids.
struct EventReferences: Sendable {
    /// Two generations of at most so many events: what was added last is found.
    static let generationMax = 1 << 17

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

    func sequence(of id: EventID) -> UInt64? {
        let key = id.raw.firstWord
        // A slot that holds 0 is free; an id that begins so is sent in full.
        guard key != 0 else { return nil }
        return current.sequence(key) ?? previous?.sequence(key)
    }

    mutating func add(_ id: EventID, _ sequence: UInt64) {
        let key = id.raw.firstWord
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

    /// Begins anew unless `sequence` continues what is here of the log.
    mutating func begin(at sequence: UInt64, of log: LogID) {
        guard self.log != log || sequence != first + UInt64(ids.count) else { return }
        ids = []
        first = sequence
        self.log = log
    }

    mutating func add(_ id: EventID) {
        if ids.count >= 2 * StreamMemory.recentMax {
            ids.removeFirst(StreamMemory.recentMax)
            first += UInt64(StreamMemory.recentMax)
        }
        ids.append(id)
    }

    func id(at sequence: UInt64) -> EventID? {
        guard sequence >= first, sequence - first < UInt64(ids.count) else { return nil }
        return ids[Int(sequence - first)]
    }
}

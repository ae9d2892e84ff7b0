/// Values by digests of their keys.
///
/// An open-addressed table of its own: nearly all of a lookup's time goes into fetching memory, and
/// here a key is found with one fetch.
struct DigestTable<Value> {
    private struct Slot {
        var digest: KeyDigest
        var value: Value?
    }

    private var slots: [Slot] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(_ digest: KeyDigest) -> Value? {
        guard count > 0 else { return nil }
        return slots.withUnsafeBufferPointer { $0[Self.place(digest, $0)].value }
    }

    /// Gives a key its value, in the place of one that it may have.
    mutating func put(_ value: Value, _ digest: KeyDigest) {
        guard self[digest] != nil else { return insert(value, digest) }
        slots.withUnsafeMutableBufferPointer { slots in
            slots[Self.place(digest, UnsafeBufferPointer(slots))].value = value
        }
    }

    /// Adds the value of a key that has none.
    mutating func insert(_ value: Value, _ digest: KeyDigest) {
        if count * 4 >= slots.count * 3 { grow() }
        slots.withUnsafeMutableBufferPointer { slots in
            let place = Self.place(digest, UnsafeBufferPointer(slots))
            slots[place].digest = digest
            slots[place].value = value
        }
        count += 1
    }

    private mutating func grow() {
        let old = slots
        slots = Array(
            repeating: Slot(digest: KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))),
            count: max(64, old.count * 2))
        slots.withUnsafeMutableBufferPointer { slots in
            for slot in old where slot.value != nil {
                slots[Self.place(slot.digest, UnsafeBufferPointer(slots))] = slot
            }
        }
    }

    /// Where the digest is, or the free slot where it belongs; the table is never full.
    private static func place(_ digest: KeyDigest, _ slots: UnsafeBufferPointer<Slot>) -> Int {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: digest.a) & mask
        while slots[place].digest != digest, slots[place].value != nil {
            place = (place + 1) & mask
        }
        return place
    }
}

extension DigestTable<Projector.Entry> {
    subscript(_ key: StateKey) -> Projector.Entry? { self[key.digest] }
}

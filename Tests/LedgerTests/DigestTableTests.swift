import TestSupport
import Testing

@testable import Ledger

/// Keys in memory: each is found, and no other.
@Suite struct DigestTableTests {
    private func key(_ number: Int) -> StateKey {
        StateKey(
            tag: SubjectTag(raw: Bytes16(a: UInt64(number / 8), b: 7)), resource: "r\(number % 8)",
            place: number % 3 == 0 ? nil : Place(device: "device-\(number)", install: "1"))
    }

    @Test func `every key is found by itself alone`() {
        var table = DigestTable<Projector.Entry>()
        for number in 0..<5000 {
            var state = KeyState()
            state.primersShown = number
            table.insert(Projector.Entry(state), key(number).digest)
        }
        #expect(table.count == 5000)
        for number in 0..<5000 { #expect(table[key(number)]?.state.primersShown == number) }
        for number in 5000..<6000 { #expect(table[key(number)] == nil) }
    }

    @Test func `a digest is that of the bytes, however they were come by`() {
        var scratch: [UInt8] = [1, 2, 3]
        // é composed and decomposed are one name.
        for (resource, device) in [("camera", "phone"), ("caf\u{e9}", "t"), ("cafe\u{301}", "t")] {
            let key = StateKey(
                tag: .none, resource: resource, place: Place(device: device, install: "1"))
            let digest = StateKey.digest(
                tag: .none, resource: resource, device: device, install: "1", in: &scratch)
            #expect(digest == key.digest)
            #expect(StateKey(bytes: key.bytes) == key)
        }
    }

    @Test func `keys that differ in one byte or in where a name ends have different digests`() {
        var seen: Set<KeyDigest> = []
        let bytes = [UInt8](repeating: 0, count: 30)
        for length in 0...30 { seen.insert(StateKey(bytes: Array(bytes[..<length])).digest) }
        for place in 0..<30 {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] = 1 << bit
                seen.insert(StateKey(bytes: changed).digest)
            }
        }
        #expect(seen.count == 31 + 30 * 8)
    }

    @Test func `names that count upwards take places all over a table`() {
        let places = Set(
            (0..<10_000).map { number in
                let digits = String(number + 10_000).dropFirst()
                let digest = Array("person-\(digits)".utf8).withUnsafeBytes { KeyDigest($0) }
                return digest.a & 0x3FFF
            })
        // About 7,500 of 16,384 when drawn at random; a hundred where the last word alone tells.
        #expect(places.count > 4000)
    }

    @Test func `keys are ordered as their bytes are`() {
        let keys = [[], [0], [0, 0], [0, 1], [1], [1, 0xFF], [2]].map { StateKey(bytes: $0) }
        #expect(keys.reversed().sorted() == keys)
    }
}

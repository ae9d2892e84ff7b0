import TestSupport

/// The tests' generator with what fuzzing needs besides numbers.
struct SeededGenerator: RandomNumberGenerator {
    private var source: SplitMix
    init(seed: UInt64) { source = SplitMix(seed: seed) }
    mutating func next() -> UInt64 { source.next() }
    mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var word: UInt64 = 0
            for index in 0..<count {
                word = index % 8 == 0 ? next() : word >> 8
                buffer[index] = UInt8(truncatingIfNeeded: word)
            }
            filled = count
        }
    }
}

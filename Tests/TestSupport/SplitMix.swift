/// A small generator with a seed, so that every failure can be run again (splitmix64).
public struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts from a seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    public mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// So many bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        var word: UInt64 = 0
        return (0..<count).map { index in
            word = index % 8 == 0 ? next() : word >> 8
            return UInt8(truncatingIfNeeded: word)
        }
    }

    /// One of the elements.
    public mutating func pick<T>(_ elements: [T]) -> T { elements[below(elements.count)] }
}

/// Stands for a key in memory, different in every process.
///
/// Two polynomials over the key's bytes modulo 2^61 − 1, each at a point drawn at random: for any
/// two keys that were chosen without knowing the points, both are equal with a probability of at
/// most ((n + 1) / 2^61)² for keys of n words, below 2^-100. So whoever finds the digest found the key,
/// and need not fetch its bytes from elsewhere in memory to compare them.
package struct KeyDigest: Hashable, Sendable {
    package let a: UInt64
    package let b: UInt64

    private static let modulus: UInt64 = (1 << 61) - 1
    private static let wordLength = 7
    private static let points: (UInt64, UInt64) = (
        .random(in: 1 << 32..<modulus), .random(in: 1 << 32..<modulus)
    )

    package init(_ bytes: UnsafeRawBufferPointer) {
        let (x, y) = Self.points
        // The count first: a shorter key is no prefix of a longer one.
        var (a, b) = (UInt64(bytes.count), UInt64(bytes.count))
        var offset = 0
        while offset + 8 <= bytes.count {
            let word =
                UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                & 0xFF_FFFF_FFFF_FFFF
            a = Self.step(a, x, word)
            b = Self.step(b, y, word)
            offset += Self.wordLength
        }
        while offset < bytes.count {
            var word: UInt64 = 0
            for byte in bytes[offset..<min(offset + Self.wordLength, bytes.count)] {
                word = word << 8 | UInt64(byte)
            }
            a = Self.step(a, x, word)
            b = Self.step(b, y, word)
            offset += Self.wordLength
        }
        // Tables take places from the low bits. Without this, keys that differ in their last word
        // alone lie as densely as those words, and whoever chooses names chooses their places.
        self.a = Self.step(a, x, 0)
        self.b = Self.step(b, y, 0)
    }

    /// (value × point + word) modulo 2^61 − 1.
    private static func step(_ value: UInt64, _ point: UInt64, _ word: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: point)
        var sum = (product.low & modulus) + (product.high << 3 | product.low >> 61) + word
        sum = (sum & modulus) + (sum >> 61)
        return sum >= modulus ? sum - modulus : sum
    }

    init(a: UInt64, b: UInt64) {
        self.a = a
        self.b = b
    }

    package static func == (left: KeyDigest, right: KeyDigest) -> Bool {
        left.a == right.a && left.b == right.b
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(a) }
}

extension SubjectTag {
    /// A tag is a keyed hash already, and found by all of its bytes.
    var digest: KeyDigest { KeyDigest(a: raw.a, b: raw.b) }
}

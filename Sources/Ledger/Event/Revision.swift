/// The revision of a resource's meaning: dotted numbers, compared as numbers.
///
/// ```swift
/// agreed.payload.revision = Revision("1.10")
/// query.currentRevision = Revision("1.9")
/// ```
public struct Revision: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Up to eight numbers, two a word: a revision is in every projected grant, and an array of
    /// its own would be one allocation for each.
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private static let numbersMax = 8

    /// A revision of one number.
    init(_ number: UInt32) { words = (UInt64(number) << 32, 0, 0, 0) }

    /// The numbers, without trailing zeros.
    public var numbers: [UInt32] {
        var numbers: [UInt32] = []
        for word in [words.0, words.1, words.2, words.3] {
            numbers += [UInt32(word >> 32), UInt32(truncatingIfNeeded: word)]
        }
        while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
        return numbers
    }

    /// Reads one to eight numbers joined by dots; nil when a part is not a number below 2^32.
    ///
    /// - Parameter text: for example `1.10`, which is after `1.9`.
    public init?(_ text: String) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var number: UInt64 = 0
        var digits = 0
        var index = 0
        func place(_ number: UInt64) {
            let shifted = index % 2 == 0 ? number << 32 : number
            switch index / 2 {
            case 0: words.0 |= shifted
            case 1: words.1 |= shifted
            case 2: words.2 |= shifted
            default: words.3 |= shifted
            }
        }
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, index + 1 < Self.numbersMax else { return nil }
                place(number)
                (number, digits, index) = (0, 0, index + 1)
            } else {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                number = number * 10 + UInt64(byte - 0x30)
                digits += 1
                guard number <= UInt64(UInt32.max) else { return nil }
            }
        }
        guard digits > 0 else { return nil }
        place(number)
        self.words = words
    }

    /// The numbers joined by dots; `1.0` reads as `1`.
    public var description: String {
        if words.0 & 0xFFFF_FFFF == 0, words.1 | words.2 | words.3 == 0 {
            return String(words.0 >> 32)
        }
        return numbers.map(String.init).joined(separator: ".")
    }

    /// Equal when all numbers are; a missing one counts as 0.
    public static func == (left: Revision, right: Revision) -> Bool { left.words == right.words }

    /// Hashes the numbers.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }

    /// Compares number by number; a missing one counts as 0.
    public static func < (left: Revision, right: Revision) -> Bool { left.words < right.words }
}

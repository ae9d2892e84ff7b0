/// The revision of a resource's meaning: dotted numbers, compared as numbers.
public struct Revision: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The numbers, without trailing zeros.
    public let numbers: [UInt32]

    /// Reads one to eight numbers joined by dots.
    ///
    /// - Parameter text: for example `1.10`, which is after `1.9`.
    /// - Returns: nil when a part is not a number below 2^32.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard !parts.isEmpty, parts.count <= 8 else { return nil }
        var numbers: [UInt32] = []
        for part in parts {
            guard part.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let number = UInt32(Substring(part))
            else { return nil }
            numbers.append(number)
        }
        while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
    }

    /// The numbers joined by dots; `1.0` reads as `1`.
    public var description: String { numbers.map(String.init).joined(separator: ".") }

    /// Compares number by number; a missing one counts as 0.
    public static func < (left: Revision, right: Revision) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

/// Walks over deterministic CBOR without copying it; the same rules as ``CBORReader``, without the
/// words for what is wrong: who needs those reads again with that.
struct CBORCursor {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    // MARK: Heads

    private mutating func head() -> (major: UInt8, argument: UInt64)? {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        let (major, low) = (first >> 5, first & 31)
        offset += 1
        if low < 24 { return major == 6 ? nil : (major, UInt64(low)) }
        return longHead(major, low)
    }

    private mutating func longHead(
        _ major: UInt8, _ low: UInt8
    ) -> (major: UInt8, argument: UInt64)? {
        guard major < 6, low < 28 else { return nil }
        let width = 1 << Int(low - 24)
        guard width <= bytes.count - offset else { return nil }
        var argument: UInt64 = 0
        for index in offset..<offset + width { argument = argument << 8 | UInt64(bytes[index]) }
        offset += width
        // The shortest head: one of half the width would not have held the number.
        let least: UInt64 = width == 1 ? 24 : 1 << UInt64(4 * width)
        return argument >= least ? (major, argument) : nil
    }

    /// The argument of an item of one kind.
    mutating func argument(major wanted: UInt8) -> UInt64? {
        guard let (major, argument) = head(), major == wanted else { return nil }
        return argument
    }

    /// How many items an array or a map has: never more than there are bytes left.
    mutating func count(major: UInt8) -> Int? {
        guard let count = argument(major: major) else { return nil }
        return count <= UInt64(bytes.count - offset) ? Int(count) : nil
    }

    mutating func take(_ count: UInt64) -> UnsafeRawBufferPointer? {
        guard count <= UInt64(bytes.count - offset) else { return nil }
        let start = offset
        offset += Int(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    // MARK: Items

    mutating func unsigned() -> UInt64? { argument(major: 0) }

    mutating func signed() -> Int64? {
        guard let (major, argument) = head(), major < 2, argument <= UInt64(Int64.max) else {
            return nil
        }
        return major == 0 ? Int64(argument) : ~Int64(argument)
    }

    /// The bytes of a text that is valid UTF-8.
    mutating func text() -> UnsafeRawBufferPointer? {
        guard let count = argument(major: 3), let text = take(count) else { return nil }
        return Self.isUTF8(text) ? text : nil
    }

    private static func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        var seen: UInt64 = 0
        while index + 8 <= text.count {
            seen |= text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < text.count {
            seen |= UInt64(text[index])
            index += 1
        }
        // Nearly all text is ASCII, which needs no validation.
        if seen & 0x8080_8080_8080_8080 == 0 { return true }
        return String(validating: text, as: UTF8.self) != nil
    }

    /// Goes past one item of any kind.
    mutating func skip(depth: Int) -> Bool {
        guard depth < CBORReader.depthMax, let (major, argument) = head() else { return false }
        switch major {
        case 0: return true
        case 1: return argument <= UInt64(Int64.max)
        case 2: return take(argument) != nil
        case 3: return take(argument).map(Self.isUTF8) ?? false
        case 4:
            guard argument <= UInt64(bytes.count - offset) else { return false }
            for _ in 0..<argument where !skip(depth: depth + 1) { return false }
            return true
        case 5:
            guard argument <= UInt64(bytes.count - offset) else { return false }
            return skipPairs(argument, depth: depth)
        default: return argument >= 20 && argument <= 22
        }
    }

    private mutating func skipPairs(_ count: UInt64, depth: Int) -> Bool {
        var previous = offset..<offset
        for _ in 0..<count {
            let start = offset
            guard skip(depth: depth + 1) else { return false }
            let key = start..<offset
            guard bytes[previous].lexicographicallyPrecedes(bytes[key]) else { return false }
            previous = key
            guard skip(depth: depth + 1) else { return false }
        }
        return true
    }
}

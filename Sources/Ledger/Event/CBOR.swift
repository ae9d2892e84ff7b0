/// Deterministic CBOR (RFC 8949 section 4.2.1): shortest lengths, definite sizes, map keys ascending.
///
/// Only what payloads need: unsigned and negative integers, byte strings, text, arrays, maps and
/// the three simple values. Floats and tags are refused.
package struct CBORWriter {
    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 160) { bytes.reserveCapacity(capacity) }

    /// Begins anew in the memory that is there.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Corrects the head of a map of few pairs that was written before they were counted.
    mutating func setMapCount(_ count: UInt8, at offset: Int) {
        if count < 24 {
            bytes[offset] = 0xA0 | count
        } else {
            bytes[offset] = count
            bytes.insert(0xB8, at: offset)
        }
    }

    package mutating func unsigned(_ value: UInt64) { head(0, value) }
    package mutating func signed(_ value: Int64) {
        if value < 0 { head(1, UInt64(bitPattern: ~value)) } else { head(0, UInt64(value)) }
    }
    package mutating func byteString(_ value: some Collection<UInt8>) {
        head(2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }
    package mutating func text(_ value: String) {
        let utf8 = value.utf8
        head(3, UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }
    package mutating func array(count: Int) { head(4, UInt64(count)) }
    package mutating func map(count: Int) { head(5, UInt64(count)) }
    package mutating func bool(_ value: Bool) { bytes.append(value ? 0xF5 : 0xF4) }
    package mutating func null() { bytes.append(0xF6) }
    /// A value that is encoded already.
    package mutating func raw(_ encoded: some Collection<UInt8>) {
        bytes.append(contentsOf: encoded)
    }

    private mutating func head(_ major: UInt8, _ value: UInt64) {
        let type = major << 5
        switch value {
        case 0..<24: bytes.append(type | UInt8(value))
        case 24...0xFF:
            bytes.append(type | 24)
            bytes.append(UInt8(value))
        case 0x100...0xFFFF:
            bytes.append(type | 25)
            append(UInt16(value))
        case 0x1_0000...0xFFFF_FFFF:
            bytes.append(type | 26)
            append(UInt32(value))
        default:
            bytes.append(type | 27)
            append(value)
        }
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// A decoded value; maps keep their pairs in the order of the bytes, which is the only legal one.
package indirect enum CBORValue: Sendable, Hashable {
    case unsigned(UInt64)
    /// The value is -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([Pair])
    case bool(Bool)
    case null

    package struct Pair: Sendable, Hashable {
        package let key: CBORValue
        package let value: CBORValue
        package init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .unsigned(let value): writer.unsigned(value)
        case .negative(let value): writer.signed(~Int64(bitPattern: value))
        case .bytes(let value): writer.byteString(value)
        case .text(let value): writer.text(value)
        case .array(let values):
            writer.array(count: values.count)
            for value in values { value.encode(to: &writer) }
        case .map(let pairs):
            writer.map(count: pairs.count)
            for pair in pairs {
                pair.key.encode(to: &writer)
                pair.value.encode(to: &writer)
            }
        case .bool(let value): writer.bool(value)
        case .null: writer.null()
        }
    }
}

/// Reads deterministic items one after the other; anything else throws `malformed` with the offset.
package struct CBORReader {
    private let bytes: [UInt8]
    package private(set) var offset: Int
    static let depthMax = 16
    private static let least: [UInt64] = [24, 0x100, 0x1_0000, 0x1_0000_0000]

    package init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Decodes `bytes` as exactly one item.
    package static func decode(_ bytes: [UInt8]) throws(LedgerError) -> CBORValue {
        var reader = CBORReader(bytes)
        let value = try reader.value()
        try reader.end()
        return value
    }

    /// Throws unless everything was read.
    package func end() throws(LedgerError) {
        guard offset == bytes.count else { throw malformed("bytes after the end") }
    }

    /// The next item, whatever it is.
    package mutating func value() throws(LedgerError) -> CBORValue { try value(depth: 0) }

    package mutating func unsigned() throws(LedgerError) -> UInt64 {
        try expect(major: 0, "an unsigned number")
    }

    package mutating func signed() throws(LedgerError) -> Int64 {
        let start = offset
        let (major, argument) = try head()
        guard major < 2, argument <= UInt64(Int64.max) else {
            throw malformed("a 64-bit number expected", at: start)
        }
        return major == 0 ? Int64(argument) : ~Int64(argument)
    }

    package mutating func text() throws(LedgerError) -> String {
        let count = try expect(major: 3, "text")
        return try text(count)
    }

    package mutating func byteString() throws(LedgerError) -> [UInt8] {
        let count = try expect(major: 2, "a byte string")
        return Array(bytes[try take(count)])
    }

    package mutating func arrayCount() throws(LedgerError) -> Int {
        try bounded(try expect(major: 4, "an array"))
    }

    package mutating func mapCount() throws(LedgerError) -> Int {
        try bounded(try expect(major: 5, "a map"))
    }

    private mutating func expect(
        major wanted: UInt8, _ what: StaticString
    ) throws(LedgerError) -> UInt64 {
        let start = offset
        let (major, argument) = try head()
        guard major == wanted else { throw malformed("\(what) expected", at: start) }
        return argument
    }

    private mutating func value(depth: Int) throws(LedgerError) -> CBORValue {
        guard depth < Self.depthMax else { throw malformed("nested over \(Self.depthMax) deep") }
        let start = offset
        let (major, argument) = try head()
        switch major {
        case 0: return .unsigned(argument)
        case 1:
            guard argument <= UInt64(Int64.max) else {
                throw malformed("a number below -2^63", at: start)
            }
            return .negative(argument)
        case 2: return .bytes(Array(bytes[try take(argument)]))
        case 3: return .text(try text(argument))
        case 4: return .array(try items(try bounded(argument), depth: depth))
        case 5: return .map(try pairs(try bounded(argument), depth: depth))
        default: return try simple(argument, at: start)
        }
    }

    private func simple(_ argument: UInt64, at start: Int) throws(LedgerError) -> CBORValue {
        switch argument {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        default: throw malformed("a simple value that is not false, true or null", at: start)
        }
    }

    private mutating func text(_ count: UInt64) throws(LedgerError) -> String {
        let range = try take(count)
        let text = bytes.withUnsafeBufferPointer { buffer -> String? in
            let utf8 = UnsafeBufferPointer(rebasing: buffer[range])
            // Nearly all text is ASCII, which needs no validation.
            var seen: UInt8 = 0
            for byte in utf8 { seen |= byte }
            return seen < 0x80
                ? String(decoding: utf8, as: UTF8.self) : String(validating: utf8, as: UTF8.self)
        }
        guard let text else { throw malformed("text that is not UTF-8", at: range.lowerBound) }
        return text
    }

    private mutating func items(_ count: Int, depth: Int) throws(LedgerError) -> [CBORValue] {
        var items: [CBORValue] = []
        for _ in 0..<count { items.append(try value(depth: depth + 1)) }
        return items
    }

    private mutating func pairs(_ count: Int, depth: Int) throws(LedgerError) -> [CBORValue.Pair] {
        var pairs: [CBORValue.Pair] = []
        var previous: ArraySlice<UInt8> = []
        for _ in 0..<count {
            let start = offset
            let key = try value(depth: depth + 1)
            let encoded = bytes[start..<offset]
            guard previous.lexicographicallyPrecedes(encoded) else {
                throw malformed("map keys unsorted or doubled", at: start)
            }
            previous = encoded
            pairs.append(.init(key: key, value: try value(depth: depth + 1)))
        }
        return pairs
    }

    private mutating func head() throws(LedgerError) -> (major: UInt8, argument: UInt64) {
        let start = offset
        guard start < bytes.count else { throw malformed("cut off") }
        let first = bytes[start]
        offset = start + 1
        let major = first >> 5
        let low = first & 31
        guard major != 6 else { throw malformed("a tag", at: start) }
        guard low >= 24 else { return (major, UInt64(low)) }
        guard major != 7, low < 28 else {
            throw malformed("a float, an indefinite length or a reserved head", at: start)
        }
        var argument: UInt64 = 0
        for index in try take(1 << UInt64(low - 24)) {
            argument = argument << 8 | UInt64(bytes[index])
        }
        guard argument >= Self.least[Int(low - 24)] else {
            throw malformed("a length that is not the shortest", at: start)
        }
        return (major, argument)
    }

    private mutating func take(_ count: UInt64) throws(LedgerError) -> Range<Int> {
        let start = offset
        offset += try bounded(count)
        return start..<offset
    }

    /// No count may promise more items than there are bytes left: memory stays bounded.
    private func bounded(_ count: UInt64) throws(LedgerError) -> Int {
        guard count <= UInt64(bytes.count - offset) else { throw malformed("cut off") }
        return Int(count)
    }

    package func malformed(_ what: String, at position: Int? = nil) -> LedgerError {
        LedgerError(.malformed, "CBOR at byte \(position ?? offset): \(what).")
    }
}

/// A map taken apart at its fields without understanding them, and put together again.
///
/// Only the plain form is taken apart: at most 64 keys, ascending numbers below 64, all heads of map
/// and keys the shortest. Joining what was split gives the same bytes.
package enum CBORFields {
    package static let keysMax = 64
    private static let depthMax = 4

    /// One field: its key, and where its value stands.
    package struct Field: Sendable {
        package let key: UInt8
        package let value: Range<Int>
    }

    /// Finds the fields of a map that fills the whole buffer; false when it has another form.
    package static func split(
        _ bytes: UnsafeRawBufferPointer, into fields: inout [Field]
    ) -> Bool {
        fields.removeAll(keepingCapacity: true)
        guard bytes.count > 0, bytes[0] >> 5 == 5, let map = head(bytes, 0),
            map.value <= UInt64(keysMax), map.end == (map.value < 24 ? 1 : 2)
        else { return false }
        var offset = map.end
        for _ in 0..<map.value {
            guard offset < bytes.count, bytes[offset] >> 5 == 0, let key = head(bytes, offset),
                key.value < UInt64(keysMax), key.end - offset == (key.value < 24 ? 1 : 2),
                fields.last.map({ UInt64($0.key) < key.value }) ?? true,
                let end = end(of: bytes, key.end, depth: 0)
            else { return false }
            fields.append(Field(key: UInt8(key.value), value: key.end..<end))
            offset = end
        }
        return offset == bytes.count
    }

    /// Appends the head of a map of so many fields.
    package static func appendHead(count: Int, to bytes: inout [UInt8]) {
        if count >= 24 { bytes.append(0xB8) }
        bytes.append(count < 24 ? 0xA0 | UInt8(count) : UInt8(truncatingIfNeeded: count))
    }

    /// Appends a field's key.
    package static func append(key: UInt8, to bytes: inout [UInt8]) {
        if key >= 24 { bytes.append(0x18) }
        bytes.append(key)
    }

    /// The text that an encoded value holds; nil when it is no text.
    package static func text(_ value: UnsafeRawBufferPointer) -> String? {
        guard value.count > 0, value[0] >> 5 == 3, let head = head(value, 0),
            head.value == UInt64(value.count - head.end)
        else { return nil }
        return String(
            validating: UnsafeRawBufferPointer(rebasing: value[head.end...]), as: UTF8.self)
    }

    /// The argument of the item at an offset, and where its head ends.
    private static func head(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> (value: UInt64, end: Int)? {
        let detail = bytes[offset] & 0x1F
        guard detail >= 24 else { return (UInt64(detail), offset + 1) }
        guard detail <= 27 else { return nil }
        let end = offset + 1 + 1 << (detail - 24)
        guard end <= bytes.count else { return nil }
        return (bytes[(offset + 1)..<end].reduce(0) { $0 << 8 | UInt64($1) }, end)
    }

    /// Where the item at an offset ends; nil for one of a kind that payloads do not use.
    private static func end(
        of bytes: UnsafeRawBufferPointer, _ offset: Int, depth: Int
    ) -> Int? {
        guard offset < bytes.count, depth < depthMax, let head = head(bytes, offset) else {
            return nil
        }
        switch bytes[offset] >> 5 {
        case 0, 1: return head.end
        case 2, 3:
            guard head.value <= UInt64(bytes.count - head.end) else { return nil }
            return head.end + Int(head.value)
        case 4:
            var next = head.end
            guard head.value <= UInt64(bytes.count) else { return nil }
            for _ in 0..<head.value {
                guard let end = end(of: bytes, next, depth: depth + 1) else { return nil }
                next = end
            }
            return next
        default: return nil
        }
    }
}

/// Reads one JSON value, strictly by RFC 8259.
///
/// Our own, since no well-kept C library reports both the places of keys and doubled keys, and
/// readers that keep the last of two equal keys let two programs read one file differently.
/// An error names file, line and column (in bytes, from 1) and never a value.
package struct JSONReader {
    /// The most bytes read unless the caller says otherwise.
    package static let bytesMax = 16 << 20
    /// How deep values may lie within each other.
    package static let depthMax = 64

    private let bytes: [UInt8]
    private let file: String
    private var offset = 0
    private var line: Int
    private var lineStart = 0

    /// Reads `bytes` as exactly one value.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 without a byte order mark.
    ///   - file: the name that errors show; empty where the caller tells file and line itself.
    ///   - firstLine: the number of the first line, for JSON Lines.
    ///   - bytesMax: more bytes than this are refused.
    /// - Returns: the value.
    /// - Throws: `malformed` with the place, or `limit`.
    package static func parse(
        _ bytes: [UInt8], file: String, firstLine: Int = 1, bytesMax: Int = Self.bytesMax
    ) throws(LedgerError) -> JSONValue {
        guard bytes.count <= bytesMax else {
            throw LedgerError(
                .limit, "\(file): more than \(bytesMax) bytes of JSON; split it into smaller files."
            )
        }
        var reader = JSONReader(bytes: bytes, file: file, line: firstLine)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw reader.malformed("a byte order mark; save the file as UTF-8 without one")
        }
        reader.skipSpace()
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == bytes.count else {
            throw reader.malformed("something follows the end of the value; remove it")
        }
        return value
    }

    private init(bytes: [UInt8], file: String, line: Int) {
        self.bytes = bytes
        self.file = file
        self.line = line
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func malformed(_ what: String, at position: Int? = nil) -> LedgerError {
        let column = (position ?? offset) - lineStart + 1
        let place = file.isEmpty ? "byte \(column)" : "\(file):\(line):\(column)"
        return LedgerError(.malformed, "\(place): \(what).")
    }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case 0x20, 0x09, 0x0D: offset += 1
            case 0x0A:
                offset += 1
                line &+= 1
                lineStart = offset
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(LedgerError) -> JSONValue {
        guard depth < Self.depthMax else {
            throw malformed("values nested more than \(Self.depthMax) deep")
        }
        guard let byte = next else { throw malformed("the text ends where a value should begin") }
        switch byte {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw malformed("a value expected")
        }
    }

    private mutating func literal(
        _ word: String, _ value: JSONValue
    ) throws(LedgerError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw malformed("a value expected") }
        offset += word.utf8.count
        return value
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func elements(depth: Int) throws(LedgerError) -> [JSONValue] {
        offset += 1
        skipSpace()
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw malformed("“,” or “]” expected") }
            skipSpace()
        }
    }

    private mutating func members(depth: Int) throws(LedgerError) -> [JSONMember] {
        offset += 1
        skipSpace()
        var members: [JSONMember] = []
        var keys = KeySet()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            let start = offset
            let keyLine = line
            guard next == UInt8(ascii: "\"") else { throw malformed("a key in quotes expected") }
            let key = try string()
            guard keys.insert(key, among: members) else {
                throw malformed("the key\(Self.shown(key)) is given twice in one object", at: start)
            }
            let column = start - lineStart + 1
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw malformed("“:” expected") }
            skipSpace()
            let value = try value(depth: depth + 1)
            members.append(JSONMember(key: key, value: value, line: keyLine, column: column))
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw malformed("“,” or “}” expected") }
            skipSpace()
        }
    }

    /// A key that might hold personal data is not shown.
    package static func shown(_ key: String) -> String {
        let isPlain =
            !key.isEmpty && key.utf8.count <= 32
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isPlain ? " “\(key)”" : ""
    }
}

/// The keys of an object so far; a set only once there are many, since most objects are small.
private struct KeySet {
    private var many: Set<String> = []

    mutating func insert(_ key: String, among members: [JSONMember]) -> Bool {
        if members.count < 12 { return !members.contains { $0.key == key } }
        if many.isEmpty { many = Set(members.map(\.key)) }
        return many.insert(key).inserted
    }
}

// MARK: - Scalars

extension JSONReader {
    private mutating func digits() -> Int {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
        return offset - start
    }

    private mutating func number() throws(LedgerError) -> String {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        let startsWithZero = next == UInt8(ascii: "0")
        let count = digits()
        guard count == 1 || (count > 1 && !startsWithZero) else {
            throw malformed("a number without leading zeros expected", at: start)
        }
        if take(UInt8(ascii: ".")) {
            guard digits() > 0 else { throw malformed("a digit expected") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            offset += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw malformed("a digit expected") }
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func string() throws(LedgerError) -> String {
        let start = offset
        offset += 1
        var unescaped: [UInt8] = []
        var runStart = offset
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let run = bytes[runStart..<offset]
                offset += 1
                if unescaped.isEmpty { return try utf8(run, at: start) }
                unescaped.append(contentsOf: run)
                return try utf8(unescaped[...], at: start)
            case UInt8(ascii: "\\"):
                unescaped.append(contentsOf: bytes[runStart..<offset])
                try escape(into: &unescaped)
                runStart = offset
            case 0..<0x20:
                throw malformed("a control character in a text; write it as an escape")
            default: offset += 1
            }
        }
        throw malformed("a text without its closing quote", at: start)
    }

    private func utf8(_ bytes: ArraySlice<UInt8>, at start: Int) throws(LedgerError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw malformed("a text that is not UTF-8", at: start)
        }
        return text
    }

    private mutating func escape(into unescaped: inout [UInt8]) throws(LedgerError) {
        let start = offset
        offset += 1
        guard let letter = next else { throw malformed("an escape that is cut off", at: start) }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            unescaped.append(contentsOf: String(Character(try scalar(from: start))).utf8)
        default: throw malformed("an unknown escape", at: start)
        }
    }

    private mutating func scalar(from start: Int) throws(LedgerError) -> Unicode.Scalar {
        let first = try hexUnit(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // RFC 8259 section 8.2: what a lone surrogate means is unpredictable, so it is refused.
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw malformed("half of a surrogate pair", at: start)
        }
        let second = try hexUnit(from: start)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first - 0xD800) << 10 | UInt32(second - 0xDC00)))
        else { throw malformed("half of a surrogate pair", at: start) }
        return scalar
    }

    private mutating func hexUnit(from start: Int) throws(LedgerError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed("four hexadecimal digits expected after \\u", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}

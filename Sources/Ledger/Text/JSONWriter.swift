/// Writes JSON piece by piece, keys in the order given; compact, or indented for people.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { writer in
///     writer.field("status", "denied")
///     writer.arrayField("evidence") { $0.value("abc") }
/// }
/// ```
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0
    private var needsComma = false
    private var followsKey = false

    package init(pretty: Bool = false) { isPretty = pretty }

    /// Forgets what was written and keeps the memory, for the next of many values.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        (depth, needsComma, followsKey) = (0, false, false)
    }

    // MARK: Values

    package mutating func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    package mutating func array<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    package mutating func value(_ text: String) {
        startValue()
        quote(text)
    }

    package mutating func value(_ number: some BinaryInteger) { raw(String(number)) }

    package mutating func value(_ truth: Bool) { raw(truth ? "true" : "false") }

    package mutating func null() { raw("null") }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let truth): self.value(truth)
        case .number(let source): raw(source)
        case .string(let text): self.value(text)
        case .array(let elements):
            array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in for member in members { writer.field(member.key, member.value) } }
        }
    }

    // MARK: Members

    package mutating func key(_ name: String) {
        startItem()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(0x20) }
        followsKey = true
    }

    package mutating func field(_ name: String, _ text: String) {
        key(name)
        value(text)
    }

    /// Writes nothing when there is no text.
    package mutating func field(_ name: String, ifPresent text: String?) {
        if let text { field(name, text) }
    }

    package mutating func field(_ name: String, _ number: some BinaryInteger) {
        key(name)
        value(number)
    }

    package mutating func field(_ name: String, _ truth: Bool) {
        key(name)
        value(truth)
    }

    package mutating func field(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    package mutating func objectField<Failure: Error>(
        _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try object(body)
    }

    package mutating func arrayField<Failure: Error>(
        _ name: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try array(body)
    }

    // MARK: Bytes

    private mutating func raw(_ source: String) {
        startValue()
        bytes.append(contentsOf: source.utf8)
    }

    private mutating func begin(_ bracket: UInt8) {
        startItem()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if needsComma { newLine() }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func startValue() {
        startItem()
        needsComma = true
    }

    private mutating func startItem() {
        if followsKey {
            followsKey = false
            return
        }
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if depth > 0 { newLine() }
    }

    private mutating func newLine() {
        guard isPretty else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.hexDigits[Int(byte >> 4)])
                bytes.append(Self.hexDigits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

extension JSONValue {
    /// The value as compact JSON.
    package var encoded: [UInt8] { encoded(pretty: false) }

    /// The value as JSON.
    package func encoded(pretty: Bool) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.value(self)
        return writer.bytes
    }
}

/// A JSON value as it stands in a file (RFC 8259).
///
/// Numbers keep their source text, so that ids of 17 digits and more survive. Members keep their
/// order and their place in the file, so that an error can name it.
package indirect enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The number's source text.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// The value of a member of an object; nil for other values.
    package subscript(key: String) -> JSONValue? {
        members?.first { $0.key == key }?.value
    }

    /// The text of a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number that is written without fraction and exponent and fits 64 bits.
    package var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// The truth value.
    package var truth: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array.
    package var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object.
    package var members: [JSONMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    package var isNull: Bool { self == .null }

    /// What kind of value it is, in words for an error.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(String(value))
    }

    /// An object from pairs, in their order.
    package static func object(_ pairs: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(pairs.map { JSONMember(key: $0.key, value: $0.value) })
    }
}

/// A key with its value and its place in the source; equal when key and value are.
package struct JSONMember: Sendable, Hashable {
    package let key: String
    package let value: JSONValue
    /// The line of the key, from 1; 0 when it was not read from a file.
    package let line: Int
    /// The byte within the line at which the key begins, from 1.
    package let column: Int

    package init(key: String, value: JSONValue, line: Int = 0, column: Int = 0) {
        self.key = key
        self.value = value
        self.line = line
        self.column = column
    }

    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.key == right.key && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(value)
    }
}

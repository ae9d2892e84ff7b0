extension CatalogUnit {
    /// A published unit's content as JSON with the keys of a catalog file.
    ///
    /// It reads whatever another version may have published, known keys or not.
    package static func json(_ content: [UInt8]) throws(LedgerError) -> JSONValue {
        json(try CBORReader.decode(content))
    }

    /// A published unit's content as lines for people: `title: Scan receipts`.
    ///
    /// - Parameter content: the canonical bytes, as ``Payload/unitContent`` carries them.
    /// - Returns: one line a text, in the order of reading.
    /// - Throws: `malformed` when the bytes are not canonical CBOR.
    public static func lines(_ content: [UInt8]) throws(LedgerError) -> [String] {
        var lines: [String] = []
        append(try json(content), path: "", to: &lines)
        return lines
    }

    private static func json(_ value: CBORValue) -> JSONValue {
        switch value {
        case .unsigned(let number): .integer(number)
        case .negative(let number): .integer(~Int64(bitPattern: number))
        case .bytes(let bytes): .string(Base32.encode(bytes))
        case .text(let text): .string(text)
        case .array(let values): .array(values.map(json))
        case .map(let pairs): .object(members(pairs))
        case .bool(let truth): .bool(truth)
        case .null: .null
        }
    }

    private static func members(_ pairs: [CBORValue.Pair]) -> [JSONMember] {
        let members = pairs.map { pair in
            let key = json(pair.key)
            return JSONMember(
                key: key.text ?? String(decoding: key.encoded, as: UTF8.self),
                value: json(pair.value))
        }
        // The canonical order is by length of key; people read a headline before its message.
        let order = members.enumerated().sorted { left, right in
            (rank(left.element.key), left.offset) < (rank(right.element.key), right.offset)
        }
        return order.map(\.element)
    }

    private static let readingOrder = [
        "id", "platform", "language", "resource", "resources", "scope", "revision", "kind",
        "extent", "asksFor", "because", "purpose", "systemImage", "tint", "title", "message",
        "text", "benefits", "continueTitle", "skipTitle", "needs", "asks", "features",
    ]

    private static func rank(_ key: String) -> Int {
        readingOrder.firstIndex(of: key) ?? readingOrder.count
    }

    private static func append(_ value: JSONValue, path: String, to lines: inout [String]) {
        switch value {
        case .object(let members):
            for member in members {
                append(
                    member.value, path: path.isEmpty ? member.key : "\(path).\(member.key)",
                    to: &lines)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                append(element, path: "\(path)[\(index)]", to: &lines)
            }
        case .string(let text): lines.append("\(path): \(text)")
        default: lines.append("\(path): \(String(decoding: value.encoded, as: UTF8.self))")
        }
    }
}

extension Catalog {
    /// The catalog that published units make up, as far as a lint compares it: resources only.
    ///
    /// - Parameters:
    ///   - contents: canonical bytes of resource units; where a resource comes twice, the later one
    ///     holds.
    ///   - platform: the platform of the catalog to compare with.
    /// - Throws: `malformed` when a resource unit does not decode.
    public init(
        publishedResources contents: [[UInt8]], platform: Platform
    ) throws(LedgerError) {
        var resources: [Resource] = []
        for content in contents {
            let field = CatalogField(
                value: try CatalogUnit.json(content), file: "published unit", path: "", line: 1,
                column: 1)
            let resource = try CatalogDecoder.resource(field)
            resources.removeAll { $0.id == resource.id }
            resources.append(resource)
        }
        try self.init(
            platform: platform, language: resources.first?.purpose.languages.first ?? "en",
            resources: resources, primers: [], features: [])
    }
}

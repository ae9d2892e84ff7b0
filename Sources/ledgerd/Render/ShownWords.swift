internal import Ledger

/// The words of a published catalog unit, as they were shown.
struct ShownWords: Sendable, Equatable {
    private static let shownKeys: Set = [
        "purpose", "title", "message", "text", "benefits", "continueTitle", "skipTitle",
    ]

    /// The unit with the keys of a catalog file.
    let json: JSONValue

    /// Takes a unit; nil for bytes that are none.
    ///
    /// - Parameter unit: the unit's canonical bytes.
    init?(unit: [UInt8]) {
        guard let json = try? CatalogUnit.json(unit) else { return nil }
        self.json = json
    }

    /// What the person could read, safe for a terminal.
    ///
    /// - Parameter locale: the language that was shown; all of them when it is not known.
    /// - Returns: one line a text.
    func lines(locale: String?) -> [String] {
        var lines: [String] = []
        for member in json.members ?? [] where Self.shownKeys.contains(member.key) {
            Self.append(member.value, member.key, locale, to: &lines)
        }
        return lines
    }

    private static func append(
        _ value: JSONValue, _ name: String, _ locale: String?, to lines: inout [String]
    ) {
        switch value {
        case .string(let text): lines.append("\(name): “\(PrintableText.make(text))”")
        case .array(let elements):
            for element in elements { append(element, name, locale, to: &lines) }
        case .object(let members) where name == "purpose":
            let shown = members.filter { $0.key == locale }
            for member in shown.isEmpty ? members : shown {
                append(member.value, "\(name) (\(member.key))", locale, to: &lines)
            }
        case .object(let members):
            for member in members where shownKeys.contains(member.key) {
                append(member.value, "\(name) \(member.key)", locale, to: &lines)
            }
        default: return
        }
    }
}

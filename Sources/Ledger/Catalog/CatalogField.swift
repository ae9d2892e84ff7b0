/// A value in a catalog file with its place, so that every error can name file, line and key.
struct CatalogField {
    let value: JSONValue
    let file: String
    /// The keys that lead to it: `primers[0].texts.de.title`.
    let path: String
    let line: Int
    let column: Int

    func malformed(_ what: String) -> LedgerError {
        let place = path.isEmpty ? "" : " \(path):"
        return LedgerError(.malformed, "\(file):\(line):\(column):\(place) \(what).")
    }

    private func child(_ member: JSONMember) -> CatalogField {
        let name = JSONReader.shown(member.key).isEmpty ? "?" : member.key
        return CatalogField(
            value: member.value, file: file, path: path.isEmpty ? name : "\(path).\(name)",
            line: max(1, member.line), column: max(1, member.column))
    }

    func text() throws(LedgerError) -> String {
        guard let text = value.text else {
            throw malformed("a text expected, not \(value.kindName)")
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw malformed("the text is empty; write it or leave the key out")
        }
        return text
    }

    /// A text that names something.
    func identifier() throws(LedgerError) -> String {
        let text = try text()
        do {
            try Identifier.validate(text, field: "name")
        } catch {
            throw malformed(error.clause)
        }
        return text
    }

    func list() throws(LedgerError) -> [CatalogField] {
        guard let elements = value.elements else {
            throw malformed("a list expected, not \(value.kindName)")
        }
        return elements.enumerated().map { index, element in
            let first = element.members?.first
            return CatalogField(
                value: element, file: file, path: "\(path)[\(index)]", line: first?.line ?? line,
                column: first?.column ?? column)
        }
    }

    /// The members under whatever keys.
    func entries() throws(LedgerError) -> [(key: String, field: CatalogField)] {
        guard let members = value.members else {
            throw malformed("an object expected, not \(value.kindName)")
        }
        return members.map { ($0.key, child($0)) }
    }

    /// The members; an unknown key is an error with the nearest known one.
    func object(_ known: [String]) throws(LedgerError) -> CatalogObject {
        let entries = try entries()
        for entry in entries where !known.contains(entry.key) {
            let hint = NearestName.hint(entry.key, among: known)
            throw entry.field.malformed("unknown key\(hint)")
        }
        return CatalogObject(field: self, entries: entries)
    }

    /// One of a set of words.
    func word<Value>(
        _ words: [(word: String, value: Value)]
    ) throws(LedgerError) -> Value {
        let text = try text()
        if let match = words.first(where: { $0.word == text }) { return match.value }
        let known = words.map { "“\($0.word)”" }.joined(separator: ", ")
        let hint = NearestName.hint(text, among: words.map(\.word))
        throw malformed("unknown word\(hint); known are \(known)")
    }

    func extent() throws(LedgerError) -> Extent {
        guard let extent = Extent(try text()) else {
            throw malformed(
                "an extent such as “full” or “whenInUse+reduced” expected, of whenInUse, always, "
                    + "reduced, precise, selected, all")
        }
        return extent
    }

    /// Days, or an ISO 8601 duration.
    func period() throws(LedgerError) -> Period {
        let period =
            if let days = value.integer { Period(days: days) } else {
                value.text.flatMap { Period($0) }
            }
        guard let period else {
            throw malformed("a number of days or a duration such as “P6M” expected")
        }
        return period
    }

    /// A text in each language.
    func localized() throws(LedgerError) -> LocalizedText {
        var entries: [LocalizedText.Entry] = []
        for (language, field) in try byLanguage() {
            entries.append(LocalizedText.Entry(language: language, text: try field.text()))
        }
        return LocalizedText(entries: entries)
    }

    /// The members under keys that are languages.
    func byLanguage() throws(LedgerError) -> [(language: String, field: CatalogField)] {
        var seen: Set<String> = []
        let entries = try entries()
        for (language, field) in entries {
            guard LanguageTag.isWellFormed(language) else {
                throw field.malformed("the key must be a BCP 47 language tag such as “en”")
            }
            guard seen.insert(language.lowercased()).inserted else {
                throw field.malformed("the language is given twice")
            }
        }
        return entries.map { ($0.key, $0.field) }
    }
}

/// An object whose keys are all known.
struct CatalogObject {
    let field: CatalogField
    let entries: [(key: String, field: CatalogField)]

    subscript(key: String) -> CatalogField? { entries.first { $0.key == key }?.field }

    func required(_ key: String) throws(LedgerError) -> CatalogField {
        guard let value = self[key] else { throw field.malformed("the key “\(key)” is missing") }
        return value
    }

    func optional<Value>(
        _ key: String, _ read: (CatalogField) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value? {
        guard let field = self[key] else { return nil }
        return try read(field)
    }

    func list<Value>(
        _ key: String, _ read: (CatalogField) throws(LedgerError) -> Value
    ) throws(LedgerError) -> [Value] {
        guard let field = self[key] else { return [] }
        var values: [Value] = []
        for element in try field.list() { values.append(try read(element)) }
        return values
    }
}

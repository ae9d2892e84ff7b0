/// The public types of a file, with the examples in its documentation.
///
/// Reads code as the formatter lays it out: a type ends where a line is indented no deeper.
struct DocumentedTypes {
    struct PublicType: Equatable {
        /// With the types it is nested in: `Catalog.Feature`.
        let name: String
        let line: Int
        let hasExample: Bool

        /// A nested type is explained by the example of the outermost.
        var needsExample: Bool { !name.contains(".") }
    }

    private(set) var types: [PublicType] = []
    /// The lines between ```` ```swift ```` and the end of the block, without `///` and indentation.
    private(set) var exampleLines: [(line: Int, text: String)] = []

    init(_ lines: [Substring]) {
        var open: [(indent: Int, name: String)] = []
        var isExample = false
        var hasExample = false
        for (index, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if text.hasPrefix("///") {
                let words = text.dropFirst(3).drop { $0 == " " }
                if words == "```swift" {
                    (isExample, hasExample) = (true, true)
                } else if words.hasPrefix("```") {
                    isExample = false
                } else if isExample, !words.isEmpty {
                    exampleLines.append((index + 1, String(words)))
                }
                continue
            }
            isExample = false
            if text.isEmpty || text.hasPrefix("@") { continue }
            while let last = open.last, last.indent >= indent { open.removeLast() }
            if let found = Self.declaration(text) {
                open.append((indent, found.name))
                if found.isPublic {
                    types.append(
                        PublicType(
                            name: open.map { $0.name }.joined(separator: "."), line: index + 1,
                            hasExample: hasExample))
                }
            }
            hasExample = false
        }
    }

    /// The name a line declares a type or an extension by.
    private static func declaration(_ text: Substring) -> (name: String, isPublic: Bool)? {
        let keywords: Set<Substring> = [
            "struct", "enum", "class", "protocol", "actor", "extension",
        ]
        let modifiers: Set<Substring> = [
            "public", "package", "internal", "fileprivate", "private", "final", "indirect",
            "nonisolated",
        ]
        var words = text.split(separator: " ")[...]
        let isPublic = words.first == "public"
        while let first = words.first, modifiers.contains(first) { words.removeFirst() }
        guard let keyword = words.popFirst(), keywords.contains(keyword),
            let name = words.first?.prefix(while: { $0.isLetter || $0.isNumber || $0 == "." }),
            !name.isEmpty
        else { return nil }
        return (String(name), isPublic)
    }
}

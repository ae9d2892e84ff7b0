import TestSupport
import Testing

/// Every public type has an example, and every example is code that a test compiles and runs.
@Suite struct ExampleTests {
    private static let sources = SourceTree.files(
        in: ["Sources/Ledger", "Sources/SyncEngine"], suffixes: [".swift"])
    private static let examples = SourceTree.files(in: ["Tests"], suffixes: [".swift"]).filter {
        guard let name = $0.path.split(separator: "/").last else { return false }
        return name.hasPrefix("Examples") || name == "ReadmeTests.swift"
    }
    private static let exampleLines = Set(
        examples.flatMap(\.lines).map { String($0.drop { $0 == " " }) })

    @Test func `the types and the examples are found`() {
        let types = Self.sources.flatMap { DocumentedTypes($0.lines).types }
        #expect(types.count > 80 && types.count { $0.needsExample } > 40)
        #expect(Self.examples.count > 5)
    }

    @Test(arguments: sources)
    func `a public type has an example in its documentation`(file: SourceTree.File) {
        for type in DocumentedTypes(file.lines).types where type.needsExample {
            #expect(type.hasExample, "\(file.path):\(type.line) \(type.name)")
        }
    }

    @Test(arguments: sources)
    func `a line of an example is a line of a test`(file: SourceTree.File) {
        for (line, text) in DocumentedTypes(file.lines).exampleLines
        where !Self.exampleLines.contains(text) {
            Issue.record("\(file.path):\(line) is in no test: \(text)")
        }
    }

    @Test func `a public type is used in an example that a test runs`() {
        let words = Set(Self.examples.flatMap { Self.names(in: $0.text) })
        for file in Self.sources {
            for type in DocumentedTypes(file.lines).types where !words.contains(type.name) {
                Issue.record("\(file.path):\(type.line) is in no test: \(type.name)")
            }
        }
    }

    @Test func `a type without an example, or in another's, is told apart`() {
        let code = """
            /// Shown.
            ///
            /// ```swift
            /// let shown = Shown()
            /// ```
            @frozen
            public struct Shown: Sendable {
                /// Nested.
                public enum Kind { case one }
                struct Hidden {}
            }

            /// Told about only.
            public final class Bare {}

            extension Shown {
                /// In an extension.
                public struct Part {}
            }
            """
        let found = DocumentedTypes(code.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(found.types.map(\.name) == ["Shown", "Shown.Kind", "Bare", "Shown.Part"])
        #expect(found.types.filter(\.needsExample).map(\.hasExample) == [true, false])
        #expect(found.exampleLines.map { $0.text } == ["let shown = Shown()"])
        #expect(Self.names(in: "Shown.Kind.one") == ["Shown", "Shown.Kind", "Shown.Kind.one"])
    }

    /// The names in a text, and what they are made of: `Status`, `Status.Act`.
    private static func names(in text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "_" }.flatMap { name in
            let parts = name.split(separator: ".")
            return parts.indices.map { parts[...$0].joined(separator: ".") }
        }
    }
}

import TestSupport
import Testing

private let swiftFiles = SourceTree.files(
    in: ["Sources", "Tests", "Benchmarks", "Examples"], suffixes: [".swift"])

@Suite struct TidyTests {
    @Test func `the files are found`() {
        #expect(swiftFiles.count > 100)
    }

    @Test(arguments: swiftFiles)
    func `a file has at most 400 lines`(file: SourceTree.File) {
        #expect(file.lines.count <= 401)
    }

    @Test(arguments: swiftFiles)
    func `a function has at most 60 lines`(file: SourceTree.File) {
        for function in FunctionLengths(file).functions where function.length > 60 {
            Issue.record("\(file.path):\(function.line) has \(function.length) lines")
        }
    }

    /// What each folder may import: data flows one way.
    @Test(arguments: swiftFiles.filter { $0.path.hasPrefix("Sources/") })
    func `a file imports only what its folder may`(file: SourceTree.File) {
        let system: Set<String> = ["Swift", "Glibc", "Darwin", "Synchronization"]
        let module = file.path.split(separator: "/")[1]
        var allowed = system
        if module == "SyncEngine" { allowed.insert("Ledger") }
        if module == "ledgerd" { allowed.formUnion(["Ledger", "SyncEngine", "Dispatch"]) }
        if file.path.hasPrefix("Sources/Ledger/Store/") { allowed.insert("CSQLite") }
        if file.path.hasPrefix("Sources/Ledger/Crypto/") { allowed.insert("COpenSSL") }
        if file.path.hasPrefix("Sources/SyncEngine/Crypto/") {
            allowed.formUnion(["COpenSSL", "COpenSSL.TLS"])
        }
        if file.path.hasSuffix("Wire/Deflate.swift") { allowed.insert("CZlib") }
        let imported = Set(file.lines.compactMap(Self.imported))
        #expect(imported.subtracting(allowed).isEmpty)
    }

    private static func imported(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place <= 2,
            words[..<place].allSatisfy({
                ["public", "internal", "private", "package", "@testable"].contains($0)
                    || $0.hasPrefix("@_spi")
            })
        else { return nil }
        return words.last.map(String.init)
    }

    @Test(arguments: swiftFiles.filter { $0.path.hasPrefix("Sources/") })
    func `nothing traps on input and no proof is missing`(file: SourceTree.File) {
        for (number, line) in file.lines.enumerated() {
            for word in ["try!", "fatalError(", "as! ", "preconditionFailure("] {
                #expect(!line.contains(word), "\(file.path):\(number + 1)")
            }
            let needsProof = line.contains("@unchecked Sendable") && !line.contains("///")
            if needsProof || line.contains("nonisolated(unsafe)") {
                let before = file.lines[max(0, number - 8)..<number].joined()
                #expect(before.contains("//"), "\(file.path):\(number + 1)")
            }
        }
    }

    @Test func `every test that the page on merging names is there`() throws {
        let text = try #require(SourceTree.read("docs/SYNC.md"))
        let lessons = try #require(text.split(separator: "\n## Lessons").last)
        let tests = swiftFiles.filter { $0.path.hasPrefix("Tests/") }.map(\.text).joined()
        var count = 0
        for row in lessons.split(separator: "\n") where row.hasPrefix("|") {
            let parts = (row.split(separator: "|").last ?? "").split(
                separator: "`", omittingEmptySubsequences: false)
            for (place, name) in parts.enumerated() where place % 2 == 1 && name.contains(" ") {
                #expect(tests.contains("func `\(name)`"), "\(name)")
                count += 1
            }
        }
        #expect(count > 9)
    }

    @Test func `SQL stands in one folder`() {
        for file in swiftFiles where file.path.hasPrefix("Sources/") {
            guard !file.path.hasPrefix("Sources/Ledger/Store/") else { continue }
            for word in ["SELECT ", "INSERT INTO", "PRAGMA ", "sqlite3_"] {
                let lines = file.lines.filter { $0.contains(word) && !$0.contains("//") }
                #expect(lines.isEmpty, "\(file.path) holds \(word)")
            }
        }
    }
}

/// Finds functions by their braces; good enough for code that the formatter laid out.
private struct FunctionLengths {
    let functions: [(line: Int, length: Int)]

    init(_ file: SourceTree.File) {
        var functions: [(line: Int, length: Int)] = []
        var open: [(indent: Int, line: Int)] = []
        for (number, line) in file.lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            guard !text.isEmpty else { continue }
            // What was opened deeper, a call over several lines, is over.
            while let last = open.last, last.indent > indent { open.removeLast() }
            if let last = open.last, indent == last.indent, text.hasPrefix("}") {
                functions.append((last.line, number + 1 - last.line + 1))
                open.removeLast()
            }
            let isFunction =
                text.contains("func ") || text.hasPrefix("init") || text.contains(" init(")
            if isFunction, !text.hasPrefix("//"), !text.hasSuffix("}"), !text.contains("\"func") {
                if text.hasSuffix("{") || text.hasSuffix("(") { open.append((indent, number + 1)) }
            }
        }
        self.functions = functions
    }
}

import TestSupport
import Testing

/// The lessons that docs/SYNC.md draws from other systems: each is held by tests that are there.
@Suite struct LessonsTests {
    private static let rows: [String] = {
        let page = SourceTree.files(in: ["docs"], suffixes: [".md"]).first {
            $0.path == "docs/SYNC.md"
        }
        let lessons = (page?.lines ?? []).drop { $0 != "## Lessons" }
        return lessons.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| elsewhere") }.map {
            String($0)
        }
    }()

    private static let testNames: Set<String> = {
        let files = SourceTree.files(in: ["Tests"], suffixes: [".swift"])
        let names = files.flatMap(\.lines).compactMap { line -> String? in
            guard line.contains("func `") else { return nil }
            return line.split(separator: "`").dropFirst().first.map { String($0) }
        }
        return Set(names)
    }()

    @Test func `there are lessons`() {
        #expect(Self.rows.count >= 25)
    }

    @Test(arguments: rows)
    func `a lesson names tests, and they are there`(row: String) {
        let cells = row.split(separator: "|")
        let named = (cells.last ?? "").split(separator: "`", omittingEmptySubsequences: false)
        let tests = named.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(!tests.isEmpty)
        for test in tests { #expect(Self.testNames.contains(test), "\(test)") }
    }
}

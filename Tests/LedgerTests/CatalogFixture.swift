import Ledger
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Catalogs for tests.
enum CatalogFixture {
    static func decode(_ json: String) throws -> Catalog {
        try Catalog(json: Array(json.utf8), file: "catalog.json")
    }

    /// The example in the documentation.
    static func documented() throws -> (json: String, firstLine: Int) {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try String(decoding: read("/" + root + "/docs/CATALOG.md"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```json"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        return (lines[(start + 1)..<end].joined(separator: "\n"), start + 2)
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"), "\(path) cannot be read")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes
    }
}

import Ledger
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A folder for one test, removed with its last owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        let bytes = try Crypto.random(8).map { String($0, radix: 16) }.joined()
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(base)/ledgerd-test-\(bytes)"
        try #require(mkdir(path, 0o700) == 0)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws -> String {
        let path = file(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(FileDescriptor.writeAll(Array(text.utf8), to: descriptor) == nil)
        return path
    }

    func read(_ name: String) throws -> String {
        let console = TestConsole()
        let bytes = try InputFile.read(file(name), bytesMax: 1 << 24, console)
        return String(decoding: bytes, as: UTF8.self)
    }

    func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    func makeFolder(_ name: String) throws { try #require(mkdir(file(name), 0o700) == 0) }

    /// The names in the folder, or in one below it, sorted.
    func names(in part: String = "") -> [String] {
        guard let folder = opendir(file(part)) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                    tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}

/// A ledger in a temporary folder, and a console to run commands on it.
struct CommandFixture {
    static let camera = [
        "--subject", "me", "--resource", "camera", "--device", "phone", "--install", "1",
    ]
    /// 2026-01-01T00:00:00Z.
    static let wall: Int64 = 1_767_225_600_000

    let folder: TemporaryFolder
    let console: TestConsole

    init(wall: Int64 = Self.wall, isEmpty: Bool = false) throws {
        folder = try TemporaryFolder()
        console = TestConsole(wall: wall)
        console.variables["LEDGERD_DIR"] = folder.file("state")
        if isEmpty { return }
        try #require(console.run("init") == .done, "\(console.errorText)")
    }

    /// The same ledger at another time.
    func console(at wall: Int64) -> TestConsole {
        let other = TestConsole(wall: wall)
        other.variables = console.variables
        return other
    }

    /// Admits the replica of another console to this one's ledger.
    ///
    /// - Returns: its id.
    @discardableResult
    func admit(_ other: TestConsole, _ options: String...) throws -> String {
        let errors = other.errorText
        #expect(other.run("id", "--json") == .done)
        let id = try #require(try Self.member("replica", other.outputText)?.text)
        #expect(console.run(["members", "add", id] + options) == .done, "\(console.errorText)")
        if !errors.isEmpty { #expect(errors.contains(id)) }
        return id
    }

    /// Runs a command about `me`'s camera on the phone.
    @discardableResult
    func camera(_ words: String...) -> ExitCode {
        console.run(words + Self.camera)
    }

    /// The value of a member in a line of JSON.
    static func member(_ name: String, _ line: some StringProtocol) throws -> JSONValue? {
        try JSONReader.parse(Array(line.utf8), file: "output")[name]
    }
}

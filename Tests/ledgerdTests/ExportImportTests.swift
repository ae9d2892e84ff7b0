import Ledger
import Testing

@testable import ledgerd

@Suite struct ExportImportTests {
    private static let notes = [
        "a;b,c \"d\"", "two\nlines", "", "=1+1", "–grün 日本", "125276004817190914",
    ]

    private func filled() throws -> CommandFixture {
        let fixture = try CommandFixture()
        for note in Self.notes {
            let words = ["record", "answer", "--outcome", "denied", "--note=\(note)"]
            try #require(fixture.console.run(words + CommandFixture.camera) == .done)
        }
        return fixture
    }

    /// A second replica of the fixture's ledger, empty.
    private func replica(of fixture: CommandFixture) throws -> TestConsole {
        try #require(fixture.console.run("invite") == .done)
        let other = TestConsole(wall: CommandFixture.wall)
        other.variables["LEDGERD_DIR"] = fixture.folder.file("other")
        other.input = Array(fixture.console.outputText.utf8)
        try #require(other.run("join", "-") == .done, "\(other.errorText)")
        return other
    }

    @Test(arguments: [[], ["--csv"]])
    func `an export comes back as the very same events and only once`(form: [String]) throws {
        let fixture = try filled()
        let path = fixture.folder.file("export")
        #expect(fixture.console.run(["export", path] + form) == .done)
        let other = try replica(of: fixture)
        #expect(other.run("import", path, "--strict", "--json") == .done, "\(other.errorText)")
        let added = try CommandFixture.member("added", other.outputText)?.integer
        #expect(added == Int64(Self.notes.count + 1))
        #expect(other.run("import", path, "--json") == .done)
        #expect(try CommandFixture.member("added", other.outputText)?.integer == 0)
        fixture.console.run("history", "--json", "--subject", "me")
        other.run("history", "--json", "--subject", "me")
        let ids = try [fixture.console, other].map { console in
            try console.outputLines.map { try CommandFixture.member("id", $0)?.text }
        }
        #expect(ids[0] == ids[1])
        #expect(ids[0].count == Self.notes.count)
    }

    @Test func `a history as CSV is recognised by import`() throws {
        let fixture = try filled()
        fixture.console.run("history", "--csv")
        let path = try fixture.folder.write(fixture.console.outputText, to: "history.csv")
        #expect(fixture.console.run("import", path, "--json") == .done)
        let present = try CommandFixture.member("present", fixture.console.outputText)?.integer
        #expect(present == Int64(Self.notes.count + 1))
    }

    @Test func `an export that cannot be finished leaves no file`() throws {
        let fixture = try filled()
        #expect(fixture.console.run("export", fixture.folder.file("no/such")) != .done)
        let before = fixture.folder.names()
        #expect(fixture.console.run("export", fixture.folder.path) != .done)
        #expect(fixture.folder.names() == before)
    }

    @Test func `an export to a full disk has a code of its own`() throws {
        let fixture = try filled()
        fixture.console.outputError = 28  // ENOSPC
        #expect(fixture.console.run("export") == .io)
    }

    @Test func `what an import cannot take is named by line`() throws {
        let fixture = try filled()
        let path = fixture.folder.file("export")
        fixture.console.run("export", path)
        var lines = try fixture.folder.read("export").split(separator: "\n").map(String.init)
        lines.insert("{\"record\":\"nonsense\"}", at: 2)
        let broken = try fixture.folder.write(lines.joined(separator: "\n"), to: "broken")
        let other = try replica(of: fixture)
        #expect(other.run("import", broken, "--strict") == .data)
        #expect(other.errorText.contains("\(broken):3"))
        #expect(other.run("import", broken) == .partial)
        #expect(other.errorText.contains("\(broken):3: set aside"))
    }

    @Test func `a foreign file needs the device it is from`() throws {
        let fixture = try CommandFixture()
        let path = try fixture.folder.write(
            "Table    Object  App           Permissions Data\ndevices  camera  org.example.A yes         0x00\n",
            to: "flatpak.txt")
        #expect(fixture.console.run("import", path) == .usage)
        #expect(fixture.console.errorText.contains("--device is missing"))
        #expect(fixture.console.run("import", "--format", "tcc", path, "--device", "x") == .data)
        #expect(fixture.console.run("import", "--format", "tccc", path) == .usage)
        #expect(fixture.console.run("import", fixture.folder.file("none")) == .noInput)
    }

    @Test func `standard input is called so`() {
        let options = ImportOptions(device: "x", now: CommandFixture.wall)
        #expect(Importer("-", options).name == "standard input")
        #expect(Importer("list.txt", options).name == "list.txt")
    }
}

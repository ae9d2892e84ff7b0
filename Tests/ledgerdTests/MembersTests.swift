import Ledger
import Testing

@testable import ledgerd

@Suite struct MembersTests {
    private let fixture: CommandFixture
    private let tablet: TestConsole

    init() throws {
        fixture = try CommandFixture()
        let ledger = try Ledger(openAt: fixture.folder.file("state"))
        let text = try ledger.invitation().text
        try ledger.close()
        tablet = TestConsole(wall: CommandFixture.wall)
        tablet.variables["LEDGERD_DIR"] = fixture.folder.file("tablet")
        #expect(tablet.run("join", text) == .done)
        #expect(tablet.errorText.contains("ledgerd members add"))
        try fixture.folder.makeFolder("drop")
    }

    private func sync() {
        for console in [fixture.console, tablet, fixture.console] {
            console.run("sync", "folder", fixture.folder.file("drop"))
        }
    }

    private func standing(_ id: String) throws -> String? {
        fixture.console.run("members", "list", "--json")
        let list = try CommandFixture.member("members", fixture.console.outputText)?.elements
        return list?.first { $0["replica"]?.text == id }?["standing"]?.text
    }

    @Test func `a device that joined is offered, admitted, renamed, removed and brought back`()
        throws
    {
        let key = try fixture.folder.write("", to: "unused")
        #expect(fixture.console.run("members", "add", "tablet", "--recovery-key", key) == .data)
        sync()
        #expect(fixture.console.errorText.contains("ledgerd members add"))
        fixture.console.run("members", "list")
        #expect(fixture.console.outputText.contains("stranger"))
        let id = try fixture.admit(tablet, "--name", "tablet")
        #expect(try standing(id) == "member")
        #expect(fixture.console.run("members", "add", id) == .done)
        #expect(fixture.console.outputText.contains("is a member already"))
        #expect(fixture.console.run("members", "rename", "tablet", "slate") == .done)
        #expect(fixture.console.run("members", "remove", "tablet") == .noInput)
        #expect(fixture.console.run("members", "remove", String(id.prefix(12))) == .done)
        #expect(try standing(id) == "removed")
        #expect(fixture.console.run("members", "add", id) == .conflict)
        fixture.console.run("members", "list")
        #expect(fixture.console.outputText.contains("“slate”"))
        #expect(
            fixture.console.outputText.contains("by \(try self.id(fixture.console).prefix(10))"))
    }

    private func id(_ console: TestConsole) throws -> String {
        console.run("id", "--json")
        return try #require(try CommandFixture.member("replica", console.outputText)?.text)
    }

    @Test func `the recovery key in a file brings a removed device back`() throws {
        let folder = try TemporaryFolder()
        let console = TestConsole(wall: CommandFixture.wall)
        console.variables["LEDGERD_DIR"] = folder.file("state")
        let key = folder.file("key")
        #expect(console.run("init", "--recovery-key", key) == .done)
        console.run("invite")
        let other = TestConsole(wall: CommandFixture.wall)
        other.variables["LEDGERD_DIR"] = folder.file("other")
        #expect(other.run("join", String(console.outputLines[0])) == .done)
        let id = try self.id(other)
        #expect(console.run("members", "add", id, "--name", "other") == .done)
        #expect(console.run("members", "remove", "other") == .done)
        #expect(console.run("members", "add", "other", "--recovery-key", key, "--json") == .done)
        #expect(try CommandFixture.member("standing", console.outputText)?.text == "member")
        #expect(console.run("verify") == .done)
        // What is not a member may not admit; that has its own exit code.
        #expect(other.run("members", "add", id) == .noPermission)
    }
}

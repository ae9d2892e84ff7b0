import Ledger
import Testing

@testable import ledgerd

@Suite struct InitTests {
    @Test func `the recovery key goes into a new file and not to the screen`() throws {
        let folder = try TemporaryFolder()
        let console = TestConsole()
        let words = ["init", "--dir", folder.file("a"), "--recovery-key", folder.file("key")]
        #expect(console.run(words + ["--json"]) == .done, "\(console.errorText)")
        #expect(try CommandFixture.member("recoveryKey", console.outputText) == nil)
        let key = try folder.read("key")
        #expect(Base32.decode(String(key.dropLast()))?.count == 32)
        #expect(
            console.run(["init", "--dir", folder.file("b")] + words.suffix(2)) == .cannotCreate)
        #expect(!folder.exists("b"))
        #expect(try folder.read("key") == key)
    }

    @Test func `a ledger that is there is not replaced and no key file is left`() throws {
        let fixture = try CommandFixture()
        let key = fixture.folder.file("key")
        #expect(fixture.console.run("init", "--recovery-key", key) == .cannotCreate)
        #expect(!fixture.folder.exists("key"))
    }

    @Test func `a recovery key that nobody could read is reported`() throws {
        let folder = try TemporaryFolder()
        let console = TestConsole()
        console.outputError = SystemError.brokenPipe
        #expect(console.run("init", "--dir", folder.file("a")) == .io)
        #expect(console.errorText.contains("is lost"))
    }

    @Test func `a ledger that is not there is named with what to do`() throws {
        let folder = try TemporaryFolder()
        let console = TestConsole()
        #expect(console.run("status", "--dir", folder.file("none"), "--subject", "me") == .noInput)
        #expect(console.errorText.contains("ledgerd init"))
        #expect(!folder.exists("none"))
    }

    @Test func `two replicas merge through a folder`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "answer", "--outcome", "denied")
        fixture.console.run("invite")
        let tablet = TestConsole(wall: CommandFixture.wall)
        tablet.variables["LEDGERD_DIR"] = fixture.folder.file("tablet")
        #expect(tablet.run("join", String(fixture.console.outputLines[0])) == .done)
        try fixture.admit(tablet)
        let drop = fixture.folder.file("drop")
        #expect(fixture.console.run("sync", "folder", drop) == .noInput)
        try fixture.folder.makeFolder("drop")
        #expect(fixture.console.run("sync", "folder", drop) == .done)
        #expect(tablet.run("sync", "folder", drop, "--json") == .done, "\(tablet.errorText)")
        let imported = try CommandFixture.member("eventsImported", tablet.outputText)?.integer
        #expect(imported == 3)
        tablet.run(["status", "--json"] + CommandFixture.camera)
        #expect(try CommandFixture.member("status", tablet.outputText)?.text == "denied")
        #expect(tablet.run("verify") == .done)
    }

    @Test func `a copy is verified and a changed one has its own code`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "answer", "--outcome", "denied")
        let copy = fixture.folder.file("copy.db")
        #expect(fixture.console.run("backup", copy) == .done)
        #expect(fixture.console.run("backup", copy) == .cannotCreate)
        #expect(fixture.console.run("verify", "--copy", copy, "--json") == .done)
        #expect(try CommandFixture.member("sound", fixture.console.outputText)?.truth == true)
        let garbage = try fixture.folder.write(
            String(repeating: "not a database ", count: 400), to: "garbage.db")
        #expect(fixture.console.run("verify", "--copy", garbage) == .damaged)
    }

    @Test func `a clock that is ahead is told after a merge with both times`() throws {
        let phone = try CommandFixture(wall: CommandFixture.wall + 3_600_000)
        phone.camera("record", "answer", "--outcome", "denied")
        let tablet = TestConsole(wall: CommandFixture.wall)
        tablet.variables["LEDGERD_DIR"] = phone.folder.file("tablet")
        phone.console.run("invite")
        let invitation = try #require(phone.console.outputLines.last)
        #expect(tablet.run("join", String(invitation)) == .done)
        try phone.admit(tablet)
        try phone.folder.makeFolder("drop")
        #expect(phone.console.run("sync", "folder", phone.folder.file("drop")) == .done)
        #expect(!phone.console.errorText.contains("ahead"))
        #expect(tablet.run("sync", "folder", phone.folder.file("drop")) == .done)
        #expect(tablet.errorText.contains("2026-01-01T01:00:00Z"))
        #expect(tablet.errorText.contains("2026-01-01T00:00:00Z"))
        #expect(tablet.run("history") == .done)
        #expect(tablet.outputText.contains("this machine's clock says 2026-01-01T00:00:00Z"))
    }
}

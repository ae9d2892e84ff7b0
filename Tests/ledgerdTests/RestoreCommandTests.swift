import Ledger
import TestSupport
import Testing

@testable import ledgerd

@Suite struct RestoreCommandTests {
    @Test func `of three backups the newest by its log is restored, whatever the files' times`()
        throws
    {
        let fixture = try CommandFixture()
        var files: [String] = []
        for name in ["a.db", "c.db", "b.db"] {
            fixture.camera("record", "answer", "--outcome", "allowed")
            fixture.camera("record", "answer", "--outcome", "denied")
            files.append(fixture.folder.file(name))
            #expect(fixture.console.run("backup", files[files.count - 1]) == .done)
        }
        // The oldest copy has the newest file.
        StateFiles.write(StateFiles.read(files[0]), to: files[0])
        let log = try CommandFixture.member("log", id(fixture))?.text
        let state = fixture.folder.file("state")
        #expect(fixture.console.run("restore", files[0], files[1], files[2]) == .cannotCreate)
        StateFiles.move(state + "/ledger.db", to: state + "/old.db")
        #expect(fixture.console.run("restore", files[0], files[2], files[1], "--json") == .done)
        let output = fixture.console.outputText
        #expect(try CommandFixture.member("file", output)?.text == files[2])
        let new = try #require(try CommandFixture.member("log", output)?.text)
        #expect(new != log)
        #expect(try CommandFixture.member("log", id(fixture))?.text == new)
        #expect(fixture.console.run("verify") == .done)
    }

    private func id(_ fixture: CommandFixture) -> String {
        fixture.console.run("id", "--json")
        return fixture.console.outputText
    }

    @Test func `a restore without the key says how to go on`() throws {
        let fixture = try CommandFixture()
        let file = fixture.folder.file("backup.db")
        #expect(fixture.console.run("backup", file) == .done)
        let other = fixture.folder.file("other")
        #expect(fixture.console.run("restore", file, "--dir", other) == .done)
        #expect(fixture.console.errorText.contains("replica.key is not there"))
        #expect(fixture.console.run("verify", "--dir", other) == .done)
    }

    @Test func `a backup that does not verify is not put in place`() throws {
        let fixture = try CommandFixture()
        let file = fixture.folder.file("backup.db")
        #expect(fixture.console.run("backup", file) == .done)
        var bytes = StateFiles.read(file)
        bytes.removeLast(bytes.count / 2)
        StateFiles.write(bytes, to: file)
        let other = fixture.folder.file("other")
        #expect(fixture.console.run("restore", file, "--dir", other) == .damaged)
        #expect(!fixture.folder.exists("other/ledger.db"))
    }
}

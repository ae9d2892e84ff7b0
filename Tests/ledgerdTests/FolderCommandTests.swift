import Ledger
import Testing

@testable import ledgerd

@Suite struct FolderCommandTests {
    let fixture: CommandFixture
    var console: TestConsole { fixture.console }
    var drop: String { fixture.folder.file("drop") }

    init() throws {
        fixture = try CommandFixture()
        try fixture.folder.makeFolder("drop")
        let recorded = fixture.camera("record", "answer", "--outcome", "allowed")
        #expect(recorded == .done, "\(fixture.console.errorText)")
    }

    private func json(_ words: String...) throws -> JSONValue {
        #expect(console.run(words + ["--json"]) == .done, "\(console.errorText)")
        return try JSONReader.parse(console.output, file: "output")
    }

    @Test func `status tells what is published and what is not yet`() throws {
        #expect(console.run("folder", "status", drop) == .done)
        #expect(console.outputText.contains("nothing of this ledger is there"))
        #expect(console.outputText.contains("0 of 2 events are published"))
        #expect(console.run("sync", "folder", drop) == .done)
        #expect(console.run("folder", "status", drop) == .done)
        #expect(console.outputLines.count == 2 && console.outputText.contains("(own)"))
        #expect(console.outputText.contains("2 events in 1 files"))
        let status = try json("folder", "status", drop)
        #expect(status["files"] == .number("1") && status["keyGeneration"] == .number("0"))
    }

    @Test func `status names what was left alone, and other programs' files do no harm`() throws {
        #expect(console.run("sync", "folder", drop) == .done)
        _ = try fixture.folder.write("shopping", to: "drop/note.txt")
        #expect(console.run("folder", "status", drop) == .done)
        #expect(console.errorText.contains("set aside: note.txt: notASegment"))
        _ = try fixture.folder.write("CLSEG/", to: "drop/cut.cls")
        #expect(console.run("folder", "status", drop) == .partial)
        #expect(console.errorText.contains("cut.cls: incomplete"))
    }

    @Test func `clean removes own unfinished files and says so, a dry run only says so`() throws {
        #expect(console.run("sync", "folder", drop) == .done)
        let ledger = try #require(fixture.folder.names(in: "drop").first)
        let replica = try #require(fixture.folder.names(in: "drop/\(ledger)").first)
        let leftover = "drop/\(ledger)/\(replica)/.cl-tmp-abc"
        _ = try fixture.folder.write("half", to: leftover)
        #expect(console.run("folder", "clean", "--dry-run", drop) == .done)
        #expect(console.outputText.contains("would remove  unfinished  4 bytes  .cl-tmp-abc"))
        #expect(fixture.folder.exists(leftover))
        let cleaned = try json("folder", "clean", drop)
        #expect(cleaned["removed"] == .number("1") && cleaned["bytes"] == .number("4"))
        #expect(!fixture.folder.exists(leftover))
        #expect(console.run("folder", "clean", drop) == .done)
        #expect(console.outputText == "0 files, 0 bytes removed; 0 kept\n")
    }

    @Test(arguments: ["status", "clean"])
    func `a folder that is not there, or is the state directory, is refused`(part: String) {
        #expect(console.run("folder", part, drop + "/nowhere") == .noInput)
        #expect(console.run("folder", part, fixture.folder.file("state")) == .usage)
        #expect(console.run("folder", part) == .usage)
    }

    @Test func `a grace that is no time is refused`() {
        #expect(console.run("folder", "clean", drop, "--grace", "soon") == .usage)
        #expect(console.run("folder", "clean", drop, "--grace", "0s") == .done)
    }
}

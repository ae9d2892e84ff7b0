import Ledger
import Testing

@testable import ledgerd

@Suite struct RecordTests {
    @Test func `one event is recorded from options and its id printed`() throws {
        let fixture = try CommandFixture()
        #expect(fixture.camera("record", "prompt-asked") == .done)
        #expect(EventID(String(fixture.console.outputLines[0])) != nil)
        #expect(fixture.console.errors.isEmpty)
    }

    @Test func `the same key again records nothing and says so with code 0`() throws {
        let fixture = try CommandFixture()
        let words = ["record", "answer", "--outcome", "allowed", "--key", "k1"]
        #expect(fixture.console.run(words + CommandFixture.camera) == .done)
        let first = fixture.console.outputText
        #expect(fixture.console.run(words + CommandFixture.camera) == .done)
        #expect(fixture.console.outputText == first)
        #expect(fixture.console.errorText.contains("already recorded"))
    }

    @Test func `the same key with other content is a conflict`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "answer", "--outcome", "allowed", "--key", "k1")
        #expect(
            fixture.camera("record", "answer", "--outcome", "denied", "--key", "k1") == .conflict)
    }

    @Test func `a double click on an answer is one event`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "prompt-asked")
        let asked = String(fixture.console.outputLines[0])
        let click = ["record", "answer", "--outcome", "denied", "--answers", asked]
        #expect(fixture.console.run(click + CommandFixture.camera) == .done)
        let first = fixture.console.outputText
        #expect(fixture.console.run(click + CommandFixture.camera + ["--json"]) == .done)
        #expect(try CommandFixture.member("new", fixture.console.outputText)?.truth == false)
        let id = try CommandFixture.member("id", fixture.console.outputText)?.text
        #expect(id.map { "\($0)\n" } == first)
    }

    @Test func `another answer to the same question is recorded and no denial is lost`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "prompt-asked")
        let asked = String(fixture.console.outputLines[0])
        for outcome in ["allowed", "denied", "allowed"] {
            fixture.camera("record", "answer", "--outcome", outcome, "--answers", asked)
        }
        fixture.console.run("history", "--json", "--kind", "answer")
        #expect(fixture.console.outputLines.count == 2)
        fixture.camera("status", "--json")
        #expect(try CommandFixture.member("status", fixture.console.outputText)?.text == "denied")
    }

    @Test func `lines of JSON are recorded and counted`() throws {
        let fixture = try CommandFixture()
        var lines = ""
        for number in 0..<2500 {
            lines +=
                #"{"kind":"answer","subject":"s\#(number)","resource":"mail","scope":"person","#
                + #""outcome":"allowed","note":"grün","buttons":["Yes","No"]}"# + "\n"
        }
        fixture.console.input = Array(lines.utf8)
        #expect(fixture.console.run("record", "-") == .done, "\(fixture.console.errorText)")
        #expect(fixture.console.outputText == "recorded 2500, already recorded 0\n")
    }

    @Test(arguments: [
        (#"{"kind":"answr"}"#, "“kind” must be one of"),
        (#"{"kind":"answer","subjct":"me"}"#, "did you mean subject?"),
        (#"{"kind":"answer","outcome":"maybe"}"#, "“outcome” must be one of"),
        (#"{"kind":"answer","subject":7}"#, "“subject” must be a text"),
        (#"{"kind":"answer","note":"a","note":"b"}"#, "twice"),
        (#"{"kind":"answer","end":"2026-01-01T00:00:00"}"#, "“end” must be a time with Z"),
        (#"["answer"]"#, "an object expected"), (#"{"kind":"answer""#, ""),
        (#"{"kind":"answer","subject":"me","resource":"mail","scope":"person"}"#, "outcome"),
    ])
    func `an error in a line names file and line and what stands before it is recorded`(
        line: String, part: String
    ) throws {
        let fixture = try CommandFixture()
        let good = #"{"kind":"prompt-asked","subject":"me","resource":"mail","scope":"person"}"#
        let path = try fixture.folder.write("\(good)\n\n\(line)\n\(good)\n", to: "in.jsonl")
        #expect(fixture.console.run("record", path) == .data)
        #expect(fixture.console.errorText.contains("\(path):3"), "\(fixture.console.errorText)")
        #expect(fixture.console.errorText.contains(part), "\(fixture.console.errorText)")
        #expect(fixture.console.outputText.contains("recorded 1,"))
    }

    @Test(arguments: [
        ["record", "answr"], ["record", "answer", "--outcome", "alowed"],
        ["record", "answer", "--extent", "wide"], ["record", "-", "--subject", "me"],
    ])
    func `wrong options are refused before anything is recorded`(words: [String]) throws {
        let fixture = try CommandFixture()
        #expect(fixture.console.run(words) == .usage)
        #expect(fixture.console.output.isEmpty)
    }

    @Test func `no message repeats a name or a note`() throws {
        let fixture = try CommandFixture()
        let secret = "Zaphod"
        let words = [
            "record", "answer", "--subject", secret, "--resource", secret, "--note", secret,
        ]
        #expect(fixture.console.run(words) == .data)
        #expect(!fixture.console.errorText.contains(secret))
        fixture.console.input = Array(#"{"kind":"answer","\#(secret) X":"\#(secret)"}"#.utf8)
        #expect(fixture.console.run("record", "-") == .data)
        #expect(!fixture.console.errorText.contains(secret))
    }

    @Test func `the catalog fills in scope, revision and unit`() throws {
        let fixture = try CommandFixture()
        let path = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        let words = [
            "record", "answer", "--subject", "me", "--resource", "mail", "--outcome", "allowed",
        ]
        #expect(fixture.console.run(words) == .data)
        #expect(fixture.console.run(words + ["--catalog", path]) == .done)
        #expect(fixture.console.run("catalog", "publish", path) == .done)
        #expect(fixture.console.run(words + ["--published"]) == .done)
        #expect(fixture.console.run("history", "--json", "--kind", "answer") == .done)
        for line in fixture.console.outputLines {
            #expect(try CommandFixture.member("scope", line)?.text == "person")
            #expect(try CommandFixture.member("revision", line)?.text == "1.2")
            #expect(try CommandFixture.member("unit", line) != nil)
        }
        #expect(fixture.console.outputLines.count == 2)
    }

    @Test(arguments: [["--catalog"], ["--published"]])
    func `a grant ends when the catalog's validity is over, and the same answer is one`(
        source: [String]
    ) throws {
        let fixture = try CommandFixture()
        let path = try fixture.folder.write(
            """
            {"platform": "web", "language": "en", "resources": [{"id": "mail", "scope": "person",
            "revision": "1", "purpose": {"en": "We send news once a month."}, "validity": "P6M"}]}
            """, to: "validity.json")
        #expect(fixture.console.run("catalog", "publish", path) == .done)
        let words =
            ["--subject", "ann", "--resource", "mail"] + source
            + (source == ["--catalog"] ? [path] : [])
        fixture.console.run(["record", "prompt-asked", "--json"] + words)
        let ask = try #require(
            try CommandFixture.member("id", fixture.console.outputLines.last ?? "")?.text)
        for isNew in [true, false] {
            let console = fixture.console(at: CommandFixture.wall + (isNew ? 0 : 60_000))
            console.run(
                ["record", "answer", "--outcome", "allowed", "--answers", ask, "--json"] + words)
            #expect(try CommandFixture.member("new", console.outputText)?.truth == isNew)
        }
        fixture.console.run("status", "--subject", "ann", "--resource", "mail", "--json")
        #expect(
            try CommandFixture.member("end", fixture.console.outputLines.last ?? "")?.text
                == "2026-07-01T00:00:00Z")
    }

    @Test func `every beginning of an id finds its event`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "prompt-asked")
        let id = try #require(fixture.console.outputLines.last)
        for length in 4...id.count {
            let console = fixture.console(at: CommandFixture.wall)
            console.run(
                [
                    "record", "answer", "--outcome", "dismissed", "--answers",
                    String(id.prefix(length)),
                ]
                    + CommandFixture.camera)
            #expect(console.errorText == "" || console.errorText.contains("already recorded"))
        }
        #expect(
            fixture.camera("record", "answer", "--outcome", "denied", "--answers", "zzzz") != .done)
    }
}

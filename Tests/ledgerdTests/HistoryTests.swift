import Ledger
import Testing

@testable import ledgerd

@Suite struct HistoryTests {
    private static let day: Int64 = 86_400_000
    /// 2026-12-31T00:00:00Z.
    private static let lastDay = CommandFixture.wall + 364 * day

    /// Events on the last day of the year, just before and just after it.
    private func yearEnd() throws -> CommandFixture {
        let fixture = try CommandFixture(wall: CommandFixture.wall)
        for offset: Int64 in [-1, 0, 9 * 3_600_000, Self.day - 1, Self.day] {
            let console = fixture.console(at: Self.lastDay + offset)
            let words = ["record", "prompt-asked", "--note", "at \(offset)"]
            try #require(console.run(words + CommandFixture.camera) == .done)
        }
        return fixture
    }

    @Test(arguments: [[], ["--json"], ["--csv"]])
    func `an until day takes all of that day, in every form`(form: [String]) throws {
        let fixture = try yearEnd()
        let words = ["history", "--kind", "promptAsked", "--since", "2026-12-31"]
        #expect(fixture.console.run(words + ["--until", "2026-12-31"] + form) == .done)
        let text = fixture.console.outputText
        for (offset, isShown) in [(-1, false), (0, true), (32_400_000, true), (86_399_999, true)] {
            #expect(
                text.contains("at \(offset)\n") || text.contains("at \(offset)\"")
                    || text.contains("at \(offset),") == isShown, "\(offset)")
        }
        #expect(!text.contains("at 86400000"))
    }

    @Test func `days are those of the zone that is asked for`() throws {
        let fixture = try yearEnd()
        let words = ["history", "--kind", "promptAsked", "--json", "--tz", "+01:00"]
        #expect(fixture.console.run(words + ["--since", "2027-01-01"]) == .done)
        #expect(fixture.console.outputLines.count == 2)
        let times = try fixture.console.outputLines.map {
            try CommandFixture.member("time", $0)?.text
        }
        #expect(times == ["2027-01-01T00:59:59.999+01:00", "2027-01-01T01:00:00+01:00"])
    }

    @Test func `each filter lets only its own through`() throws {
        let fixture = try CommandFixture()
        let base = ["record", "prompt-asked", "--install", "1"]
        let keys = [("a", "phone", "camera", "scan"), ("b", "tablet", "mail", "write")]
        for (subject, device, resource, feature) in keys {
            let key = [
                "--subject", subject, "--device", device, "--resource", resource, "--feature",
                feature,
            ]
            #expect(fixture.console.run(base + key) == .done)
        }
        for filter in [
            ["--subject", "b"], ["--device", "tablet"], ["--resource", "mail"],
            ["--feature", "write"],
        ] {
            #expect(fixture.console.run(["history", "--json"] + filter) == .done)
            #expect(fixture.console.outputLines.count == 1, "\(filter)")
            let subject = try CommandFixture.member("subject", fixture.console.outputText)
            #expect(subject?.text == "b", "\(filter)")
        }
        #expect(fixture.console.run("history", "--json", "--kind", "logOpened") == .done)
        #expect(fixture.console.outputLines.count == 1)
    }

    @Test(arguments: [
        ["--kind", "promptasked"], ["--since", "2026-02-30"], ["--tz", "Europe/Belrin"],
        ["--since", "2026-02-02", "--until", "2026-02-01"], ["--csv", "--json"],
    ])
    func `a filter that makes no sense is refused`(words: [String]) throws {
        let fixture = try CommandFixture()
        #expect(fixture.console.run(["history"] + words) == .usage)
    }

    @Test func `the exact words that were shown stand under the event`() throws {
        let fixture = try CommandFixture()
        let path = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        fixture.console.run("catalog", "publish", path)
        let shown = ["record", "primer-shown", "--primer", "why-camera", "--locale", "en"]
        #expect(fixture.console.run(shown + CommandFixture.camera + ["--published"]) == .done)
        #expect(fixture.console.run("history", "--kind", "primerShown") == .done)
        #expect(fixture.console.outputText.contains("shown title: “Scan receipts”"))
        #expect(fixture.console.run("history", "--kind", "primerShown", "--json") == .done)
        let words = try CommandFixture.member("words", fixture.console.outputText)
        #expect(words?["title"]?.text == "Scan receipts")
    }

    @Test func `cells that a spreadsheet would run are made harmless`() throws {
        let fixture = try CommandFixture()
        for start in ["=HYPERLINK(\"x\";\"y\")", "+1", "-1", "@sum"] {
            let words = ["record", "prompt-asked", "--note=\(start)"]
            #expect(fixture.console.run(words + CommandFixture.camera) == .done)
        }
        #expect(fixture.console.run("history", "--csv") == .done)
        for cell in ["=HYPERLINK", "+1", "-1", "@sum"] {
            #expect(!fixture.console.outputText.contains(",\(cell)"))
            #expect(!fixture.console.outputText.contains(",\"\(cell)"))
            #expect(fixture.console.outputText.contains(cell))
        }
    }

    @Test func `a reader that leaves early ends it quietly`() throws {
        let fixture = try CommandFixture()
        let line = #"{"kind":"prompt-asked","subject":"me","resource":"mail","scope":"person"}"#
        fixture.console.input = Array(String(repeating: line + "\n", count: 3000).utf8)
        #expect(fixture.console.run("record", "-") == .done)
        fixture.console.outputError = SystemError.brokenPipe
        let before = fixture.console.writeCount
        #expect(fixture.console.run("history", "--json") == .done)
        #expect(fixture.console.errors.isEmpty)
        #expect(fixture.console.writeCount == before + 1, "it went on writing")
    }

    @Test func `following shows what was there and then what arrives, each once`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "prompt-asked")
        var rounds = 0
        let other = fixture.console(at: CommandFixture.wall)
        fixture.console.whilePaused = {
            rounds += 1
            if rounds == 1 {
                other.run(["record", "answer", "--outcome", "denied"] + CommandFixture.camera)
            }
            return rounds < 4
        }
        #expect(fixture.console.run("history", "--follow", "--json", "--subject", "me") == .done)
        let kinds = try fixture.console.outputLines.map {
            try CommandFixture.member("kind", $0)?.text
        }
        #expect(kinds == ["promptAsked", "answerGiven"])
    }

    @Test func `identifiers and times are text in JSON`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "prompt-asked", "--note", "125276004817190914")
        fixture.console.run("history", "--json", "--subject", "me")
        for name in ["id", "log", "author", "time", "note"] {
            #expect(try CommandFixture.member(name, fixture.console.outputText)?.text != nil)
        }
    }
}

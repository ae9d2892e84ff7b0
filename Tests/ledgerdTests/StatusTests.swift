import Ledger
import Testing

@testable import ledgerd

@Suite struct StatusTests {
    private static let day: Int64 = 86_400_000

    private func member(_ name: String, _ fixture: CommandFixture) throws -> JSONValue? {
        try CommandFixture.member(name, fixture.console.outputText)
    }

    @Test func `one key tells its status, its rule and its events`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "answer", "--outcome", "denied")
        let id = String(fixture.console.outputLines[0])
        #expect(fixture.camera("status", "--why", "--json") == .done)
        #expect(try member("status", fixture)?.text == "denied")
        #expect(try member("reason", fixture)?.text == "inForce")
        #expect(try member("evidence", fixture)?.elements == [.string(id)])
        #expect(try member("events", fixture)?.elements?.first?["id"]?.text == id)
        #expect(fixture.camera("status", "--why") == .done)
        #expect(fixture.console.outputText.contains("denied"))
        #expect(fixture.console.outputText.contains("One event is in force"))
        #expect(fixture.console.outputText.contains(id.prefix(10)))
    }

    @Test func `a grant ends at its instant and the day before it is listed as expiring`() throws {
        let fixture = try CommandFixture()
        let end = CommandFixture.wall + 180 * Self.day
        fixture.camera(
            "record", "answer", "--outcome", "allowed", "--end", TimeZoneRules.utc.text(end))
        for (wall, status, isListed) in [
            (end - Self.day, "authorized", true), (end - 1, "authorized", true),
            (end, "notDetermined", false), (end + Self.day, "notDetermined", false),
            (end - 31 * Self.day, "authorized", false),
        ] {
            // The floor of expiry does not run back, so each moment needs its own ledger.
            let other = try CommandFixture()
            other.camera(
                "record", "answer", "--outcome", "allowed", "--end", TimeZoneRules.utc.text(end))
            let console = other.console(at: wall)
            console.run(["status", "--json"] + CommandFixture.camera)
            #expect(try CommandFixture.member("status", console.outputText)?.text == status)
            let isExpired = try CommandFixture.member("expired", console.outputText)?.truth
            #expect(isExpired == (status == "notDetermined"))
            #expect(console.run("status", "--expiring", "30d", "--json") == .done)
            #expect(console.outputLines.count == (isListed ? 1 : 0), "\(wall - end)")
        }
    }

    @Test func `a clock that was turned back revives no expired grant`() throws {
        let fixture = try CommandFixture()
        let end = CommandFixture.wall + Self.day
        fixture.camera(
            "record", "answer", "--outcome", "allowed", "--end", TimeZoneRules.utc.text(end))
        let later = fixture.console(at: end + Self.day)
        later.run(
            "record", "prompt-asked", "--subject", "x", "--resource", "mail", "--scope", "person")
        #expect(fixture.camera("status", "--json") == .done)
        #expect(try member("expired", fixture)?.truth == true)
        #expect(fixture.console.run("clock", "--json") == .done)
        #expect(try member("isFloorAhead", fixture)?.truth == true)
        #expect(fixture.console.run("clock", "--reset-floor") == .done)
        fixture.camera("status", "--json")
        #expect(try member("status", fixture)?.text == "authorized")
    }

    @Test func `as of a day means its last instant`() throws {
        let fixture = try CommandFixture()
        fixture.camera("record", "answer", "--outcome", "denied")
        let later = fixture.console(at: CommandFixture.wall + Self.day)
        later.run(["record", "answer", "--outcome", "allowed"] + CommandFixture.camera)
        for (time, status) in [
            ("2025-12-31", "notDetermined"), ("2026-01-01", "denied"), ("2026-01-02", "authorized"),
            ("2026-01-01T12:00:00+00:00", "denied"),
        ] {
            later.run(["status", "--json", "--as-of", time] + CommandFixture.camera)
            let found = try CommandFixture.member("status", later.outputText)?.text
            #expect(found == status, "\(time)")
        }
    }

    @Test func `people who never answered are listed, also those never asked`() throws {
        let fixture = try CommandFixture()
        let mail = ["--resource", "mail", "--scope", "person"]
        for (subject, kind, outcome) in [
            ("asked", "prompt-asked", nil), ("refused", "answer", "denied"),
            ("primed", "primer-shown", nil),
        ] as [(String, String, String?)] {
            let answer = outcome.map { ["--outcome", $0] } ?? []
            let words = ["record", kind, "--subject", subject] + mail + answer
            #expect(fixture.console.run(words) == .done, "\(fixture.console.errorText)")
        }
        fixture.console.run([
            "record", "prompt-asked", "--subject", "elsewhere", "--resource", "post", "--scope",
            "person",
        ])
        func subjects(_ words: String...) throws -> Set<String?> {
            #expect(fixture.console.run(["status", "--json"] + words) == .done)
            return Set(
                try fixture.console.outputLines.map {
                    try CommandFixture.member("subject", $0)?.text
                })
        }
        #expect(
            try subjects("--unanswered", "--resource", "mail") == ["asked", "primed", "elsewhere"])
        #expect(try subjects("--pending") == ["asked", "elsewhere"])
        #expect(try subjects("--conflicting") == [])
        #expect(try subjects("--subject", "refused") == ["refused"])
    }

    @Test func `agreements to older words are listed against the published catalog`() throws {
        let fixture = try CommandFixture()
        let path = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        let grant = ["record", "answer", "--outcome", "allowed", "--scope", "person"]
        for (subject, revision) in [("old", "1.1"), ("new", "1.2"), ("newer", "1.10")] {
            fixture.console.run(
                grant + ["--resource", "mail", "--subject", subject, "--revision", revision])
        }
        fixture.console.run("catalog", "publish", path)
        for source in [[], ["--catalog", path]] {
            #expect(fixture.console.run(["status", "--outdated", "--json"] + source) == .done)
            #expect(fixture.console.outputLines.count == 1)
            #expect(try member("subject", fixture)?.text == "old")
            #expect(try member("outdated", fixture)?.truth == true)
        }
    }

    @Test func `the rules of a platform tell whether the system can still ask`() throws {
        let fixture = try CommandFixture()
        #expect(fixture.camera("status", "--platform", "ios", "--json") == .done)
        #expect(try member("canAsk", fixture)?.text == "yes")
        #expect(fixture.camera("status", "--platform", "oss") == .usage)
    }

    @Test func `a list as of a day tells what held on that day and nothing that came later`() throws
    {
        let fixture = try CommandFixture()
        fixture.camera("record", "answer", "--outcome", "allowed")
        let later = fixture.console(at: CommandFixture.wall + 2 * Self.day)
        later.run(["record", "answer", "--outcome", "denied"] + CommandFixture.camera)
        later.run(
            "record", "answer", "--subject", "me", "--resource", "mail", "--scope", "person",
            "--outcome", "allowed")
        for option in ["--as-of", "--known-at"] {
            let now = fixture.console(at: CommandFixture.wall + 3 * Self.day)
            #expect(now.run("status", "--subject", "me", option, "2026-01-02", "--json") == .done)
            #expect(now.outputLines.count == 1, "\(option)")
            let line = try #require(now.outputLines.first)
            #expect(try CommandFixture.member("status", line)?.text == "authorized")
        }
    }
}

import Ledger
import TestSupport
import Testing

@testable import ledgerd

@Suite struct ForksTests {
    @Test func `forks shows none where there is none`() throws {
        let fixture = try CommandFixture()
        #expect(fixture.console.run("forks") == .done)
        #expect(fixture.console.outputText.contains("No log has forked."))
    }

    @Test func `forks names who, where, since when, both branches and where they go on`() throws {
        let origin = try TestLedger()
        let third = try origin.joined()
        let log = try #require(origin.ledger.log)
        try origin.ledger.close()
        var environment = origin.clock.environment
        let identity = FileIdentity(of: origin.path + "/ledger.db")
        environment.fileIdentity = { _ in identity }
        let clones = try (0..<2).map { index in
            let path = "\(origin.directory.path)/clone-\(index)"
            StateFiles.copy(origin.path, to: path)
            return try Ledger(openAt: path, environment: environment)
        }
        for clone in clones {
            try clone.append(.denied("me", resource: "camera", at: phone))
            try Exchange.pull(from: clone, into: third.ledger)
        }
        let console = TestConsole()
        console.variables["LEDGERD_DIR"] = third.path
        #expect(console.run("forks") == .findings)
        let text = console.outputText
        for part in [log.description, "not healed", "2026-01-01T00:00:00", "parts with event 2"] {
            #expect(text.contains(part), "\(text)")
        }
        try Exchange.merge(third.ledger, clones[0])
        #expect(console.run("forks", "--json") == .done)
        let forks = try CommandFixture.member("forks", console.outputText)
        let fork = try #require(forks?.elements?.first)
        #expect(fork["healed"]?.truth == true && fork["log"]?.text == log.description)
        #expect(fork["branches"]?.elements?.count == 2)
        #expect(console.run("forks") == .done)
        #expect(console.outputText.contains("goes on in \(try #require(clones[0].log))"))
    }
}

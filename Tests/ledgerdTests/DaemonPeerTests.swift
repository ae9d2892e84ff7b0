import Ledger
import SyncEngine
import TestSupport
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Daemons that merge with each other.
@Suite struct DaemonPeerTests {
    private static let question = #"{"op":"subscribe","subject":"me","resource":"mail"}"#

    /// Two replicas of one ledger, each with a state directory.
    struct Pair {
        let first: DaemonFixture
        let second: DaemonFixture
        let firstID: String
        let secondID: String

        init() throws {
            first = try DaemonFixture()
            second = try DaemonFixture(isEmpty: true)
            let here = try Ledger(openAt: first.state)
            let there = try Ledger.join(try here.invitation(), at: second.state)
            firstID = try #require(here.replica).description
            secondID = try #require(there.replica).description
            try there.close()
            try here.close()
            if CommandTable.all.contains(where: { $0.name == "members add" }) {
                let console = first.fixture.console
                try #require(console.run("members", "add", secondID) == .done)
            }
        }
    }

    private static func record(_ outcome: String, by fixture: DaemonFixture) throws {
        _ = try fixture.client().result(
            #"{"op":"append","event":{"kind":"answer","subject":"me","resource":"mail","#
                + #""scope":"person","outcome":"\#(outcome)"}}"#)
    }

    /// Waits until a subscription tells a status.
    private static func wait(for status: String, _ client: ControlProbe) throws {
        while true {
            let item = try #require(try client.next()?["item"])
            if item["status"]?.text == status { return }
        }
    }

    @Test func `what one records the other tells, both ways, through a kill and a restart`() throws
    {
        let pair = try Pair()
        let one = try pair.first.start(
            ["--listen", "tcp://127.0.0.1:0", "--peer", "\(pair.secondID)@127.0.0.1:9"])
        try one.waitForMessage("listening for peers address=")
        let address = one.errorText.split(separator: "listening for peers address=").last ?? ""
        let port = address.prefix { $0 != "\n" }.split(separator: ":").last ?? ""
        let call = ["--peer", "\(pair.firstID)@127.0.0.1:\(port)"]
        var two = try pair.second.start(call + ["--metrics", "127.0.0.1:0"])
        let told = try pair.second.client()
        try told.send(Self.question)
        try Self.record("denied", by: pair.first)
        try Self.wait(for: "denied", told)
        let here = try pair.first.client()
        try here.send(Self.question)
        try Self.record("allowed", by: pair.second)
        try Self.wait(for: "authorized", here)
        let peers = try pair.second.run("peers", "--json")
        let peer = try CommandFixture.member("peers", peers.output)?.elements?.first
        #expect(peer?["peer"]?.text == pair.firstID && peer?["phase"]?.text == "connected")
        let acknowledged = peer?["acknowledged"]?.elements ?? []
        #expect(acknowledged.contains { $0["events"]?.integer ?? 0 > 0 }, "\(peers.output)")
        let words = try pair.second.run("peers")
        #expect(words.output.contains("connected, at tcp://127.0.0.1:\(port)"), "\(words)")
        let health = try pair.first.run("health")
        #expect(health.output.contains(", 1 of 1 peers connected"), "\(health)")
        let metrics = try MetricsProbe.get(try MetricsProbe.port(two))
        #expect(metrics.contains("ledgerd_peer_connected{peer=\"\(pair.firstID)\"} 1\n"))
        for fixture in [pair.first, pair.second] {
            let synced = try fixture.run("sync", "now", "--json")
            let outcomes = try CommandFixture.member("peers", synced.output)?.elements
            #expect(outcomes?.map { $0["outcome"]?.text } == ["merged"], "\(synced)")
            #expect(synced.code == 0)
        }
        two.signal(SIGKILL)
        _ = try two.wait()
        let alone = try pair.first.run("sync", "now", "--timeout", "20")
        #expect(alone.code == ExitCode.partial.rawValue && alone.output.contains(": failed: "))
        try Self.record("denied", by: pair.first)
        two = try pair.second.start(call)
        let again = try pair.second.client()
        try again.send(Self.question)
        try Self.wait(for: "denied", again)
        for child in [one, two] {
            child.signal(SIGTERM)
            #expect(try child.wait() == 0, "\(child.errorText)")
        }
    }

    @Test func `two daemons that share only a folder come to the same`() throws {
        let pair = try Pair()
        try pair.first.folder.makeFolder("drop")
        let drop = pair.first.folder.file("drop")
        let one = try pair.first.start(["--folder", drop])
        let two = try pair.second.start(["--folder", drop])
        let told = try pair.second.client()
        try told.send(Self.question)
        try Self.record("denied", by: pair.first)
        try Self.wait(for: "denied", told)
        let asked = try pair.second.run("sync", "now", "--json")
        let folders = try CommandFixture.member("folders", asked.output)?.elements
        #expect(folders?.map { $0["outcome"]?.text } == ["merged"], "\(asked.output)")
        #expect(asked.code == 0)
        // What was scanned after it was asked for is here when the answer comes.
        try Self.record("allowed", by: pair.second)
        #expect(try pair.second.run("sync", "now").code == 0)
        #expect(try pair.first.run("sync", "now").code == 0)
        let status = try pair.first.run(
            "status", "--subject", "me", "--resource", "mail", "--json")
        #expect(status.output.contains("authorized"), "\(status)")
        for child in [one, two] {
            child.signal(SIGTERM)
            #expect(try child.wait() == 0, "\(child.errorText)")
        }
    }

    @Test func `a folder that holds the state is refused, and no daemon is no sync now`() throws {
        let fixture = try DaemonFixture()
        let ended = try fixture.run("run", "--folder", fixture.state + "/x")
        #expect(ended.code == ExitCode.configuration.rawValue, "\(ended.errors)")
        #expect(try fixture.run("sync", "now").code == ExitCode.noInput.rawValue)
        for text in ["-1", "601", "soon"] {
            let code = try fixture.run("sync", "now", "--timeout", text).code
            #expect(code == ExitCode.usage.rawValue)
        }
        #expect(try fixture.run("peers").output == "no other replica is known\n")
    }

    @Test(arguments: [
        #"{"listen":["udp://x:1"]}"#, #"{"listen":"tcp://x:1"}"#, #"{"peers":["me@host:1"]}"#,
        #"{"folders":[""]}"#, #"{"peer":["x"]}"#,
    ])
    func `a wrong address or peer is refused`(text: String) throws {
        let fixture = try DaemonFixture()
        let config = try fixture.folder.write(text, to: "config.json")
        let ended = try fixture.run("run", "--config", config)
        #expect(ended.code == ExitCode.configuration.rawValue, "\(ended.errors)")
    }
}

import Ledger
import TestSupport
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The command line with a daemon and without prints the same bytes, and the log holds no person.
@Suite struct DaemonWayTests {
    private static let camera = CommandFixture.camera
    private static let mail = ["--subject", "me", "--resource", "mail", "--scope", "person"]

    /// Commands whose output does not depend on when they run.
    private static func commands(_ catalog: String) -> [[String]] {
        let enter = [
            "enter", "scan-receipt", "--catalog", catalog, "--subject", "me", "--device", "phone",
            "--install", "1",
        ]
        return [
            ["record", "answer", "--outcome", "allowed", "--key", "k"] + mail,
            ["record", "answer", "--outcome", "allowed", "--key", "k", "--json"] + mail,
            ["record", "answer", "--outcome", "denied", "--key", "k"] + mail,
            ["record", "answer", "--outcome", "denied", "--key", "k", "--json"] + mail,
            ["record", "answer", "--outcome", "alowed"] + mail,
            ["record", "answer", "--outcome", "denied", "--answers", "zzzz"] + mail,
            ["record", "answer", "--outcome", "allowed", "--expect", "", "--json"] + mail,
            ["record", "answer", "--outcome", "allowed"] + camera + [
                "--catalog", catalog, "--published",
            ],
            enter, enter + ["--json"], enter + ["--tz", "Nowhere"],
            enter + ["--system", "camera=denied", "--json", "--retry"],
            enter + ["--system", "camera=denied"], enter + ["--system", "wrong"],
            enter + ["--probe", "echo denied"],
            ["enter", "scan", "--catalog", catalog], ["enter", "scan-receipt"],
            ["enter", "scan-receipt", "--catalog", catalog + "x"],
            ["status", "--subject", "me", "--json"], ["status", "--why"] + mail.prefix(4),
            ["history", "--json"], ["history", "--kind", "answer"],
            ["history", "--kind", "anwser"],
        ]
    }

    @Test func `every command prints the same with a daemon and without`() throws {
        let fixture = try DaemonFixture()
        let catalog = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        // Once before, so that what is recorded for the first time is there for both.
        for command in Self.commands(catalog) { _ = try fixture.run(command) }
        let alone = try Self.commands(catalog).map { try fixture.run($0) }
        let child = try fixture.start()
        for (command, expected) in zip(Self.commands(catalog), alone) {
            let told = try fixture.run(command)
            #expect(told == expected, "\(command)")
        }
        child.signal(SIGTERM)
        _ = try child.wait()
        // The relay was really used: the daemon counted what was asked for.
        #expect(alone.contains { $0.code == 0 } && alone.contains { $0.code == 64 })
    }

    @Test func `record and enter go through the daemon`() throws {
        let fixture = try DaemonFixture()
        let catalog = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        let child = try fixture.start(["--metrics", "127.0.0.1:0"])
        let recorded = try fixture.run(
            ["record", "answer", "--outcome", "denied"] + Self.mail)
        #expect(recorded.code == 0 && EventID(String(recorded.output.dropLast())) != nil)
        _ = try fixture.run(
            [
                "enter", "scan-receipt", "--catalog", catalog, "--subject", "me", "--device",
                "phone", "--install", "1",
            ])
        let port = try MetricsProbe.port(child)
        let counted = "ledgerd_control_requests_total{op=\"command\",outcome=\"done\"} 2"
        // A request is counted once its answer has left.
        var metrics = ""
        for _ in 0..<1000 where !metrics.contains(counted) { metrics = try MetricsProbe.get(port) }
        #expect(metrics.contains(counted))
    }

    @Test(arguments: ["text", "json"])
    func `a day's work leaves no name, payload or key in the log`(format: String) throws {
        let fixture = try DaemonFixture()
        let canary = "Zaphod\(format)Canary"
        let catalog = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        let child = try fixture.start(
            ["--log-level", "debug", "--log-format", format, "--catalog", catalog])
        let client = try fixture.client()
        let key = #""subject":"\#(canary)","resource":"\#(canary)""#
        for line in [
            #"{"op":"append","event":{"kind":"answer",\#(key),"scope":"person","outcome":"allowed","#
                + #""note":"\#(canary)"}}"#,
            #"{"op":"append","event":{"kind":"answer",\#(key),"outcome":"\#(canary)"}}"#,
            #"{"op":"\#(canary)"}"#, #"{"op":"status",\#(key),"\#(canary)":1}"#,
            #"{"op":"status",\#(key)}"#, #"{"op":"history",\#(key)}"#, canary,
            #"{"op":"enter","feature":"\#(canary)","subject":"\#(canary)","device":"d","install":"i"}"#,
        ] { _ = try client.ask(line) }
        try child.waitForMessage("the tail of the own log is signed")
        child.signal(SIGHUP)
        try child.waitForMessage("were read again")
        child.signal(SIGTERM)
        #expect(try child.wait() == 0)
        #expect(!child.errorText.contains("Canary") && child.outputText.isEmpty)
        let key2 = try fixture.folder.read("state/replica.key").split(separator: "\n")
        for secret in key2.dropFirst() { #expect(!child.errorText.contains(secret)) }
        #expect(child.errorText.contains("refused a control request"))
    }

    @Test func `the example in Python records and asks`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let example = SourceTree.root + "/Examples/control_client.py"
        let python = try ChildProcess(
            ["python3", example, "\(fixture.state)/control.sock", "Søren"],
            ["PATH": String(cString: getenv("PATH")), "PYTHONIOENCODING": "utf-8"],
            program: "/usr/bin/env")
        #expect(try python.wait() == 0, "\(python.errorText)")
        #expect(
            python.outputText
                == "before: notDetermined\nafter yes: authorized\nafter no: denied\n")
        _ = child
    }
}

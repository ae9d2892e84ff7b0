import Ledger
import SyncEngine
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The daemon as a process: how it starts, reloads and ends.
@Suite struct DaemonTests {
    static let answer =
        #"{"op":"append","event":{"kind":"answer","subject":"me","resource":"mail","#
        + #""scope":"person","outcome":"allowed"}}"#
    static let question = #"{"op":"status","subject":"me","resource":"mail"}"#

    @Test func `it serves, and on SIGTERM signs, says so and ends with 0`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        let id = try client.result(Self.answer)["id"]?.text
        #expect(id.flatMap { EventID($0) } != nil)
        #expect(try client.result(Self.question)["status"]?.text == "authorized")
        child.signal(SIGTERM)
        try fixture.notify.wait(for: "STOPPING=1", from: child)
        #expect(try child.wait() == 0, "\(child.errorText)")
        #expect(!fixture.folder.exists("state/control.sock"))
        #expect(try fixture.folder.read("state/daemon.lock").isEmpty)
        fixture.fixture.console.run("verify", "--json")
        let log = try CommandFixture.member("logs", fixture.fixture.console.outputText)?.elements?[
            0]
        #expect(log?["signedSize"]?.integer == 2 && log?["size"]?.integer == 2)
    }

    @Test func `SIGINT ends it too`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        child.signal(SIGINT)
        #expect(try child.wait() == 0)
    }

    @Test func `a second daemon is refused, and the first one's death lets another in`() throws {
        let fixture = try DaemonFixture()
        let first = try fixture.start()
        let client = try fixture.client()
        _ = try client.result(Self.answer)
        let second = try fixture.run("run")
        #expect(second.code == ExitCode.busy.rawValue)
        #expect(second.errors.contains("process \(first.process)"), "\(second.errors)")
        first.signal(SIGKILL)
        #expect(try first.wait() == 128 + SIGKILL)
        #expect(try fixture.run("health").code == 0)
        let third = try fixture.start()
        // What was acknowledged before the kill is there.
        let status = try fixture.client().result(Self.question)
        #expect(status["status"]?.text == "authorized")
        third.signal(SIGTERM)
        #expect(try third.wait() == 0)
    }

    @Test func `the tail is signed after a second of quiet`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start(["--log-level", "debug", "--log-format", "json"])
        _ = try fixture.client().result(Self.answer)
        try child.waitForMessage("the tail of the own log is signed")
        for line in child.errorText.split(separator: "\n") {
            #expect(try CommandFixture.member("level", line)?.text != nil, "\(line)")
        }
    }

    @Test func `SIGHUP reads settings and catalog again, and a broken file changes nothing`() throws
    {
        let fixture = try DaemonFixture()
        let config = fixture.folder.file("config.json")
        let catalog = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        let enter =
            #"{"op":"enter","feature":"scan-receipt","subject":"me","device":"phone","install":"1"}"#
        _ = try fixture.folder.write("{}", to: "config.json")
        let child = try fixture.start(["--config", config])
        let client = try fixture.client()
        #expect(try client.errorCode(enter) == "configuration")
        _ = try fixture.folder.write(#"{"catalog":"\#(catalog)"}"#, to: "config.json")
        child.signal(SIGHUP)
        try child.waitForMessage("were read again")
        try fixture.notify.wait(for: "RELOADING=1", from: child)
        try fixture.notify.wait(for: "READY=1", from: child)
        #expect(try client.result(enter)["action"]?.text == "showPrimer")
        _ = try fixture.folder.write(#"{"catalgo":"x"}"#, to: "config.json")
        child.signal(SIGHUP)
        try child.waitForMessage("did you mean catalog?")
        #expect(try client.result(enter)["action"]?.text == "showPrimer")
    }

    @Test(arguments: [
        (#"{"contrl":"x"}"#, "did you mean control?"), (#"{"metrics":"0.0.0.0:80"}"#, "loopback"),
        (#"{"logLevel":"loud"}"#, "must be one of"), (#"[]"#, "an object expected"),
        (#"{"control":7}"#, "must be a path"), (#"{"#, "config.json:1:"),
    ])
    func `a broken configuration file is named and no reason to restart`(
        text: String, part: String
    ) throws {
        let fixture = try DaemonFixture()
        let config = try fixture.folder.write(text, to: "config.json")
        let ended = try fixture.run("run", "--config", config)
        #expect(ended.code == ExitCode.configuration.rawValue)
        #expect(ended.errors.contains(part), "\(ended.errors)")
    }

    @Test func `with an empty environment it says what is missing, and runs with --dir`() throws {
        let child = try ChildProcess(["run"])
        #expect(try child.wait() == ExitCode.configuration.rawValue)
        #expect(child.errorText.contains("--dir"), "\(child.errorText)")
        let fixture = try DaemonFixture()
        let elsewhere = try ChildProcess(["run", "--dir", fixture.folder.file("none")])
        #expect(try elsewhere.wait() == ExitCode.noInput.rawValue)
        #expect(elsewhere.errorText.contains("ledgerd init"))
    }

    @Test func `the watchdog is fed, and the manager's variables are not handed on`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start([], ["WATCHDOG_USEC": "600000"])
        for _ in 0..<3 { try fixture.notify.wait(for: "WATCHDOG=1", from: child) }
    }

    @Test func `a control socket that was passed on is served and left in place`() throws {
        let fixture = try DaemonFixture()
        let path = fixture.folder.file("passed")
        let listener = try LocalSocket.listen(at: path)
        defer { close(listener) }
        // The manager knows the process before it runs; here a shell does.
        let child = try ChildProcess(
            ["-c", "LISTEN_PID=$$ exec \(ChildProcess.program) run --dir \(fixture.state)"],
            [
                "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control",
                "NOTIFY_SOCKET": fixture.notify.path,
            ], program: "/bin/sh", passing: listener)
        try fixture.notify.wait(for: "READY=1", from: child)
        let client = try ControlProbe(try LocalSocket.connect(to: path))
        #expect(try client.result(#"{"op":"health"}"#)["healthy"]?.truth == true)
        child.signal(SIGTERM)
        #expect(try child.wait() == 0)
        #expect(fixture.folder.exists("passed"))
    }

    @Test func `the replica's key may come as a credential`() throws {
        let fixture = try DaemonFixture()
        try fixture.folder.makeFolder("credentials")
        let place = fixture.folder.file("credentials")
        try #require(rename("\(fixture.state)/replica.key", "\(place)/replica.key") == 0)
        let without = try fixture.run("run")
        #expect(without.code == ExitCode.noPermission.rawValue, "\(without.errors)")
        let child = try fixture.start([], ["CREDENTIALS_DIRECTORY": place])
        #expect(try fixture.client().result(Self.answer)["new"]?.truth == true)
        child.signal(SIGTERM)
        #expect(try child.wait() == 0)
    }

    @Test(arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE])
    func `a crash prints no memory, whatever the environment says`(number: Int32) throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start([], ["SWIFT_BACKTRACE": "enable=yes,color=no"])
        child.signal(number)
        #expect(try child.wait() == 128 + number)
        #expect(!child.errorText.contains("Crash") && !child.errorText.contains("Thread"))
        #expect(!child.errorText.contains("Registers") && child.outputText.isEmpty)
    }

    @Test func `health tells a ledger, a daemon and a missing ledger apart`() throws {
        let fixture = try DaemonFixture()
        let alone = try fixture.run("health", "--json")
        #expect(alone.code == 0)
        #expect(try CommandFixture.member("daemon", alone.output)?.truth == false)
        let child = try fixture.start()
        let together = try fixture.run("health", "--json")
        #expect(together.code == 0)
        #expect(try CommandFixture.member("daemon", together.output)?.truth == true)
        child.signal(SIGTERM)
        _ = try child.wait()
        let none = try ChildProcess(["health", "--dir", fixture.folder.file("none")])
        #expect(try none.wait() == ExitCode.noInput.rawValue)
    }

    @Test func `health is 75 for a daemon that does not answer`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        child.signal(SIGSTOP)
        let stuck = try fixture.run("health")
        #expect(stuck.code == ExitCode.busy.rawValue, "\(stuck.output) \(stuck.errors)")
        child.signal(SIGCONT)
        #expect(try fixture.run("health").code == 0)
    }
}

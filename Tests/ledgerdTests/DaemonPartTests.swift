import Ledger
import Synchronization
import TestSupport
import Testing

@testable import ledgerd

/// Parts of the daemon that need no process.
@Suite struct DaemonPartTests {
    @Test func `the tail is signed once it was quiet for a second, and not again`() {
        var signer = TailSigner()
        func isDue(_ mark: UInt8, _ now: Int64) -> Bool { signer.isDue([mark], at: now) }
        #expect(!isDue(1, 0))
        #expect(!isDue(1, 999))
        #expect(!isDue(2, 1500))
        #expect(!isDue(2, 2499))
        #expect(isDue(2, 2500))
        signer.failed(at: 2500)
        #expect(!isDue(2, 12_499))
        #expect(isDue(2, 12_500))
        signer.done([1])
        #expect(!isDue(1, 99_999))
        #expect(!isDue(2, 100_000))
        #expect(isDue(2, 101_000))
    }

    @Test func `a mark changes with each commit of whichever value, and with nothing else`() throws
    {
        let fixture = try CommandFixture()
        let ledger = try Ledger(openAt: fixture.folder.file("state"))
        let before = try ledger.changeMark()
        _ = try ledger.status(StatusQuery("me", resource: "mail", at: nil))
        #expect(try ledger.changeMark() == before)
        fixture.console.run(
            "record", "answer", "--outcome", "denied", "--subject", "me", "--resource", "mail",
            "--scope", "person")
        #expect(try ledger.changeMark() != before)
    }

    @Test(arguments: [
        ("127.0.0.1:9464", "127.0.0.1:9464"), ("localhost:1", "127.0.0.1:1"),
        ("[::1]:65535", "[::1]:65535"), ("0.0.0.0:1", nil), ("127.0.0.1", nil), (":9464", nil),
        ("127.0.0.1:65536", nil), ("127.0.0.2:80", nil), ("[::]:80", nil), ("::1:80", nil),
    ])
    func `metrics are for this machine alone`(text: String, expected: String?) {
        #expect(LoopbackAddress(text)?.description == expected)
    }

    @Test func `options win over the file, whose keys are those of the help`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"{"directory":"/d","metrics":"[::1]:7","logLevel":"debug","logFormat":"json"}"#,
            to: "c.json")
        let console = TestConsole()
        let words = ["--config", path, "--log-level", "error"]
        let parsed = try ArgumentParser.parse(words[...], by: RunCommand.spec)
        let call = Invocation(RunCommand.spec, parsed, console, Printer(console))
        let config = try DaemonConfig(call)
        #expect(config.directory == "/d" && config.metrics?.port == 7)
        #expect(config.logLevel == .error && config.logFormat == .json)
        let keys = DaemonSetting.all.map(\.key)
        #expect(Set(keys).count == keys.count)
        for key in keys { #expect(HelpText.make(RunCommand.spec).contains(key)) }
    }

    @Test(arguments: [DaemonLog.Format.text, .json])
    func `an entry is one line whatever a path holds`(format: DaemonLog.Format) throws {
        let lines = Mutex<[UInt8]>([])
        let log = DaemonLog(format, .info, clock: { 0 }) { bytes in lines.withLock { $0 += bytes } }
        log.debug("not shown")
        log.warning("shown", ["place": .place("a b\n\"c\"=d\u{1B}[0m"), "n": .number(7)])
        let text = lines.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(text.filter { $0 == "\n" }.count == 1 && !text.contains("\u{1B}"))
        #expect(text.contains("1970-01-01T00:00:00Z") && !text.contains("not shown"))
        if format == .json {
            #expect(try CommandFixture.member("n", text)?.integer == 7)
        } else {
            #expect(text.contains("warning shown place=\"a b") && text.contains(" n=7"))
        }
    }

    @Test func `the unit tells the manager not to restart where it would not help`() throws {
        let unit = try #require(SourceTree.read("Packaging/ledgerd.service"))
        let codes: [ExitCode] = [.damaged, .usage, .data, .noInput, .noPermission, .configuration]
        let line =
            "RestartPreventExitStatus=" + codes.map { "\($0.rawValue)" }.joined(separator: " ")
        #expect(unit.contains("\(line)\n"))
        #expect(unit.contains("Type=notify\n") && unit.contains("SWIFT_BACKTRACE=enable=no\n"))
    }

    @Test func `the unit leaves less than 2.0 exposed`() throws {
        guard let child = try? ChildProcess(["--version"], program: "/usr/bin/systemd-analyze"),
            try child.wait() == 0
        else { return }
        let folder = try TemporaryFolder()
        // What make install writes.
        let text = try #require(SourceTree.read("Packaging/ledgerd.service"))
            .split(separator: "@PREFIX@", omittingEmptySubsequences: false).joined(
                separator: "/usr")
        let unit = try folder.write(text, to: "ledgerd.service")
        let analysis = try ChildProcess(
            ["security", "--offline=true", "--no-pager", unit], ["PATH": "/usr/bin:/bin"],
            program: "/usr/bin/systemd-analyze")
        _ = try analysis.wait()
        let last = try #require(analysis.outputText.split(separator: "level for ").last)
        let level = try #require(
            last.split(separator: " ").compactMap { Double($0) }.first, "\(analysis.outputText)")
        #expect(level < 2.0)
    }
}

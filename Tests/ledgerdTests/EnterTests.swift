import Ledger
import Testing

@testable import ledgerd

@Suite struct EnterTests {
    private struct Entry {
        let fixture: CommandFixture
        let catalog: String

        init() throws {
            fixture = try CommandFixture()
            catalog = try fixture.folder.write(CatalogSample.json, to: "catalog.json")
        }

        func enter(_ words: String...) -> ExitCode {
            fixture.console.run(
                [
                    "enter", "scan-receipt", "--catalog", catalog, "--subject", "me", "--device",
                    "phone", "--install", "1",
                ] + words)
        }
    }

    @Test func `each decision has its own code`() throws {
        let entry = try Entry()
        #expect(entry.enter("--system", "notDetermined") == .showPrimer)
        entry.fixture.camera(
            "record", "answer", "--outcome", "continued", "--primer", "why-camera", "--locale",
            "en",
            "--catalog", entry.catalog)
        #expect(entry.enter("--system", "camera=notDetermined") == .askSystem)
        entry.fixture.camera("record", "answer", "--outcome", "denied")
        #expect(entry.enter("--system", "denied") == .useAlternative)
        #expect(entry.enter("--system", "denied", "--retry") == .offerSettings)
        #expect(entry.enter("--system", "service-off:Camera") == .useAlternative)
        #expect(entry.fixture.console.outputText.contains("switched off: Camera"))
        entry.fixture.camera(
            "record", "answer", "--outcome", "allowed", "--catalog", entry.catalog)
        #expect(entry.enter("--system", "authorized") == .done)
    }

    @Test func `codes of decisions are not codes of errors`() {
        let decisions: [ExitCode] = [
            .proceedReduced, .showPrimer, .askSystem, .offerSettings, .useAlternative, .unavailable,
        ]
        #expect(decisions.allSatisfy { (20..<30).contains($0.rawValue) })
        let others = Set(ExitCode.allCases).subtracting(decisions)
        #expect(others.allSatisfy { !(20..<30).contains($0.rawValue) })
    }

    @Test func `a difference from the live status is recorded once`() throws {
        let entry = try Entry()
        entry.fixture.camera("record", "answer", "--outcome", "denied")
        for _ in 0..<2 { _ = entry.enter("--system", "authorized") }
        entry.fixture.console.run("history", "--kind", "settingsChanged", "--json")
        #expect(entry.fixture.console.outputLines.count == 1)
    }

    @Test func `a probe is asked for each resource by its name`() throws {
        let entry = try Entry()
        #expect(
            entry.enter("--probe", "test \"$RESOURCE\" = camera && echo denied", "--json")
                == .useAlternative)
        let action = try CommandFixture.member("action", entry.fixture.console.outputText)
        #expect(action?.text == "useAlternative")
    }

    @Test(arguments: [
        ("exit 3", ExitCode.io), ("echo perhaps", .data), ("echo denied; echo denied", .data),
        ("true", .data),
    ])
    func `a probe that fails or babbles decides nothing`(command: String, code: ExitCode) throws {
        let entry = try Entry()
        #expect(entry.enter("--probe", command) == code)
        #expect(entry.fixture.console.output.isEmpty)
    }

    @Test(arguments: [
        ["--system", "maybe"], ["--system", "camera=denied", "--system", "camera=authorized"],
        ["--system", "denied", "--probe", "echo denied"], ["--active", "perhaps"],
    ])
    func `options that make no sense are refused`(words: [String]) throws {
        let entry = try Entry()
        let base =
            ["enter", "scan-receipt", "--catalog", entry.catalog] + CommandFixture.camera.prefix(2)
        let place = ["--device", "phone", "--install", "1"]
        #expect(entry.fixture.console.run(base + place + words) == .usage)
    }

    @Test(
        arguments: [
            ("authorized", SystemStatus.reported(.authorized)),
            ("authorized:whenInUse", .reported(.authorized, Extent(time: .whenInUse))),
            ("limited:selected", .reported(.limited, Extent(selection: .selected))),
            ("unsupported", .unsupported), ("unqueryable", .unqueryable),
            ("service-off:Bluetooth", .serviceOff("Bluetooth")), ("service-off", .serviceOff("")),
            ("granted", nil), ("authorized:wide", nil), ("unsupported:x", nil), ("", nil),
        ] as [(String, SystemStatus?)])
    func `a live status is read from words`(text: String, status: SystemStatus?) {
        #expect(SystemProbe.parse(text) == status)
    }

    @Test func `an unknown feature suggests the nearest`() throws {
        let entry = try Entry()
        let words = ["enter", "scan-reciept", "--catalog", entry.catalog]
        #expect(entry.fixture.console.run(words) == .usage)
        #expect(entry.fixture.console.errorText.contains("did you mean scan-receipt?"))
    }

    @Test func `limited without more words is limited to selected items, which is no change`()
        throws
    {
        let fixture = try CommandFixture()
        let catalog = try fixture.folder.write(
            """
            {"platform": "ios", "language": "en", "resources": [{"id": "camera", "scope": "device",
            "revision": "1", "purpose": {"en": "The camera reads the total of a receipt."}}],
            "features": [{"id": "scan", "needs": [{"resource": "camera"}]}]}
            """, to: "limited.json")
        fixture.camera("record", "answer", "--outcome", "allowed", "--status", "limited")
        let entry = [
            "enter", "scan", "--catalog", catalog, "--subject", "me", "--device", "phone",
            "--install", "1", "--system",
        ]
        fixture.console.run(entry + ["camera=limited"])
        fixture.console.run(entry + ["camera=limited:selected"])
        let console = fixture.console(at: CommandFixture.wall)
        console.run("history", "--kind", "settingsChanged")
        #expect(console.outputLines.isEmpty)
    }
}

import Ledger
import SyncEngine
import Testing

@testable import ledgerd

/// Inviting and joining on the command line.
@Suite(.timeLimit(.minutes(5))) struct InviteTests {
    private let fixture: CommandFixture

    init() throws { fixture = try CommandFixture() }

    private func states(_ console: TestConsole) throws -> [String] {
        console.run("invite", "--list", "--json")
        let list = try CommandFixture.member("invitations", console.outputText)?.elements
        return try #require(list).compactMap { $0["state"]?.text }
    }

    private func device(_ name: String, at wall: Int64 = CommandFixture.wall) -> TestConsole {
        let console = TestConsole(wall: wall)
        console.variables["LEDGERD_DIR"] = fixture.folder.file(name)
        return console
    }

    @Test func `an invitation is listed, waits, and can be revoked by id or name`() throws {
        let console = fixture.console
        #expect(console.run("invite", "--name", "tablet", "--expires", "2h", "--json") == .done)
        let made = console.outputText
        #expect(try CommandFixture.member("expires", made)?.text == "2026-01-01T02:00:00Z")
        #expect(try CommandFixture.member("addresses", made)?.elements?.isEmpty == true)
        let id = try #require(try CommandFixture.member("id", made)?.text)
        for command in [["members", "list"], ["peers"]] {
            #expect(console.run(command) == .done)
            #expect(console.outputText.contains("“tablet”"), "\(command)")
            #expect(console.outputText.contains("2026-01-01T02:00:00Z"), "\(command)")
        }
        #expect(console.run("invite", "--revoke", "tablet") == .done)
        #expect(try states(console) == ["revoked"])
        #expect(console.run("invite", "--revoke", String(id.prefix(6))) == .done)
        #expect(console.outputText.contains("was revoked already"))
        #expect(console.run("invite", "--revoke", "tablet") == .noInput)
        console.run("members", "list")
        #expect(!console.outputText.contains("invited"))
        #expect(console.run("invite", "--expires", "0s") == .data)
        #expect(console.run("invite", "--expires", "soon") == .usage)
        #expect(console.run("invite", "--address", "nowhere") == .data)
        #expect(console.run("invite", "--address", "a:0") == .usage)
        #expect(console.run("invite", "--list", "--qr") == .usage)
        #expect(try states(console) == ["revoked"])
        let later = fixture.console(at: CommandFixture.wall + 2 * 86_400_000)
        #expect(console.run("invite") == .done)
        #expect(try states(later).sorted() == ["expired", "revoked"])
    }

    @Test func `a string that is no good is refused before anything is made`() throws {
        fixture.console.run("invite")
        let text = String(fixture.console.outputLines[0])
        let tablet = device("tablet")
        #expect(tablet.run("join", String(text.dropLast())) == .data)
        #expect(tablet.errorText.contains("cut or altered"))
        let changed = text.dropLast(9) + (text.suffix(9).first == "a" ? "b" : "a") + text.suffix(8)
        #expect(tablet.run("join", String(changed)) == .data)
        #expect(tablet.errorText.contains("cut or altered"))
        #expect(!tablet.errorText.contains(changed.suffix(20)))
        let late = device("tablet", at: CommandFixture.wall + 2 * 86_400_000)
        #expect(late.run("join", text, "--json") == .data)
        #expect(late.errorText.contains("expired at 2026-01-02"))
        #expect(!fixture.folder.exists("tablet"))
        // Another ledger lives there, or the inviter itself.
        let other = device("other")
        other.run("init")
        #expect(other.run("join", text) == .cannotCreate)
        #expect(fixture.console.run("join", text) == .cannotCreate)
    }

    @Test func `a daemon lets in who comes with its string, once`() throws {
        let daemon = try DaemonFixture()
        let process = try daemon.start(["--listen", "tcp://127.0.0.1:0"])
        try process.waitForMessage("listening for peers address=")
        let invited = try daemon.run("invite", "--name", "tablet")
        let text = try #require(invited.output.split(separator: "\n").first)
        #expect(invited.errors.contains("It leads to 127.0.0.1:"))
        let environment = ["LEDGERD_DIR": daemon.state + "-tablet"]
        let join = try ChildProcess(["join", String(text)], environment)
        #expect(try join.wait() == 0, "\(join.errorText)")
        #expect(join.outputText.contains("member     admitted by"))
        let again = try ChildProcess(["join", String(text)], environment)
        #expect(try again.wait() == 0, "\(again.errorText)")
        let other = try ChildProcess(
            ["join", String(text)], ["LEDGERD_DIR": daemon.state + "-other"])
        #expect(try other.wait() == ExitCode.data.rawValue)
        #expect(other.errorText.contains("Another replica was admitted"))
        #expect(!other.errorText.contains("Try the same command again"))
        try process.waitForMessage("an invitation was shown that is not good")
        let members = try daemon.run("members", "list")
        #expect(members.output.contains("“tablet”"))
        process.signal(15)
        #expect(try process.wait() == 0)
    }

    @Test func `a folder carries the request, and the answer`() throws {
        try fixture.folder.makeFolder("drop")
        let drop = fixture.folder.file("drop")
        fixture.console.run("invite", "--name", "tablet")
        let text = String(fixture.console.outputLines[0])
        let tablet = device("tablet")
        #expect(tablet.run("join", text, "--folder", fixture.folder.file("tablet/x")) == .usage)
        #expect(tablet.run("join", text, "--folder", drop) == .done, "\(tablet.errorText)")
        #expect(tablet.errorText.contains("Asked to be admitted"))
        #expect(fixture.console.run("sync", "folder", drop) == .done)
        #expect(fixture.console.outputText.contains("came with an invitation and was admitted"))
        #expect(tablet.run("join", text, "--folder", drop, "--json") == .done)
        #expect(try CommandFixture.member("isMember", tablet.outputText)?.truth == true)
        tablet.run("members", "list")
        #expect(tablet.outputText.contains("“tablet”"))
        // Somebody else with the same string is told, through the folder.
        let other = device("other")
        #expect(other.run("join", text, "--folder", drop) == .done)
        #expect(fixture.console.run("sync", "folder", drop) == .partial)
        #expect(fixture.console.errorText.contains("used, expired or revoked"))
        #expect(other.run("sync", "folder", drop) == .data)
        #expect(other.errorText.contains("Another replica was admitted"))
    }

    @Test func `a code is drawn dark on light, whatever the terminal takes`() throws {
        let modules = [true, false, false, true]
        let code = QRCode(width: 2, isDark: modules)
        let halves = QRDrawing.lines(code, .halfBlocks, colour: false)
        let pairs = QRDrawing.lines(code, .ascii, colour: false)
        #expect(halves.count == 5 && pairs.count == 10)
        #expect(halves[2] == "████▄▀████")
        #expect(halves.allSatisfy { $0.count == 10 } && pairs.allSatisfy { $0.count == 20 })
        #expect(pairs[4] == "########  ##########" && pairs[5] == "##########  ########")
        #expect(QRDrawing.lines(code, .halfBlocks, colour: true)[2].contains("97;40m████▄▀████"))
        let console = fixture.console
        console.variables["LANG"] = "en_US.UTF-8"
        #expect(QRDrawing.takesUTF8(console))
        console.variables["LC_ALL"] = "C"
        #expect(!QRDrawing.takesUTF8(console))
        console.variables = console.variables.filter { $0.key != "LC_ALL" && $0.key != "LANG" }
        #expect(!QRDrawing.takesUTF8(console))
    }

    /// Where the library is not installed it says which one; elsewhere the code is there, with its
    /// three corners, and fits or tells how wide it is.
    @Test func `the string is printed with a code, or with the reason why there is none`() throws {
        let console = fixture.console
        console.variables["LANG"] = "C.UTF-8"
        let exit = console.run("invite", "--qr")
        #expect(console.outputText.hasPrefix("ledger2-"))
        do {
            let code = try QRCode(console.outputLines[0].uppercased())
            #expect(exit == .done && console.outputLines.count == 1 + (code.width + 9) / 2)
            let last = code.width - 1
            for (x, y) in [(0, 0), (last, 0), (0, last)] { #expect(code.isDark(x, y)) }
            #expect(!code.isDark(last - 7, 0) && !code.isDark(-1, 0))
            console.columnCount = 40
            #expect(console.run("invite", "--qr") == .partial)
            #expect(console.outputLines.count == 1)
            #expect(console.errorText.contains("takes \(code.width + 8) columns"))
        } catch {
            #expect(exit == .partial && console.errorText.contains("libqrencode4"))
        }
    }
}

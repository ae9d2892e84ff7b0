import Testing

@testable import ledgerd

@Suite struct CommandTableTests {
    static let specs = CommandTable.all.map { $0.spec }

    @Test(arguments: specs.indices)
    func `a command's table is whole`(index: Int) {
        let spec = Self.specs[index]
        #expect(spec.name == CommandTable.all[index].name)
        #expect(!spec.summary.isEmpty && !spec.summary.hasSuffix("."))
        let names = spec.allOptions.map(\.name)
        #expect(Set(names).count == names.count, "an option is declared twice")
        for option in spec.allOptions {
            #expect(option.help.hasSuffix("."), "\(option.name)")
            #expect(option.name.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) })
        }
        for example in spec.examples { #expect(example.contains("ledgerd")) }
    }

    @Test(arguments: specs.indices)
    func `help names every option, argument and exit code`(index: Int) {
        let spec = Self.specs[index]
        let console = TestConsole()
        #expect(
            Ledgerd.run(spec.name.split(separator: " ").map(String.init) + ["--help"], console)
                == .done)
        for option in spec.allOptions { #expect(console.outputText.contains("--\(option.name)")) }
        for code in HelpText.exitCodes(spec) {
            #expect(console.outputText.contains(code.meaning.prefix(20)))
        }
        #expect(
            console.outputLines.allSatisfy { line in
                line.count <= 80 || line.hasPrefix("  ledgerd") || line.hasPrefix("usage:")
            })
        let asked = TestConsole()
        _ = Ledgerd.run(["help"] + spec.name.split(separator: " ").map(String.init), asked)
        #expect(asked.output == console.output)
    }

    @Test func `every command of the overview can be found`() {
        let console = TestConsole()
        #expect(console.run("help") == .done)
        for spec in Self.specs { #expect(console.outputText.contains("  \(spec.name) ")) }
    }

    @Test(arguments: [
        (["statsu"], "did you mean status?"), (["catalog"], "needs one of: lint, publish, show"),
        (["catalog", "lnit"], "did you mean lint?"), ([], "Try: ledgerd help"),
        (["sync", "--dir", "x"], "needs one of: folder, unix"),
        (["--verison"], "did you mean --version?"),
    ])
    func `an unknown command suggests the nearest`(words: [String], part: String) {
        let console = TestConsole()
        #expect(Ledgerd.run(words, console) == .usage)
        #expect(console.errorText.contains(part), "\(console.errorText)")
        #expect(console.output.isEmpty)
    }

    @Test func `exit codes are told apart`() {
        #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
    }

    @Test(arguments: Completion.Shell.allCases)
    func `completion knows every command and option`(shell: Completion.Shell) {
        let script = Completion.script(for: shell)
        for spec in Self.specs {
            for word in spec.name.split(separator: " ") { #expect(script.contains(word)) }
            for option in spec.allOptions { #expect(script.contains(option.name)) }
        }
    }
}

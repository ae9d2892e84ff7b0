import Testing

@testable import ledgerd

@Suite struct PrinterTests {
    @Test func `a reader that went away is no failure and gets no message`() {
        let console = TestConsole()
        console.outputError = SystemError.brokenPipe
        #expect(console.run("help") == .done)
        #expect(console.errors.isEmpty)
    }

    @Test func `output that cannot be written is a failure`() {
        let console = TestConsole()
        console.outputError = 28  // ENOSPC
        #expect(console.run("help") == .io)
        #expect(console.errorText.contains("Cannot write to standard output"))
    }

    @Test func `colour is only for terminals and only where it is wanted`() {
        let console = TestConsole()
        #expect(Style(console, .output).bold("x") == "x")
        console.terminals = [.output]
        #expect(Style(console, .output).bold("x") != "x")
        #expect(Style(console, .error).bold("x") == "x")
        console.variables["NO_COLOR"] = "1"
        #expect(Style(console, .output).bold("x") == "x")
        console.variables = ["TERM": "dumb"]
        #expect(Style(console, .output).bold("x") == "x")
    }

    @Test func `progress is only for terminals and leaves no trace on the last line`() {
        let console = TestConsole()
        let quiet = Printer(console)
        quiet.progress("10 events")
        #expect(console.errors.isEmpty)
        console.terminals = [.error]
        let printer = Printer(console)
        printer.progress("10 events")
        printer.message("done")
        #expect(console.errorText.hasSuffix("\r\u{1B}[Kledgerd: done\n"))
    }

    @Test func `messages come after the data printed before them`() {
        let console = TestConsole()
        let printer = Printer(console)
        printer.line("data")
        printer.message("note")
        #expect(console.outputText == "data\n")
    }

    @Test(arguments: [
        ("plain text", "plain text"), ("grün 日本 👩‍💻", "grün 日本 👩‍💻"),
        ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("a\nb", "a\\u{a}b"), ("\u{202E}x", "\\u{202e}x"),
        ("a\u{9B}b", "a\\u{9b}b"), ("\u{200B}", "\\u{200b}"),
    ])
    func `text from events cannot steer a terminal`(text: String, shown: String) {
        #expect(PrintableText.make(text) == shown)
    }
}

internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The command line: finds the command, runs it, and turns its outcome into an exit code.
@main
struct Ledgerd {
    static func main() {
        exit(start().rawValue)
    }

    // `main` is isolated to the main actor; commands hand closures to other threads and must not be.
    private nonisolated static func start() -> ExitCode {
        let console = SystemConsole()
        guard let words = arguments() else {
            let printer = Printer(console)
            printer.message("An argument is not valid UTF-8; nothing was done.")
            return .usage
        }
        return run(words, console)
    }

    /// The arguments as given: `CommandLine.arguments` would mend broken UTF-8 without a word, and
    /// so record another name than the one that was typed.
    private nonisolated static func arguments() -> [String]? {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let pointer = CommandLine.unsafeArgv[index],
                let word = String(validatingCString: pointer)
            else { return nil }
            words.append(word)
        }
        return words
    }

    /// Runs one command line.
    ///
    /// - Parameters:
    ///   - words: the arguments without the program's name.
    ///   - console: the world around it.
    /// - Returns: the exit code.
    nonisolated static func run(_ words: [String], _ console: any Console) -> ExitCode {
        let printer = Printer(console)
        var isJSON = false
        do {
            let exit = try dispatch(words, console, printer, isJSON: &isJSON)
            try printer.finish()
            return exit
        } catch {
            report(error, to: printer, asJSON: isJSON)
            return error.exit
        }
    }

    private nonisolated static func dispatch(
        _ words: [String], _ console: any Console, _ printer: Printer, isJSON: inout Bool
    ) throws(Failure) -> ExitCode {
        var rest = words[...]
        let leading = try leadingOptions(&rest)
        if leading.contains("--help") || leading.contains("-h") {
            printer.line(HelpText.overview)
            return .done
        }
        if leading.contains("--version") { rest = ["version"] }
        // Until the command is known, the word alone tells in which form it is to be refused.
        isJSON = rest.contains("--json")
        let (command, length) = try CommandTable.find(rest)
        let spec = command.spec
        isJSON = !spec.jsonFields.isEmpty && rest.contains("--json")
        let moved = leading.filter { $0.hasPrefix("--dir=") }
        let parsed = try ArgumentParser.parse(moved + rest.dropFirst(length), by: spec)
        if parsed.flags.contains("help") {
            printer.raw(Array(HelpText.make(spec).utf8))
            return .done
        }
        isJSON = parsed.flags.contains("json")
        return try command.run(Invocation(spec, parsed, console, printer))
    }

    /// Takes the few options that may stand before the command.
    private nonisolated static func leadingOptions(
        _ words: inout ArraySlice<String>
    ) throws(Failure) -> [String] {
        let known = ["--dir", "--help", "-h", "--version"]
        var taken: [String] = []
        while let word = words.first, word.hasPrefix("-") {
            words.removeFirst()
            if word == "--dir" {
                guard let value = words.popFirst() else {
                    throw .usage("--dir needs a value: --dir DIR")
                }
                taken.append("--dir=\(value)")
            } else if known.contains(word) || word.hasPrefix("--dir=") {
                taken.append(word)
            } else {
                throw .usage(
                    Suggestion.sentence(
                        "Before the command stand only --dir, --help and --version"
                            + Suggestion.phrase(word, known)) + " Try: ledgerd help")
            }
        }
        return taken
    }

    private nonisolated static func report(
        _ failure: Failure, to printer: Printer, asJSON: Bool
    ) {
        guard asJSON else {
            printer.message(failure.message)
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.objectField("error") { writer in failure.write(to: &writer) }
        }
        printer.rawMessage(writer.bytes + [0x0A])
    }
}

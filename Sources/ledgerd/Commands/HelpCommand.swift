/// Shows help.
enum HelpCommand: Command {
    static let name = "help"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Show all commands, or one command's options and exit codes",
            arguments: [
                .optional("COMMAND", .words(CommandTable.groups), "The command."),
                .optional("PART", .text, "Its second word, for the commands of a group."),
            ],
            options: [.flag("markdown", "Print the whole manual as docs/CLI.md holds it.")])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        if call.flag("markdown") {
            call.printer.raw(Array(Manual.markdown.utf8))
            return .done
        }
        let words = [call.argument(0), call.argument(1)].compactMap(\.self)
        if words.isEmpty {
            call.printer.line(HelpText.overview)
            return .done
        }
        if words.count == 1 {
            let parts = CommandTable.all.filter { $0.name.hasPrefix(words[0] + " ") }
            if !parts.isEmpty {
                for part in parts { call.printer.line("\(part.name): \(part.spec.summary)") }
                return .done
            }
        }
        let (command, _) = try CommandTable.find(words[...])
        call.printer.raw(Array(HelpText.make(command.spec).utf8))
        return .done
    }
}

/// `--help` of one command, and the overview of all.
enum HelpText {
    private static let width = 80

    /// What `ledgerd help` prints, without the final line break.
    static var overview: String {
        var lines = [
            "ledgerd: a local-first ledger of consents and permissions", "",
            "usage: ledgerd COMMAND [OPTION…]", "", "commands:",
        ]
        let widest = CommandTable.all.map { $0.name.utf8.count }.max() ?? 0
        for command in CommandTable.all {
            lines.append("  \(pad(command.name, widest))  \(command.spec.summary)")
        }
        lines += [
            "", "The ledger's state directory is --dir DIR, else LEDGERD_DIR, else",
            "$XDG_STATE_HOME/ledgerd, else $HOME/.local/state/ledgerd.", "",
            "ledgerd help COMMAND tells a command's options, output and exit codes.",
        ]
        return lines.joined(separator: "\n")
    }

    /// What `ledgerd COMMAND --help` prints.
    static func make(_ spec: CommandSpec) -> String {
        var text = "\(spec.summary)\n\nusage: \(spec.usage)\n"
        text += section(
            "arguments", spec.arguments.map { ($0.name, $0.help) })
        text += section(
            "options",
            spec.allOptions.map { option in
                (option.synopsis, option.isRepeatable ? option.help + " Repeatable." : option.help)
            })
        for paragraph in spec.details { text += "\n" + wrap(paragraph, indent: 0) + "\n" }
        text += section("JSON members", spec.jsonFields.map { ($0.key, $0.value) })
        if !spec.examples.isEmpty {
            text += "\nexamples:\n" + spec.examples.map { "  \($0)\n" }.joined()
        }
        text += section(
            "exit codes", exitCodes(spec).map { (String($0.rawValue), $0.meaning) })
        return text
    }

    /// Every code the command may end with, ascending.
    static func exitCodes(_ spec: CommandSpec) -> [ExitCode] {
        let common: [ExitCode] =
            spec.options.contains { $0.name == OptionSpec.directory.name }
            ? [.done, .damaged, .usage, .data, .noInput, .software, .io, .busy, .configuration]
            : [.done, .usage, .data, .noInput, .io]
        return Set(common + spec.exitCodes).sorted { $0.rawValue < $1.rawValue }
    }

    private static func section(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        var text = "\n\(title):\n"
        let widest = min(26, rows.map { $0.0.count }.max() ?? 0)
        for (name, meaning) in rows {
            let body = wrap(meaning, indent: widest + 4)
            if name.count > widest {
                text += "  \(name)\n\(String(repeating: " ", count: widest + 4))\(body)\n"
            } else {
                text += "  \(pad(name, widest))  \(body)\n"
            }
        }
        return text
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func wrap(_ text: String, indent: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}

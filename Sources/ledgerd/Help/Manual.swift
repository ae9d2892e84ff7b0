/// `docs/CLI.md`, written from the command table so that the two never differ.
enum Manual {
    /// The whole page.
    static var markdown: String {
        var text = opening
        for command in CommandTable.all { text += section(command.spec) }
        text += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n"
        for code in ExitCode.allCases { text += "| \(code.rawValue) | \(code.meaning) |\n" }
        return text
    }

    private static let opening = """
        # The command line

        This page is written by `ledgerd help --markdown`; a test keeps it equal to the commands.

        - Data goes to standard output, messages to standard error, both in UTF-8 whatever the
          locale. With `--json` an error is one JSON object too:
          `{"error":{"code":…,"exit":…,"message":…}}`.
        - Text is for people and may change; JSON members keep their names and meanings, and new
          ones may be added. Times are ISO 8601 with `Z` or an offset, ids are base32 text.
        - A reader that closes the pipe early (`ledgerd history | head`) ends a printing command
          quietly with code 0; a command that records goes on.
        - Progress is shown on standard error when that is a terminal; colours only on terminals
          and never with `NO_COLOR`.
        - The state directory is `--dir DIR`, else `LEDGERD_DIR`, else `$XDG_STATE_HOME/ledgerd`,
          else `$HOME/.local/state/ledgerd`. With none of them the code is 78.
        - A day such as `2026-12-31` means the whole day in `--tz` (UTC unless given); a full time
          needs `Z` or an offset.

        """

    private static func section(_ spec: CommandSpec) -> String {
        var text = "\n## \(spec.name)\n\n\(spec.summary).\n\n    \(spec.usage)\n"
        text += table("argument", spec.arguments.map { ($0.name, $0.help) })
        text += table(
            "option",
            spec.allOptions.map { option in
                (option.synopsis, option.isRepeatable ? option.help + " Repeatable." : option.help)
            })
        for paragraph in spec.details { text += "\n\(paragraph)\n" }
        text += table("JSON member", spec.jsonFields.map { ($0.key, $0.value) })
        if !spec.examples.isEmpty {
            text += "\nExamples:\n\n" + spec.examples.map { "    \($0)\n" }.joined()
        }
        let codes = HelpText.exitCodes(spec).map { String($0.rawValue) }
        return text + "\nExit codes: \(codes.joined(separator: ", ")).\n"
    }

    private static func table(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        var text = "\n| \(title) | meaning |\n|---|---|\n"
        for (name, meaning) in rows {
            text += "| `\(cell(name))` | \(cell(meaning)) |\n"
        }
        return text
    }

    private static func cell(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}

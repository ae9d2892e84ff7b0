internal import Ledger

/// Shows the version.
enum VersionCommand: Command {
    static let name = "version"
    static let number = "0.1.0"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Show the version",
            jsonFields: ["version": "the version of ledgerd"])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        if call.isJSON {
            call.printJSON { $0.field("version", number) }
        } else {
            call.printer.line("ledgerd \(number)")
        }
        return .done
    }
}

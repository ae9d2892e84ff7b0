/// Prints completion scripts.
enum CompletionCommand: Command {
    static let name = "completion"

    static var spec: CommandSpec {
        let shells = Completion.Shell.allCases.map(\.rawValue)
        return CommandSpec(
            name: name, summary: "Print a completion script for a shell",
            arguments: [.required("SHELL", .words(shells), "bash, zsh or fish.")],
            examples: [
                "source <(ledgerd completion bash)", "ledgerd completion fish | source",
            ])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let name = try call.requiredArgument(0)
        guard let shell = Completion.Shell(rawValue: name) else {
            let shells = Completion.Shell.allCases.map(\.rawValue)
            throw call.usage(
                "SHELL must be one of \(shells.joined(separator: ", "))"
                    + Suggestion.phrase(name, shells))
        }
        call.printer.raw(Array(Completion.script(for: shell).utf8))
        return .done
    }
}

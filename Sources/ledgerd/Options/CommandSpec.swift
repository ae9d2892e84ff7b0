/// What a command is called, takes and prints.
struct CommandSpec: Sendable {
    /// One word, or two for the commands of a group.
    let name: String
    /// One line, without a full stop.
    let summary: String
    var arguments: [ArgumentSpec] = []
    var options: [OptionSpec] = []
    /// Paragraphs after the options.
    var details: [String] = []
    /// Complete command lines.
    var examples: [String] = []
    /// The members of what `--json` prints, with their meaning; empty where there is no `--json`.
    var jsonFields: KeyValuePairs<String, String> = [:]
    /// Codes it ends with beside those every command may end with.
    var exitCodes: [ExitCode] = []

    /// The options it declares and those all commands have.
    var allOptions: [OptionSpec] {
        (jsonFields.isEmpty ? options : options + [.json]) + [.help]
    }

    /// The usage line.
    var usage: String {
        let words = arguments.map { $0.isRequired ? $0.name : "[\($0.name)]" }
        let rest = options.isEmpty ? [] : ["[OPTION…]"]
        return (["ledgerd", name] + words + rest).joined(separator: " ")
    }
}

/// A command of `ledgerd`.
protocol Command: SendableMetatype {
    /// The name alone, so that finding a command builds no other command's table.
    static var name: String { get }
    static var spec: CommandSpec { get }
    static func run(_ call: Invocation) throws(Failure) -> ExitCode
}

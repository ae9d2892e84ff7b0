enum ImportCommand: Command {
    static let name = "import"
    static var spec: CommandSpec { CommandSpec(name: name, summary: "To come") }
    static func run(_ call: Invocation) throws(Failure) -> ExitCode { .software }
}

enum JoinCommand: Command {
    static let name = "join"
    static var spec: CommandSpec { CommandSpec(name: name, summary: "To come") }
    static func run(_ call: Invocation) throws(Failure) -> ExitCode { .software }
}

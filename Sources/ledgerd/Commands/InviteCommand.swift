enum InviteCommand: Command {
    static let name = "invite"
    static var spec: CommandSpec { CommandSpec(name: name, summary: "To come") }
    static func run(_ call: Invocation) throws(Failure) -> ExitCode { .software }
}

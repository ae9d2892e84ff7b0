enum CatalogShowCommand: Command {
    static let name = "catalog show"
    static var spec: CommandSpec { CommandSpec(name: name, summary: "To come") }
    static func run(_ call: Invocation) throws(Failure) -> ExitCode { .software }
}

enum CatalogLintCommand: Command {
    static let name = "catalog lint"
    static var spec: CommandSpec { CommandSpec(name: name, summary: "To come") }
    static func run(_ call: Invocation) throws(Failure) -> ExitCode { .software }
}

internal import Ledger

/// Shows who this is.
enum IDCommand: Command {
    static let name = "id"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Show the ids of the ledger, this replica and its log",
            options: [.directory],
            jsonFields: [
                "ledger": "the ledger's id",
                "replica": "this replica's id; absent where its key is not here",
                "log": "the log this replica writes into; absent where its key is not here",
                "directory": "where the ledger lives",
            ])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.directory()
        return try call.asMember { (ledger) throws(Failure) in
            if call.isJSON {
                call.printJSON { writer in
                    writer.field("ledger", ledger.id.description)
                    writer.field("replica", ifPresent: ledger.replica?.description)
                    writer.field("log", ifPresent: ledger.log?.description)
                    writer.field("directory", directory)
                }
            } else {
                call.printer.line("ledger     \(ledger.id)")
                if let replica = ledger.replica { call.printer.line("replica    \(replica)") }
                if let log = ledger.log { call.printer.line("log        \(log)") }
                call.printer.line("directory  \(directory)")
            }
            return .done
        }
    }
}

internal import Ledger

/// Makes a new replica of a ledger.
enum JoinCommand: Command {
    static let name = "join"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Make a new replica of the ledger that an invitation names",
            arguments: [
                .required(
                    "STRING", .text,
                    "What ledgerd invite printed; - reads it from standard input, where other "
                        + "users of the machine cannot see it.")
            ],
            options: [
                .directory,
                .flag(
                    "allow-synced-folder", "Make it even where a sync program copies the folder."),
            ],
            details: [
                "The new replica is empty until its first sync, and others take its log once a "
                    + "member has admitted it: there, run ledgerd members add with the id that "
                    + "is printed here."
            ],
            examples: ["ledgerd join - < invitation.txt"],
            jsonFields: [
                "ledger": "the ledger's id", "replica": "the new replica's id",
                "directory": "where it lives",
            ],
            exitCodes: [.cannotCreate])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.newDirectory()
        let text = try invitation(call)
        let ledger = try lifted { () throws(LedgerError) in
            try Ledger.join(
                try Invitation(text), at: directory, environment: call.console.ledgerEnvironment)
        }
        if call.isJSON {
            call.printJSON { writer in
                writer.field("ledger", ledger.id.description)
                writer.field("replica", ifPresent: ledger.replica?.description)
                writer.field("directory", directory)
            }
        } else {
            call.printer.line("ledger     \(ledger.id)")
            if let replica = ledger.replica { call.printer.line("replica    \(replica)") }
            call.printer.line("directory  \(directory)")
            if let replica = ledger.replica {
                call.printer.message(
                    "Not a member yet. On the inviting device: ledgerd members add \(replica)")
            }
        }
        try lifted { () throws(LedgerError) in try ledger.close() }
        return .done
    }

    private static func invitation(_ call: Invocation) throws(Failure) -> String {
        let argument = try call.requiredArgument(0)
        guard argument == "-" else { return argument }
        let bytes = try InputFile.read("-", bytesMax: 4096, call.console)
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.split { $0.isWhitespace }.first ?? "")
    }
}

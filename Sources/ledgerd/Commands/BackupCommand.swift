internal import Ledger

/// Copies the database while others write.
enum BackupCommand: Command {
    static let name = "backup"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Write a consistent copy of the database",
            arguments: [.required("FILE", .file, "The new file; it must not exist.")],
            options: [.directory],
            details: ["Check the copy with: ledgerd verify --copy FILE"],
            jsonFields: ["file": "the copy"],
            exitCodes: [.cannotCreate, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let file = try call.requiredArgument(0)
        return try call.writing { (ledger) throws(Failure) in
            try lifted { () throws(LedgerError) in try ledger.backup(to: file) }
            if call.isJSON {
                call.printJSON { $0.field("file", file) }
            } else {
                call.printer.line(file)
            }
            return .done
        }
    }
}

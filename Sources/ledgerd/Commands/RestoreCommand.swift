internal import Ledger

/// Puts a backup in place.
enum RestoreCommand: Command {
    static let name = "restore"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Put the newest of some backups in place, and go on in a new log",
            arguments: [
                .required("FILE", .file, "A backup of this replica."),
                .optional("FILE2", .file, "Another one."), .optional("FILE3", .file, "Another."),
            ],
            options: [.directory],
            details: [
                "The newest is the one that holds most of the replica's own events, whatever the "
                    + "files' times say. Each is verified first. The state directory must hold no "
                    + "database; move the old one aside.",
                "Put replica.key into the directory first. Without it the copy can be read but not "
                    + "written: then join as a new replica. Merge soon: what had reached a peer "
                    + "comes back.",
            ],
            examples: ["ledgerd restore monday.db tuesday.db --dir /var/lib/ledgerd"],
            jsonFields: [
                "file": "the backup that was taken",
                "events": "how many events it holds", "ownEvents": "how many are the replica's own",
                "log": "the log the replica goes on in; absent where its key is not there",
                "directory": "where it was put",
            ],
            exitCodes: [.cannotCreate, .damaged])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.directory()
        let files = [try call.requiredArgument(0)] + [1, 2].compactMap { call.argument($0) }
        let restored = try lifted { () throws(LedgerError) in
            try Ledger.restore(files, at: directory, environment: call.console.ledgerEnvironment)
        }
        if call.isJSON {
            call.printJSON { writer in
                writer.field("file", restored.file)
                writer.field("events", restored.events)
                writer.field("ownEvents", restored.ownEvents)
                writer.field("log", ifPresent: restored.log?.description)
                writer.field("directory", directory)
            }
        } else {
            call.printer.line(
                "restored   \(restored.file): \(restored.events) events, \(restored.ownEvents) "
                    + "of them this replica's")
            if let log = restored.log { call.printer.line("log        \(log)") }
            call.printer.line("directory  \(directory)")
        }
        call.printer.message(
            restored.log == nil
                ? "replica.key is not there: put it beside the database to record, or join as a new "
                    + "replica in another directory."
                : "Merge with a peer now: what had reached it comes back.")
        return .done
    }
}

internal import Ledger

/// Makes a new ledger.
enum InitCommand: Command {
    static let name = "init"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Make a new ledger and show its recovery key once",
            options: [
                .directory,
                .value(
                    "recovery-key", "FILE", kind: .file,
                    "Write the recovery key into this new file instead of printing it."),
                .flag(
                    "allow-synced-folder", "Make it even where a sync program copies the folder."),
            ],
            details: [
                "The recovery key is kept nowhere else. Who has it can bring back a removed "
                    + "device; keep it off this machine."
            ],
            examples: ["ledgerd init --recovery-key /media/stick/recovery.txt"],
            jsonFields: [
                "ledger": "the ledger's id", "replica": "this replica's id",
                "directory": "where it lives",
                "recoveryKey": "the recovery key, unless written to a file",
            ],
            exitCodes: [.cannotCreate])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.newDirectory()
        guard let path = call.value("recovery-key") else {
            let (ledger, key) = try create(directory, call)
            show(ledger, key.description, directory, call)
            call.printer.flush()
            guard call.printer.isOpen else {
                throw Failure(
                    .io, code: "io",
                    "The ledger was made, but its recovery key could not be printed and is lost. "
                        + "Remove the directory and run init again, or with --recovery-key.")
            }
            return try close(ledger)
        }
        let file = try SecretFile(creating: path)
        let (ledger, key): (Ledger, RecoveryKey)
        do {
            (ledger, key) = try create(directory, call)
        } catch {
            file.discard()
            throw error
        }
        do {
            try file.write(key.description)
        } catch {
            call.printer.message("\(error.message) The recovery key is printed instead.")
            show(ledger, key.description, directory, call)
            throw error
        }
        show(ledger, nil, directory, call)
        return try close(ledger)
    }

    private static func create(
        _ directory: String, _ call: Invocation
    ) throws(Failure) -> (Ledger, RecoveryKey) {
        try lifted { () throws(LedgerError) in
            let made = try Ledger.create(at: directory, environment: call.console.ledgerEnvironment)
            return (made.ledger, made.recoveryKey)
        }
    }

    private static func close(_ ledger: Ledger) throws(Failure) -> ExitCode {
        try lifted { () throws(LedgerError) in try ledger.close() }
        return .done
    }

    private static func show(
        _ ledger: Ledger, _ key: String?, _ directory: String, _ call: Invocation
    ) {
        if call.isJSON {
            call.printJSON { writer in
                writer.field("ledger", ledger.id.description)
                writer.field("replica", ifPresent: ledger.replica?.description)
                writer.field("directory", directory)
                writer.field("recoveryKey", ifPresent: key)
            }
            return
        }
        call.printer.line("ledger        \(ledger.id)")
        if let replica = ledger.replica { call.printer.line("replica       \(replica)") }
        call.printer.line("directory     \(directory)")
        guard let key else { return }
        call.printer.line("recovery key  \(key)")
        call.printer.message(
            "The recovery key is shown this once and kept nowhere; store it off this machine.")
    }
}

extension Invocation {
    /// The state directory for a new ledger.
    func newDirectory() throws(Failure) -> String {
        let directory = try directory()
        if !flag("allow-synced-folder"), let program = SyncedFolder.find(directory) {
            throw Failure(
                .configuration, code: "configuration",
                "The state directory lies in a folder that \(program) copies, which would damage "
                    + "the database; name another with --dir (and use sync folder to merge "
                    + "through that one), or add --allow-synced-folder.")
        }
        return directory
    }

    /// Prints one JSON object on one line.
    func printJSON(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(body)
        printer.raw(writer.bytes)
        printer.raw([0x0A])
    }
}

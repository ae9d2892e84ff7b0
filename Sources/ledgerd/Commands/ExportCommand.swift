internal import Ledger

/// Writes the whole ledger as text.
enum ExportCommand: Command {
    static let name = "export"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Write all events and checkpoints as JSON Lines or CSV",
            arguments: [
                .optional("FILE", .file, "The file to write, replaced whole; else standard output.")
            ],
            options: [
                .directory, .flag("json", "Write JSON Lines; so it is without --csv."),
                .flag("csv", "Write CSV that a spreadsheet cannot run."),
            ],
            details: [
                "Both forms carry every byte that proofs need, and import brings them back as the "
                    + "very same events. Under its name a file is whole or not there."
            ],
            examples: ["ledgerd export ledger.jsonl", "ledgerd export --csv ledger.csv"],
            exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        if call.flag("csv"), call.flag("json") {
            throw call.usage("--csv and --json exclude each other")
        }
        return try call.writing { (ledger) throws(Failure) in
            let exporter = Exporter(ledger, call.flag("csv") ? .csv : .jsonLines)
            guard let path = call.argument(0), path != "-" else {
                _ = try lifted { () throws(LedgerError) in
                    try exporter.run { (bytes) throws(LedgerError) in call.printer.raw(bytes) }
                }
                return .done
            }
            var progress = Progress(call, unit: "KiB")
            var written: Int64 = 0
            let summary = try lifted { () throws(LedgerError) in
                let file = try OutputFile(path)
                let summary = try exporter.run { (bytes) throws(LedgerError) in
                    try file.write(bytes)
                    written += Int64(bytes.count)
                    progress.update(written / 1024)
                }
                try file.commit()
                return summary
            }
            call.printer.message(
                "\(summary.eventCount) events and \(summary.checkpointCount) checkpoints written "
                    + "to \(path)")
            return .done
        }
    }
}

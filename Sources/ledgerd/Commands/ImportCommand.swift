internal import Ledger

/// Imports permission stores and our own exports.
enum ImportCommand: Command {
    static let name = "import"

    static var spec: CommandSpec {
        let formats = ImportFormat.allCases.map(\.rawValue)
        return CommandSpec(
            name: name, summary: "Import an export or a system's permission store",
            arguments: [
                .required("FILE", .file, "The file; - for standard input.")
            ],
            options: [
                .directory,
                .word(
                    "format", "FORMAT", formats,
                    "Refuse the file unless it is of this format, told from its content"),
                .value("device", "NAME", "The device the file is from; not needed for an export."),
                .value("subject", "NAME", "The person whose device it is; me unless given."),
                .value("app", "ID", "The application whose installation --install names."),
                .value("install", "ID", "The installation of --app on that device."),
                .word(
                    "list", "LIST", ImportOptions.TCCScope.allCases.map(\.rawValue),
                    "Which of the two lists a TCC.db is; user unless given"),
                .flag("strict", "Take nothing unless everything can be taken."),
                .flag("dry-run", "Say what would be done, and do nothing."),
            ],
            details: [
                "Reads our own exports (JSON Lines and CSV, which come back as the same events, or "
                    + "as observations in another ledger), macOS TCC.db and its CSV, the output of "
                    + "flatpak permissions, and App Privacy Reports, whose uses are compared with "
                    + "the ledger and become no events.",
                "Imported states are observations with their claimed source, never acts. What "
                    + "cannot be taken is named by line and left out; importing again adds nothing.",
            ],
            examples: [
                "ledgerd import --device laptop TCC.db", "ledgerd import --strict ledger.jsonl",
            ],
            jsonFields: ImportOutput.fields, exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let path = try call.requiredArgument(0)
        let importer = Importer(path, try options(call, path))
        return try call.writing { (ledger) throws(Failure) in
            var progress = Progress(call, unit: "records")
            let report = try lifted { () throws(LedgerError) in
                try importer.run(into: ledger) { progress.update(Int64($0)) }
            }
            ImportOutput(report: report, call: call, name: importer.name).show()
            return report.setAside.isEmpty ? .done : .partial
        }
    }

    private static func options(
        _ call: Invocation, _ path: String
    ) throws(Failure) -> ImportOptions {
        var format: ImportFormat?
        if path != "-" {
            let probe = ImportOptions(device: "", now: call.now)
            format = try lifted { () throws(LedgerError) in
                try Importer(path, probe).detectFormat()
            }
        }
        if let wanted = call.value("format") {
            guard let known = ImportFormat(rawValue: wanted) else {
                let names = ImportFormat.allCases.map(\.rawValue)
                throw call.usage(
                    "--format must be one of \(names.joined(separator: ", "))"
                        + Suggestion.phrase(wanted, names))
            }
            guard let format else {
                throw call.usage("--format needs a file; it cannot look ahead on standard input")
            }
            guard known == format else {
                throw .data("\(path) is of the format \(format.rawValue); nothing was imported.")
            }
        }
        let isExport = format == .exportJSON || format == .exportCSV
        guard let device = call.value("device") ?? (isExport ? "imported" : nil) else {
            throw call.usage("--device is missing: name the device the file is from")
        }
        var options = ImportOptions(device: device, now: call.now)
        if let subject = call.value("subject") { options.subject = subject }
        options.application = call.value("app")
        options.install = call.value("install")
        if let list = try call.parsed("list", as: "user or system", ImportOptions.TCCScope.init) {
            options.tccScope = list
        }
        options.isStrict = call.flag("strict")
        options.isDryRun = call.flag("dry-run")
        return options
    }
}

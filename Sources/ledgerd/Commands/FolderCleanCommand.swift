internal import Ledger
internal import SyncEngine

/// Removes what is of no use among the own files of a drop folder.
enum FolderCleanCommand: Command {
    static let name = "folder clean"

    static var spec: CommandSpec {
        CommandSpec(
            name: name,
            summary: "Remove own files of a drop folder that are unfinished or were replaced",
            arguments: [.required("PATH", .directory, "The folder.")],
            options: [
                .directory, .flag("dry-run", "Remove nothing, and say what would go."),
                .value(
                    "grace", "TIME",
                    "How long a file must have been replaced before it goes, so that nobody misses "
                        + "it who listed it earlier; 7d unless given, 0s for at once."),
            ],
            details: [
                "The files that stay are read to their end before one that they replace is removed. "
                    + "Files of other replicas are never touched, nor are copies that a sync "
                    + "program made."
            ],
            examples: ["ledgerd folder clean --dry-run /media/stick/consent"],
            jsonFields: [
                "removed": "how many files were removed, or would be",
                "bytes": "their bytes", "kept": "how many stay until their time is over",
                "files": "each: file, kind (unfinished or superseded), bytes, removed, dueAt",
            ],
            exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let path = try call.folderArgument()
        let grace = try call.parsed("grace", as: Duration.form, Duration.parse)
        return try call.writing { (ledger) throws(Failure) in
            let cleaning = try liftedSync { () throws(SyncError) in
                try DropFolder(path, of: ledger).clean(
                    graceMilliseconds: grace, isRehearsal: call.flag("dry-run"))
            }
            if call.isJSON { showJSON(cleaning, call) } else { showText(cleaning, call) }
            if let failure = cleaning.failure { throw Failure(failure) }
            return .done
        }
    }

    private static func showText(_ cleaning: FolderCleaning, _ call: Invocation) {
        let isRehearsal = call.flag("dry-run")
        for item in cleaning.items {
            let file =
                "\(item.kind.rawValue)  \(item.length) bytes  \(PrintableText.make(item.file))"
            if item.isRemoved {
                call.printer.line((isRehearsal ? "would remove  " : "removed  ") + file)
            } else {
                let time = item.dueAt.map { " until \(TimeZoneRules.utc.text($0))" } ?? ""
                call.printer.line("kept\(time)  \(file)")
            }
        }
        let removed = cleaning.items.filter(\.isRemoved)
        let bytes = removed.reduce(0) { $0 + $1.length }
        call.printer.line(
            "\(removed.count) files, \(bytes) bytes \(isRehearsal ? "would go" : "removed"); "
                + "\(cleaning.items.count - removed.count) kept")
    }

    private static func showJSON(_ cleaning: FolderCleaning, _ call: Invocation) {
        let removed = cleaning.items.filter(\.isRemoved)
        call.printJSON { writer in
            writer.field("removed", removed.count)
            writer.field("bytes", removed.reduce(0) { $0 + $1.length })
            writer.field("kept", cleaning.items.count - removed.count)
            writer.arrayField("files") { writer in
                for item in cleaning.items {
                    writer.object { writer in
                        writer.field("file", item.file)
                        writer.field("kind", item.kind.rawValue)
                        writer.field("bytes", item.length)
                        writer.field("removed", item.isRemoved)
                        writer.field(
                            "dueAt", ifPresent: item.dueAt.map { TimeZoneRules.utc.text($0) })
                    }
                }
            }
        }
    }
}

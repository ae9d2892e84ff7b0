internal import Ledger
internal import SyncEngine

/// Shows what lies in a drop folder.
enum FolderStatusCommand: Command {
    static let name = "folder status"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Show what lies in a drop folder, by directory and log",
            arguments: [.required("PATH", .directory, "The folder.")], options: [.directory],
            details: [
                "Reads every file to its end and takes in and writes nothing. For each log: how far "
                    + "it is published and how far it is held here, and what is missing in between. "
                    + "Then other ledgers, unfinished files, and files that were left alone, with "
                    + "the reason; the code is then 2, unless they are merely other programs'."
            ],
            jsonFields: [
                "files": "how many files were looked at",
                "keyGeneration": "which folder key new files are sealed with",
                "published":
                    "by directory and log: replica, author, own, segments, bytes, reach, end, held, "
                    + "superseded and keyGenerations",
                "unpublished": "own logs that are not all there: published and size",
                "foreign": "other ledgers, and how many files",
                "unfinished": "files that somebody began, and whether they are own ones",
                "setAsideCount": "how many files were left alone",
                "setAside": "code, message and file of the first 1,000",
            ],
            exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let path = try call.folderArgument()
        return try call.asMember { (ledger) throws(Failure) in
            var progress = Progress(call, unit: "bytes")
            let status = try liftedSync { () throws(SyncError) in
                try DropFolder(path, of: ledger).status { progress.update($0, of: $1) }
            }
            if call.isJSON { showJSON(status, call) } else { showText(status, call) }
            let isTroubled = status.setAside.contains { $0.reason.code != .notASegment }
            return isTroubled || status.setAsideCount > status.setAside.count ? .partial : .done
        }
    }

    private static func showText(_ status: FolderStatus, _ call: Invocation) {
        for log in status.published {
            let place = log.directory.isEmpty ? "." : PrintableText.make(log.directory)
            let author = log.author.map { "by \($0.short)…" } ?? "by a replica not known here"
            call.printer.line(
                "log \(log.log.short)… \(author) in \(place)\(log.isOwn ? " (own)" : "")")
            call.printer.line(
                "    \(log.reach) events in \(log.segments) files, \(log.bytes) bytes; "
                    + "\(log.held) held here; \(keys(log.keyGenerations))")
            if log.reach < log.end {
                call.printer.line(
                    "    event \(log.reach) is missing, though later ones up to \(log.end) are there"
                )
            }
            if log.superseded > 0 {
                call.printer.line("    \(log.superseded) files hold nothing that others do not")
            }
        }
        if status.published.isEmpty { call.printer.line("nothing of this ledger is there") }
        for log in status.unpublished {
            call.printer.line(
                "own log \(log.log.short)…: \(log.published) of \(log.size) events are published; "
                    + "run ledgerd sync folder")
        }
        for other in status.foreign {
            call.printer.line("another ledger, \(other.ledger.short)…: \(other.files) files")
        }
        for file in status.temporaries {
            call.printer.line(
                "unfinished\(file.isOwn ? ", own" : ""): \(PrintableText.make(file.name))")
        }
        SyncOutput.show(forks: [], status.setAside, status.setAsideCount, call)
    }

    private static func keys(_ generations: [UInt64]) -> String {
        let numbers = generations.map { "\($0)" }.joined(separator: ", ")
        return generations.count == 1 ? "key \(numbers)" : "keys \(numbers)"
    }

    private static func showJSON(_ status: FolderStatus, _ call: Invocation) {
        call.printJSON { writer in
            writer.field("files", status.files)
            writer.field("keyGeneration", status.keyGeneration)
            writer.arrayField("published") { writer in
                for log in status.published { write(log, to: &writer) }
            }
            writer.arrayField("unpublished") { writer in
                for log in status.unpublished {
                    writer.object { writer in
                        writer.field("log", log.log.description)
                        writer.field("published", log.published)
                        writer.field("size", log.size)
                    }
                }
            }
            writer.arrayField("foreign") { writer in
                for other in status.foreign {
                    writer.object { writer in
                        writer.field("ledger", other.ledger.description)
                        writer.field("files", other.files)
                    }
                }
            }
            writer.arrayField("unfinished") { writer in
                for file in status.temporaries {
                    writer.object { writer in
                        writer.field("file", file.name)
                        writer.field("own", file.isOwn)
                    }
                }
            }
            SyncOutput.write(
                "setAside", status.setAside, count: status.setAsideCount, to: &writer)
        }
    }

    private static func write(_ log: FolderStatus.Published, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("directory", log.directory)
            writer.field("replica", ifPresent: log.replica?.description)
            writer.field("log", log.log.description)
            writer.field("author", ifPresent: log.author?.description)
            writer.field("own", log.isOwn)
            writer.field("segments", log.segments)
            writer.field("bytes", log.bytes)
            writer.field("reach", log.reach)
            writer.field("end", log.end)
            writer.field("held", log.held)
            writer.field("superseded", log.superseded)
            writer.arrayField("keyGenerations") { writer in
                for generation in log.keyGenerations { writer.value(generation) }
            }
        }
    }
}

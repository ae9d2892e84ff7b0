internal import Ledger
internal import SyncEngine

/// Merges through a drop folder.
enum SyncFolderCommand: Command {
    static let name = "sync folder"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Merge through a folder that a sync program or a stick carries",
            arguments: [.required("PATH", .directory, "The folder.")],
            options: [
                .directory,
                .flag(
                    "carry",
                    "Publish every log held here, not only the own ones, for people who share "
                        + "no other folder."),
                .flag("read-only", "Take in what is there, and publish nothing."),
            ],
            details: [
                "Reads every whole segment of the folder, records what is new, and adds what the "
                    + "folder lacks. Partial, renamed, foreign or damaged files are named and do "
                    + "no harm; the code is then 2. Own small files are merged now and then, and "
                    + "those that were replaced go after a week."
            ],
            jsonFields: [
                "complete": "whether nothing was left out",
                "eventsImported": "events that were new here",
                "eventsPublished": "events added to the folder",
                "segmentsRead": "files that were read", "segmentsImported": "of them taken",
                "segmentsPublished": "files that were added",
                "segmentsCompacted": "own files that take the place of several small ones",
                "segmentsRemoved": "own files that were replaced long ago",
                "admitted": "replicas that came with an invitation of this one",
                "requestsRefused": "requests with one that is not good any more",
                "requestsToOthers": "requests to join that wait for another replica",
                "isAsking": "whether this replica waits for its inviter",
                "isMemoryRebuilt":
                    "whether the damaged note of which files were read was made anew",
                "forks": "logs of which more than one chain is held",
                "clocksAhead": AheadClocks.meaning,
                "setAsideCount": "how many things were not taken",
                "setAside": "code, message and file or log of the first 1,000",
            ],
            exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let path = try call.folderArgument()
        return try call.writing { (ledger) throws(Failure) in
            let folder = DropFolder(path, of: ledger, publishing: try publishing(call))
            let position = try lifted { () throws(LedgerError) in try ledger.lastPosition() }
            let report = try liftedSync { () throws(SyncError) in try folder.sync() }
            let ahead = try AheadClocks(ledger, after: position, call)
            if call.isJSON {
                showJSON(report, ahead, call)
            } else {
                showText(report, call)
                ahead.show(call)
            }
            if let failure = report.joinFailure ?? report.importFailure ?? report.publishFailure {
                throw Failure(failure)
            }
            return report.isComplete ? .done : .partial
        }
    }

    private static func publishing(
        _ call: Invocation
    ) throws(Failure) -> DropFolder.Publishing {
        switch (call.flag("carry"), call.flag("read-only")) {
        case (true, true): throw call.usage("--carry and --read-only exclude each other")
        case (true, false): .allLogs
        case (false, true): .nothing
        case (false, false): .ownLogs
        }
    }

    private static func showText(_ report: FolderReport, _ call: Invocation) {
        call.printer.line(
            "\(report.eventsImported) events imported from \(report.segmentsImported) of "
                + "\(report.segmentsRead) segments, \(report.eventsPublished) published in "
                + "\(report.segmentsPublished)")
        showLetters(report, call)
        if report.segmentsCompacted + report.segmentsRemoved > 0 {
            call.printer.line(
                "\(report.segmentsCompacted) own files merged from smaller ones, "
                    + "\(report.segmentsRemoved) old ones removed")
        }
        if report.isMemoryRebuilt {
            call.printer.message(
                "What was noted of this folder was damaged and is made anew; all files were read.")
        }
        SyncOutput.show(forks: report.forks, report.setAside, report.setAsideCount, call)
    }

    static func showLetters(_ report: FolderReport, _ call: Invocation) {
        for replica in report.admitted {
            call.printer.line("\(replica) came with an invitation and was admitted")
        }
        if report.requestsRefused > 0 {
            call.printer.message(
                "\(report.requestsRefused) requests to join came with an invitation that is used, "
                    + "expired or revoked; they were told so. See: ledgerd invite --list")
        }
        if report.requestsToOthers > 0 {
            call.printer.message(
                "\(report.requestsToOthers) requests to join wait there for another replica")
        }
        if report.isAsking {
            call.printer.message(
                "Asked to be admitted: once the inviter has synced with this folder, sync again.")
        }
    }

    private static func showJSON(
        _ report: FolderReport, _ ahead: AheadClocks, _ call: Invocation
    ) {
        call.printJSON { writer in
            writer.field("complete", report.isComplete)
            writer.field("eventsImported", report.eventsImported)
            writer.field("eventsPublished", report.eventsPublished)
            writer.field("segmentsRead", report.segmentsRead)
            writer.field("segmentsImported", report.segmentsImported)
            writer.field("segmentsPublished", report.segmentsPublished)
            writer.field("segmentsCompacted", report.segmentsCompacted)
            writer.field("segmentsRemoved", report.segmentsRemoved)
            writer.arrayField("admitted") { writer in
                for replica in report.admitted { writer.value(replica.description) }
            }
            writer.field("requestsRefused", report.requestsRefused)
            writer.field("requestsToOthers", report.requestsToOthers)
            writer.field("isAsking", report.isAsking)
            writer.field("isMemoryRebuilt", report.isMemoryRebuilt)
            SyncOutput.write(forks: report.forks, to: &writer)
            ahead.write(to: &writer)
            SyncOutput.write(
                "setAside", report.setAside, count: report.setAsideCount, to: &writer)
        }
    }
}

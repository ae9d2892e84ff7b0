internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Records one event from options, or many from lines of JSON.
enum RecordCommand: Command {
    static let name = "record"

    static var spec: CommandSpec {
        let kinds = DraftReader.kinds.map(\.name)
        return CommandSpec(
            name: name, summary: "Record one event from options, or many from JSON Lines",
            arguments: [
                .required(
                    "KIND|FILE|-", .words(kinds),
                    "\(kinds.joined(separator: ", ")); or a file of JSON Lines, - for standard "
                        + "input.")
            ],
            options: [.directory, CatalogOptions.file, CatalogOptions.published]
                + DraftField.all.map(\.option) + [
                    .flag("critical", "A reader that does not understand it must not grant on it.")
                ],
            details: [
                "A device-scoped fact needs --device and --install, a person-scoped one "
                    + "--scope person. With --catalog or --published, scope, revision and unit "
                    + "are filled in where they are left out, and a grant without --end ends when "
                    + "the catalog's validity is over.",
                "JSON Lines: one object a line, with “kind” and the members that history --json "
                    + "shows, times and ids as text, “buttons” and “expect” as lists. "
                    + "Every 1,000 lines are one transaction; an error names its line, and what "
                    + "stands before that line is recorded. Members: kind, "
                    + DraftField.all.map(\.key).joined(separator: ", ") + ", critical.",
                "The same content again under the same --key, or the same answer again to the same "
                    + "question, records nothing, says “already recorded” and ends with 0.",
            ],
            examples: [
                "ledgerd record prompt-asked --subject me --resource camera --device phone "
                    + "--install 1",
                "ledgerd record answer --subject me --resource camera --device phone --install 1 "
                    + "--outcome allowed --answers 6p2mz",
                "ledgerd record answer --subject me --resource marketing-email --scope person "
                    + "--outcome denied",
                "ledgerd record - < events.jsonl",
            ],
            jsonFields: [
                "id": "the event's id; one object a line, in the order recorded",
                "new": "false when it was already recorded",
                "line": "the line of input, for many",
            ],
            exitCodes: [.conflict, .erased, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let what = try call.requiredArgument(0)
        guard let kind = DraftReader.kind(what) else {
            guard what == "-" || what.contains("/") || access(what, F_OK) == 0 else {
                let kinds = DraftReader.kinds.map(\.name)
                throw call.usage(
                    "no such kind (\(kinds.joined(separator: ", "))), and no such file either"
                        + Suggestion.phrase(what, kinds))
            }
            for field in DraftField.all where !call.values(field.option.name).isEmpty {
                throw call.usage("--\(field.option.name) goes with a KIND, not with lines of JSON")
            }
            return try recordMany(what, call)
        }
        if let exit = try call.relayed() { return exit }
        return try call.writing { (ledger) throws(Failure) in
            let reader = DraftReader { (prefix) throws(Failure) in try ledger.resolve(prefix) }
            var draft = try reader.read(kind, options: call)
            draft.isCritical = call.flag("critical")
            try CatalogFacts(call, ledger).fill(&draft)
            let receipt = try lifted { () throws(LedgerError) in try ledger.append(draft) }
            show(receipt, call)
            return .done
        }
    }

    private static func show(_ receipt: Receipt, _ call: Invocation) {
        if call.isJSON {
            call.printJSON { writer in write(receipt, to: &writer) }
        } else {
            call.printer.line(receipt.event.id.description)
            if !receipt.isNew { call.printer.message("already recorded") }
        }
    }

    /// Writes the members into the object that is open.
    static func write(_ receipt: Receipt, to writer: inout JSONWriter) {
        writer.field("id", receipt.event.id.description)
        writer.field("new", receipt.isNew)
    }

    private static func recordMany(_ path: String, _ call: Invocation) throws(Failure) -> ExitCode {
        var lines = try LineReader(path, call.console)
        let ledger = try call.openForWriting()
        let reader = DraftReader { (prefix) throws(Failure) in try ledger.resolve(prefix) }
        let facts = try CatalogFacts(call, ledger)
        var batch = RecordBatch(ledger, call, name: lines.name)
        while true {
            let draft: Draft
            do {
                guard let line = try lines.next() else { break }
                if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                var read = try reader.read(line: line, name: lines.name, number: lines.line)
                facts.fill(&read)
                draft = read
            } catch {
                try batch.finish()
                batch.report()
                try? ledger.close()
                throw error
            }
            try batch.add(draft, line: lines.line)
        }
        try batch.finish()
        batch.report()
        try lifted { () throws(LedgerError) in try ledger.close() }
        return .done
    }
}

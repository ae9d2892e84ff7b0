internal import Ledger

/// Erases a person, or shows how far an erasure got.
enum EraseCommand: Command {
    static let name = "erase"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Erase a person from all replicas, or show how far that got",
            options: [
                .directory,
                .value("subject", "ID", "The person."),
                .flag("yes", "Erase; without it nothing is changed."),
                .flag(
                    "unseen",
                    "Erase a person of whom nothing is recorded here, for other replicas' sake."),
                .flag("status", "Show which replicas have confirmed, of ID or of all erasures."),
                TimeOptions.zone,
            ],
            details: [
                "Drops the content of every event about the person, here at once and on the other "
                    + "replicas as they merge; headers and proofs stay. It cannot be taken back. "
                    + "Afterwards only denials are recorded for the ID; give a returning person a "
                    + "new one.",
                "Backups and exports made before are not reached: remove them yourself.",
            ],
            jsonFields: [
                "tag": "the keyed hash that stands for the person in headers",
                "isScrubbedHere": "whether no erased byte is left in this replica's database",
                "statements":
                    "array: event, replica, time, and confirms where it confirms another's",
                "outstanding": "array: replicas that have not confirmed",
            ],
            exitCodes: [.partial, .noInput, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        if call.flag("status") {
            return try call.reading { (ledger) throws(Failure) in
                try showStatus(ledger, zone, call)
            }
        }
        let subject = try call.required("subject")
        return try call.writing { (ledger) throws(Failure) in
            let count = try eventCount(of: subject, ledger)
            guard count > 0 || call.flag("unseen") else {
                throw Failure(
                    .noInput, code: "notFound",
                    "Nothing is recorded about this person here; check the ID, or add --unseen.")
            }
            guard call.flag("yes") else {
                throw call.usage(
                    "this drops the content of \(count) events for good; add --yes to do it")
            }
            let erasure = try lifted { () throws(LedgerError) in try ledger.erase(subject) }
            show(erasure, zone, call)
            return erasure.isScrubbedHere ? .done : .partial
        }
    }

    private static func eventCount(
        of subject: String, _ ledger: Ledger
    ) throws(Failure) -> Int {
        var filter = HistoryFilter()
        filter.subject = subject
        var count = 0
        try lifted { () throws(LedgerError) in
            try ledger.history(filter) { _ in
                count += 1
                return true
            }
        }
        return count
    }

    private static func showStatus(
        _ ledger: Ledger, _ zone: TimeZoneRules, _ call: Invocation
    ) throws(Failure) -> ExitCode {
        guard let subject = call.value("subject") else {
            let all = try lifted { () throws(LedgerError) in try ledger.erasures() }
            for erasure in all { show(erasure, zone, call) }
            return .done
        }
        let erasure = try lifted { () throws(LedgerError) in try ledger.erasure(of: subject) }
        guard let erasure else {
            throw Failure(
                .noInput, code: "notFound", "This person was not erased, as far as is known here.")
        }
        show(erasure, zone, call)
        return .done
    }

    private static func show(_ erasure: Erasure, _ zone: TimeZoneRules, _ call: Invocation) {
        if call.isJSON {
            call.printJSON { writer in
                writer.field("tag", erasure.tag.description)
                writer.field("isScrubbedHere", erasure.isScrubbedHere)
                writer.arrayField("statements") { writer in
                    for statement in erasure.statements {
                        writer.object { writer in
                            writer.field("event", statement.event.description)
                            writer.field("replica", statement.replica.description)
                            writer.field("time", zone.text(statement.timestamp.milliseconds))
                            writer.field("confirms", ifPresent: statement.confirms?.description)
                        }
                    }
                }
                writer.arrayField("outstanding") { writer in
                    for replica in erasure.outstanding { writer.value(replica.description) }
                }
            }
            return
        }
        call.printer.line("subject with tag \(erasure.tag)")
        for statement in erasure.statements {
            let what = statement.confirms == nil ? "erased by" : "confirmed by"
            call.printer.line(
                "  \(zone.text(statement.timestamp.milliseconds))  \(what) \(statement.replica)")
        }
        for replica in erasure.outstanding {
            call.printer.line("  not confirmed by \(replica)")
        }
        if !erasure.isScrubbedHere {
            call.printer.message(
                "A long read in progress keeps the old content alive in the files; it is removed "
                    + "when a command writes next.")
        }
    }
}

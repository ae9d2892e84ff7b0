internal import Ledger

/// Tells what is allowed, and why.
enum StatusCommand: Command {
    static let name = "status"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Tell what is allowed now or at a time, and why",
            options: [
                .directory,
                .value("subject", "NAME", "The person."),
                .value("resource", "NAME", "What access is asked for."),
                .value("device", "NAME", "The device, for device scope."),
                .value("install", "ID", "The installation of the app there, for device scope."),
                .flag("why", "Show the rule and the events that the status rests on."),
                .value("as-of", "TIME", "From the events recorded up to this time."),
                .value("known-at", "TIME", "From the events that had arrived here by this time."),
                .flag("pending", "List keys with an open question."),
                .flag(
                    "unanswered",
                    "List keys that were shown or asked and never answered; with --resource also "
                        + "the people who were never asked for it."),
                .value("expiring", "TIME", "List grants that end within this time, such as 30d."),
                .flag(
                    "outdated",
                    "List grants for words older than those of --catalog, else of the published one."
                ),
                .flag("conflicting", "List keys whose events in force differ."),
                .word(
                    "platform", "NAME", Platform.allCases.map(\.rawValue),
                    "Whose rules tell whether the system would still ask"),
                .value("asked", "EXTENT", "The extent an upgrade would ask for."),
                .word("active", "WORD", ["yes", "no"], "Whether the app is active"),
                CatalogOptions.file, CatalogOptions.published, TimeOptions.zone,
            ],
            details: [
                "With --subject and --resource it tells one key: the device-scoped one with "
                    + "--device and --install, else the person-scoped one. Otherwise it lists all "
                    + "keys that the options let through; --pending, --unanswered, --expiring, "
                    + "--outdated and --conflicting narrow the list, across the ledger or with "
                    + "--subject, --resource and --device.",
                "With --json each key is one object on a line of its own.",
                "A day given to --as-of or --known-at means its last instant.",
            ],
            examples: [
                "ledgerd status --subject me --resource camera --device phone --install 1 --why",
                "ledgerd status --subject me", "ledgerd status --expiring 30d --json",
            ],
            jsonFields: StatusJSON.fields)
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        let view = StatusView(call, zone)
        return try call.reading { (ledger) throws(Failure) in
            let conditions = try StatusConditions(call, ledger, zone)
            if let query = try conditions.oneKey(call) {
                let status = try lifted { () throws(LedgerError) in try ledger.status(query) }
                let entry = KeyedStatus(
                    subject: query.subject, resource: query.resource, place: query.place,
                    status: status, isOutdated: status.isOutdated)
                try view.show(entry, in: ledger)
                hint(status, query, call)
            } else {
                try StatusList(call, conditions).run(ledger, view)
            }
            return .done
        }
    }

    private static func hint(_ status: Status, _ query: StatusQuery, _ call: Invocation) {
        guard status.reason == .nothingRecorded, query.place == nil, !call.isJSON else { return }
        call.printer.message(
            "Nothing is recorded for the person everywhere; a device-scoped resource needs "
                + "--device and --install, and status --subject alone lists all.")
    }
}

/// Prints statuses in the form that was asked for.
struct StatusView {
    private let call: Invocation
    private let zone: TimeZoneRules

    init(_ call: Invocation, _ zone: TimeZoneRules) {
        self.call = call
        self.zone = zone
    }

    func show(_ entry: KeyedStatus, in ledger: Ledger) throws(Failure) {
        let evidence = call.flag("why") ? try events(entry.status.evidence, ledger) : []
        if call.isJSON {
            showJSON(entry, evidence)
        } else {
            showText(entry, evidence)
        }
    }

    private func events(
        _ ids: [EventID], _ ledger: Ledger
    ) throws(Failure) -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        for id in ids {
            if let entry = try lifted({ () throws(LedgerError) in try ledger.event(id) }) {
                entries.append(entry)
            }
        }
        return entries
    }

    private func showJSON(_ entry: KeyedStatus, _ evidence: [HistoryEntry]) {
        call.printJSON { writer in
            StatusJSON(zone: zone).write(entry, to: &writer)
            guard call.flag("why") else { return }
            writer.field("rule", StatusText.rule(entry.status.reason))
            writer.arrayField("events") { writer in
                for event in evidence {
                    writer.object { writer in
                        EventJSON(zone: zone, now: call.now).write(event, words: nil, to: &writer)
                    }
                }
            }
        }
    }

    private func showText(_ entry: KeyedStatus, _ evidence: [HistoryEntry]) {
        let printer = call.printer
        printer.line(StatusText(zone: zone, style: printer.style).line(entry))
        guard call.flag("why") else { return }
        printer.line("  rule: \(StatusText.rule(entry.status.reason))")
        let text = EventText(zone: zone, style: printer.style, now: call.now)
        for event in evidence {
            printer.line("  rests on \(text.headline(event))")
            for line in text.details(event, words: nil) { printer.line("      \(line)") }
        }
        if let act = entry.status.lastAct {
            printer.line(
                "  the person's last act: \(act.outcome) at "
                    + "\(zone.text(act.timestamp.milliseconds)) (\(act.event.short))")
        }
        let status = entry.status
        printer.line(
            "  primers shown \(status.primersShown), prompts asked \(status.promptsAsked), "
                + "of them undecided \(status.promptsUndecided); the system can ask: \(status.canAsk)"
        )
    }
}

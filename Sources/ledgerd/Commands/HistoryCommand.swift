internal import Ledger

/// Lists events.
enum HistoryCommand: Command {
    static let name = "history"

    static var spec: CommandSpec {
        let kinds = EventKind.known.map(\.description) + DraftReader.kinds.map(\.name)
        return CommandSpec(
            name: name, summary: "List events in the order of their times",
            options: [
                .directory,
                .value("subject", "NAME", "Only this person's."),
                .value("device", "NAME", "Only from this device."),
                .value("resource", "NAME", "Only about this resource."),
                .value("feature", "NAME", "Only for this feature."),
                .value(
                    "kind", "KIND", kind: .words(kinds), repeatable: true,
                    "Only of this kind: \(EventKind.known.map(\.description).joined(separator: ", "))."
                ),
                TimeOptions.since, TimeOptions.until, TimeOptions.zone,
                .flag(
                    "csv", "Print CSV with the columns of export, which a spreadsheet cannot run."),
                .flag("follow", "Go on with events as they arrive, until interrupted."),
            ],
            details: [
                "Bounds are inclusive: --until 2026-12-31 takes the whole of that day in --tz. "
                    + "The words that were shown stand under each event whose catalog unit is here. "
                    + "CSV is in UTC whatever --tz."
            ],
            examples: [
                "ledgerd history --subject me --since 2026-01-01 --until 2026-12-31 "
                    + "--tz Europe/Berlin",
                "ledgerd history --json | jq -r 'select(.outcome == \"denied\") | .resource'",
            ],
            jsonFields: EventJSON.fields)
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        let filter = try filter(call, zone)
        if call.flag("csv"), call.isJSON {
            throw call.usage("--csv and --json exclude each other")
        }
        return try call.reading { (ledger) throws(Failure) in
            let output = try HistoryOutput(call, ledger, zone)
            if call.flag("follow") {
                try follow(ledger, filter, output, call)
            } else {
                try lifted { () throws(LedgerError) in
                    try ledger.history(filter) { (entry) throws(LedgerError) in
                        try output.show(entry)
                        return call.printer.isOpen
                    }
                }
            }
            return .done
        }
    }

    private static func filter(
        _ call: Invocation, _ zone: TimeZoneRules
    ) throws(Failure) -> HistoryFilter {
        var filter = HistoryFilter()
        filter.subject = call.value("subject")
        filter.device = call.value("device")
        filter.resource = call.value("resource")
        filter.feature = call.value("feature")
        for name in call.values("kind") {
            guard let kind = DraftReader.kind(name) ?? EventKind(name) else {
                let names = EventKind.known.map(\.description)
                throw call.usage(
                    "--kind must be one of \(names.joined(separator: ", "))"
                        + Suggestion.phrase(name, names))
            }
            filter.kinds.insert(kind)
        }
        filter.since = try call.instant("since", in: zone)
        filter.before = try call.instantAfter("until", in: zone)
        if let since = filter.since, let before = filter.before, since >= before {
            throw call.usage("--since lies after --until")
        }
        return filter
    }

    /// Shows what is there, then what arrives.
    private static func follow(
        _ ledger: Ledger, _ filter: HistoryFilter, _ output: HistoryOutput, _ call: Invocation
    ) throws(Failure) {
        var filter = filter
        repeat {
            try lifted { () throws(LedgerError) in
                let last = try ledger.lastPosition()
                guard last > filter.afterPosition ?? -1 else { return }
                try ledger.history(filter) { (entry) throws(LedgerError) in
                    // What arrived after `last` was read is shown in the next round.
                    if entry.position <= last { try output.show(entry) }
                    return call.printer.isOpen
                }
                filter.afterPosition = last
            }
            call.printer.flush()
        } while call.printer.isOpen && call.console.pause(milliseconds: 300)
    }
}

/// Prints events one by one in the form that was asked for.
final class HistoryOutput {
    private static let unitsKeptMax = 256

    private let call: Invocation
    private let ledger: Ledger
    private let json: EventJSON
    private let text: EventText
    private var csv: ExportRenderer?
    private var writer = JSONWriter()
    private var units: [Bytes32: ShownWords?] = [:]

    init(_ call: Invocation, _ ledger: Ledger, _ zone: TimeZoneRules) throws(Failure) {
        self.call = call
        self.ledger = ledger
        json = EventJSON(zone: zone, now: call.now)
        text = EventText(zone: zone, style: call.printer.style, now: call.now)
        guard call.flag("csv") else { return }
        let renderer = try lifted { () throws(LedgerError) in try ExportRenderer(.csv) }
        call.printer.raw(renderer.opening)
        csv = renderer
        if let line = csv?.line(.ledger(ledger.id)) { call.printer.raw(line) }
    }

    func show(_ entry: HistoryEntry) throws(LedgerError) {
        if csv != nil {
            if let line = csv?.line(ExportRecord(entry)) { call.printer.raw(line) }
            return
        }
        let words = try words(entry)
        if call.isJSON {
            writer.removeAll()
            writer.object { writer in json.write(entry, words: words, to: &writer) }
            call.printer.raw(writer.bytes)
            call.printer.raw([0x0A])
        } else {
            call.printer.line(text.headline(entry))
            for line in text.details(entry, words: words) { call.printer.line("    \(line)") }
        }
    }

    private func words(_ entry: HistoryEntry) throws(LedgerError) -> ShownWords? {
        guard let digest = entry.event.payload?.unit else { return nil }
        if let known = units[digest] { return known }
        let words = try ledger.catalogUnit(digest).flatMap { ShownWords(unit: $0) }
        if units.count >= Self.unitsKeptMax { units.removeAll() }
        units[digest] = .some(words)
        return words
    }
}

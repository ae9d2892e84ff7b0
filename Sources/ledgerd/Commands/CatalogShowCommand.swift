internal import Ledger

/// Shows published catalog units.
enum CatalogShowCommand: Command {
    static let name = "catalog show"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Show the published words, the newest of each unit",
            options: [
                .directory,
                .value("unit", "DIGEST", "Only the unit with this digest, whenever published."),
                .flag("all", "Every unit that was ever published."), TimeOptions.zone,
            ],
            jsonFields: [
                "digest": "the digest that events name it by; one object a line",
                "kind": "resource, primer or features", "time": "when it was published",
                "event": "the event that published it",
                "content": "the unit with the keys of a catalog file",
            ])
    }

    private struct Shown {
        let unit: PublishedUnit
        let digest: String
        let json: JSONValue
        /// What a later unit stands in for.
        let key: String
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        return try call.reading { (ledger) throws(Failure) in
            var units = try PublishedUnits.all(in: ledger).map(shown)
            if let digest = call.value("unit") {
                units = units.filter { $0.digest.hasPrefix(digest) }
                guard !units.isEmpty else {
                    throw Failure(
                        .noInput, code: "notFound", "No unit with that digest was published here.")
                }
            } else if !call.flag("all") {
                var newest: [String: Int] = [:]
                for (index, unit) in units.enumerated() { newest[unit.key] = index }
                units = newest.values.sorted().map { units[$0] }
            }
            for unit in units { show(unit, zone, call) }
            return .done
        }
    }

    private static func shown(_ unit: PublishedUnit) throws(Failure) -> Shown {
        try lifted { () throws(LedgerError) in
            let json = (try? CatalogUnit.json(unit.content)) ?? .null
            let key = [unit.kind.description, json["id"]?.text ?? "", json["language"]?.text ?? ""]
            return Shown(
                unit: unit,
                digest: Base32.encode(try CatalogUnit.digest(of: unit.content).bytes),
                json: json, key: key.joined(separator: "\n"))
        }
    }

    private static func show(_ shown: Shown, _ zone: TimeZoneRules, _ call: Invocation) {
        let time = zone.text(shown.unit.time.milliseconds)
        if call.isJSON {
            call.printJSON { writer in
                writer.field("digest", shown.digest)
                writer.field("kind", shown.unit.kind.description)
                writer.field("time", time)
                writer.field("event", shown.unit.event.description)
                writer.field("content", shown.json)
            }
            return
        }
        call.printer.line(
            "\(call.printer.style.bold(shown.unit.kind.description))  \(shown.digest)  \(time)")
        for line in (try? CatalogUnit.lines(shown.unit.content)) ?? [] {
            call.printer.line("    \(PrintableText.make(line))")
        }
    }
}

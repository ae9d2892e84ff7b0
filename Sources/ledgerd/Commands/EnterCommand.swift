internal import Ledger

/// Asks whether a feature may run now.
enum EnterCommand: Command {
    static let name = "enter"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Tell whether a feature may run now, and what to do instead",
            arguments: [.required("FEATURE", .text, "The feature, as the catalog names it.")],
            options: [
                .directory,
                .value("catalog", "FILE", kind: .file, "The catalog's file."),
                .value("subject", "NAME", "The person."),
                .value("device", "NAME", "The device."),
                .value("install", "ID", "The installation of the app there."),
                .value(
                    "system", "[RESOURCE=]STATUS[:EXTENT]", repeatable: true,
                    "The live status that the system reports, of one resource or of all: a status, "
                        + "unsupported, unqueryable or service-off[:SWITCH]."),
                .value(
                    "probe", "COMMAND",
                    "Run this for each resource, its name in RESOURCE; what it prints is the "
                        + "status."),
                .flag("retry", "The person asked for it again."),
                .word("active", "WORD", ["yes", "no"], "Whether the app is active"),
                .value(
                    "lang", "TAG", repeatable: true,
                    "A language the person reads, the best first."),
                .value("signing-identity", "ID", "The application's signing identity."),
                TimeOptions.zone,
            ],
            details: [
                "Where the live status differs from what is recorded, one settingsChanged is "
                    + "recorded first. Without --system and --probe the ledger alone decides.",
                "A script can go by the code: 0 proceed, 20 proceed reduced, 21 showPrimer, "
                    + "22 askSystem, 23 offerSettings, 24 useAlternative, 25 unavailable.",
            ],
            examples: [
                "ledgerd enter scan-receipt --catalog catalog.json --subject me --device phone "
                    + "--install 1 --system camera=denied"
            ],
            jsonFields: DecisionOutput.fields,
            exitCodes: [
                .proceedReduced, .showPrimer, .askSystem, .offerSettings, .useAlternative,
                .unavailable, .noPermission,
            ])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        // A probe is the caller's own program, and runs where it was called.
        if call.value("probe") == nil, let exit = try call.relayed() { return exit }
        let zone = try call.zone()
        let feature = try call.requiredArgument(0)
        guard let catalog = try call.catalog() else { throw call.usage("--catalog is missing") }
        guard catalog.feature(feature) != nil else {
            let names = catalog.features.map(\.id)
            throw call.usage(
                "the catalog has no such feature" + Suggestion.phrase(feature, names))
        }
        let entry = try entry(feature, call)
        let statuses = try SystemProbe.options(call)
        let command = call.value("probe")
        if command != nil, !statuses.isEmpty {
            throw call.usage("--system and --probe exclude each other")
        }
        return try call.writing { (ledger) throws(Failure) in
            let decision = try lifted { () throws(LedgerError) in
                try ledger.enter(entry, catalog: catalog) { (resource) throws(LedgerError) in
                    if let command { return try SystemProbe.run(command, resource: resource.id) }
                    return statuses[resource.id] ?? statuses[""]
                }
            }
            let output = DecisionOutput(decision: decision, zone: zone)
            if call.isJSON {
                call.printJSON { writer in output.write(to: &writer) }
            } else {
                for line in output.lines(call.printer.style) { call.printer.line(line) }
            }
            return DecisionOutput.exit(decision)
        }
    }

    private static func entry(
        _ feature: String, _ call: Invocation
    ) throws(Failure) -> FeatureEntry {
        let place = Place(
            device: try call.required("device"), install: try call.required("install"))
        var entry = FeatureEntry(feature, subject: try call.required("subject"), at: place)
        entry.retry = call.flag("retry")
        entry.isAppActive = try call.yesOrNo("active")
        entry.languages = call.values("lang")
        entry.signingIdentity = call.value("signing-identity")
        return entry
    }
}

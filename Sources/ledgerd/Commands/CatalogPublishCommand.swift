internal import Ledger

/// Writes a catalog's words into the ledger.
enum CatalogPublishCommand: Command {
    static let name = "catalog publish"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Write a catalog's words into the ledger, each once per content",
            arguments: [.required("FILE", .file, "The catalog; - for standard input.")],
            options: [.directory],
            details: [
                "Each resource, each primer in each language and the features are one event; "
                    + "what was published before with the same content is not written again."
            ],
            jsonFields: [
                "added": "how many units are new", "present": "how many were published before",
            ],
            exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let catalog = try call.catalog(at: try call.requiredArgument(0))
        return try call.writing { (ledger) throws(Failure) in
            let added = try PublishedUnits.publish(catalog, into: ledger)
            let present = catalog.units.count - added
            if call.isJSON {
                call.printJSON { writer in
                    writer.field("added", added)
                    writer.field("present", present)
                }
            } else {
                call.printer.line("\(added) units published, \(present) published before")
            }
            return .done
        }
    }
}

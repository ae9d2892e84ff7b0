internal import Ledger

/// Checks a catalog against the guidelines of its platform.
enum CatalogLintCommand: Command {
    static let name = "catalog lint"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Check a catalog against its platform's guidelines",
            arguments: [.required("FILE", .file, "The catalog; - for standard input.")],
            options: [
                .directory,
                .flag(
                    "published",
                    "Also find a meaning that changed without a raised revision since the catalog "
                        + "that was published into the ledger."),
                .value(
                    "against", "FILE", kind: .file, "The same against this earlier catalog."),
                .flag("strict", "Let warnings count as findings for the exit code."),
            ],
            jsonFields: [
                "id": "the rule's stable name; one object a line", "severity": "error or warning",
                "place": "the part of the catalog", "message": "what is wrong",
                "guideline": "where the rule comes from", "fix": "what to do",
            ],
            exitCodes: [.findings])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let catalog = try call.catalog(at: try call.requiredArgument(0))
        let findings = catalog.lint(against: try earlier(than: catalog, call))
        for finding in findings { show(finding, call) }
        let isSerious = findings.contains { $0.severity == .error }
        if !call.isJSON {
            let errors = findings.count { $0.severity == .error }
            call.printer.line("\(errors) errors, \(findings.count - errors) warnings")
        }
        return isSerious || (call.flag("strict") && !findings.isEmpty) ? .findings : .done
    }

    private static func earlier(
        than catalog: Catalog, _ call: Invocation
    ) throws(Failure) -> Catalog? {
        if let path = call.value("against") { return try call.catalog(at: path) }
        guard call.flag("published") else { return nil }
        let ledger = try call.openForReading()
        let units = try PublishedUnits.all(in: ledger).filter { $0.kind == .resource }
        try lifted { () throws(LedgerError) in try ledger.close() }
        return try lifted { () throws(LedgerError) in
            try Catalog(
                publishedResources: units.map(\.content), platform: catalog.platform)
        }
    }

    private static func show(_ finding: LintFinding, _ call: Invocation) {
        if call.isJSON {
            call.printJSON { writer in
                writer.field("id", finding.id)
                writer.field("severity", finding.severity.rawValue)
                writer.field("place", finding.place)
                writer.field("message", finding.message)
                writer.field("guideline", finding.guideline)
                writer.field("fix", finding.fix)
            }
            return
        }
        let style = call.printer.style
        let severity =
            finding.severity == .error ? style.bad("error") : style.open("warning")
        call.printer.line("\(severity) \(finding.id) at \(PrintableText.make(finding.place))")
        call.printer.line("    \(PrintableText.make(finding.message))")
        call.printer.line("    \(PrintableText.make(finding.fix))")
        call.printer.line("    (\(finding.guideline))")
    }
}

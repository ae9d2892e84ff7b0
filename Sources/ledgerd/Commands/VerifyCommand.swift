internal import Ledger

/// Recomputes everything from stored bytes.
enum VerifyCommand: Command {
    static let name = "verify"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Recompute everything from stored bytes and name what is wrong",
            options: [
                .directory,
                .value(
                    "copy", "FILE", kind: .file,
                    "Verify this copy of a database, such as a backup, instead."),
                .flag(
                    "rebuild",
                    "First compute the derived statuses and the index anew from the events."),
            ],
            details: [
                "Headers, payload commitments, trees, signatures and the derived statuses are "
                    + "computed anew; of each log the first bad event is named."
            ],
            jsonFields: [
                "sound": "whether nothing is wrong", "events": "how many events were checked",
                "logs": "one object per chain: log, author, size, root, signedSize",
                "findings": "one object per finding: log, sequence, message",
            ],
            exitCodes: [.findings, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        if call.flag("rebuild") {
            guard call.value("copy") == nil else {
                throw call.usage("--rebuild and --copy exclude each other")
            }
            return try call.writing { (ledger) throws(Failure) in
                try lifted { () throws(LedgerError) in try ledger.rebuild() }
                call.printer.message("The derived statuses and the index were computed anew.")
                return try verify(ledger, call)
            }
        }
        guard let copy = call.value("copy") else {
            return try call.reading { (ledger) throws(Failure) in try verify(ledger, call) }
        }
        let ledger = try lifted { () throws(LedgerError) in
            try Ledger(openCopy: copy, environment: call.console.ledgerEnvironment)
        }
        let exit = try verify(ledger, call)
        try lifted { () throws(LedgerError) in try ledger.close() }
        return exit
    }

    private static func verify(_ ledger: Ledger, _ call: Invocation) throws(Failure) -> ExitCode {
        var progress = Progress(call, unit: "events")
        let report = try lifted { () throws(LedgerError) in
            try ledger.verify { done, total in progress.update(done, of: total) }
        }
        if call.isJSON { printJSON(report, call) } else { printText(report, call) }
        if report.findings.contains(where: { $0.log == nil }), !call.flag("rebuild") {
            call.printer.message(
                "What is derived from the events can be computed anew: ledgerd verify --rebuild")
        }
        return report.isSound ? .done : .findings
    }

    private static func printText(_ report: VerificationReport, _ call: Invocation) {
        let style = call.printer.style
        for log in report.logs {
            call.printer.line(
                "log \(log.log)  author \(log.author.short)  \(log.size) events, "
                    + "\(log.signedSize) signed  root \(Base32.encode(log.root.bytes))")
        }
        for finding in report.findings {
            let log = finding.log.map { " log \($0)" } ?? ""
            let sequence = finding.sequence.map { " event \($0)" } ?? ""
            call.printer.line(
                "\(style.bad("wrong:"))\(log)\(sequence) "
                    + PrintableText.make(finding.message))
        }
        call.printer.line(
            report.isSound
                ? "\(style.good("sound:")) \(report.eventCount) events in \(report.logs.count) logs"
                : "\(style.bad("not sound:")) \(report.findings.count) findings in "
                    + "\(report.eventCount) events")
    }

    private static func printJSON(_ report: VerificationReport, _ call: Invocation) {
        call.printJSON { writer in
            writer.field("sound", report.isSound)
            writer.field("events", report.eventCount)
            writer.arrayField("logs") { writer in
                for log in report.logs {
                    writer.object { writer in
                        writer.field("log", log.log.description)
                        writer.field("author", log.author.description)
                        writer.field("size", log.size)
                        writer.field("root", Base32.encode(log.root.bytes))
                        writer.field("signedSize", log.signedSize)
                    }
                }
            }
            writer.arrayField("findings") { writer in
                for finding in report.findings {
                    writer.object { writer in
                        writer.field("log", ifPresent: finding.log?.description)
                        if let sequence = finding.sequence { writer.field("sequence", sequence) }
                        writer.field("message", finding.message)
                    }
                }
            }
        }
    }
}

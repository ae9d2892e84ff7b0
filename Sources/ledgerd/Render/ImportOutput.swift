internal import Ledger

/// What an import did, as text and as JSON.
struct ImportOutput {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "format": "what the file was taken for",
        "dryRun": "whether nothing was written on purpose",
        "records": "how many lines or rows were read",
        "added": "how many events are new, or would be",
        "present": "how many events were here already",
        "unchanged": "how many states are equal to what the ledger holds",
        "payloads": "how many payloads came in for events that were here without them",
        "forks": "how many intervals were kept as another branch of a log",
        "foreignLedger": "an export of another ledger, of which only observations are taken",
        "setAside": "count, and line and reason of the first 1,000: not taken",
        "skipped": "the same: understood, and says nothing about a status",
        "doubtful": "the same: taken though its time cannot be right",
        "accesses": "how many records report an access; uses are no decisions",
        "uses": "how many uses these make up",
        "usedWhileDenied":
            "lines, application, resource, time, status and evidence of each use that the ledger "
            + "forbids",
    ]

    let report: ImportReport
    let call: Invocation
    let name: String

    func show() {
        if call.isJSON { showJSON() } else { showText() }
    }

    private func showText() {
        let printer = call.printer
        printer.line(
            "\(report.format.rawValue): \(report.recordCount) records, \(report.addedCount) "
                + (report.isDryRun ? "would be added" : "added")
                + ", \(report.presentCount) here already, \(report.unchangedCount) unchanged, "
                + "\(report.setAside.count) set aside")
        if report.isForeignLedger {
            printer.line("an export of another ledger: its states were taken as observations")
        }
        if report.payloadCount > 0 {
            printer.line("\(report.payloadCount) missing payloads came in")
        }
        if report.forkCount > 0 { printer.line("\(report.forkCount) intervals are another branch") }
        if report.accessCount > 0 {
            printer.line(
                "\(report.accessCount) accesses in \(report.uses.count) uses: no decisions")
        }
        for use in report.usedWhileDenied {
            printer.line(
                "used while denied: \(PrintableText.make(use.use.resource)) by "
                    + "\(PrintableText.make(use.use.application)) at "
                    + "\(TimeZoneRules.utc.text(use.moment)), status \(use.status)")
        }
        remark(report.setAside, "set aside")
        remark(report.doubtful, "doubtful")
        summarize(report.skipped, "skipped")
    }

    /// What is skipped is no trouble and may be most of a file: one line a reason.
    private func summarize(_ remarks: ImportRemarks, _ what: String) {
        var reasons: [(reason: String, count: Int, line: Int)] = []
        for remark in remarks.kept {
            if let index = reasons.firstIndex(where: { $0.reason == remark.reason }) {
                reasons[index].count += 1
            } else {
                reasons.append((remark.reason, 1, remark.line))
            }
        }
        for (reason, count, line) in reasons {
            call.printer.message("\(name): \(what) \(count), first line \(line): \(reason)")
        }
        let rest = remarks.count - remarks.kept.count
        if rest > 0 { call.printer.message("\(name): \(rest) more \(what)") }
    }

    private func remark(_ remarks: ImportRemarks, _ what: String) {
        for remark in remarks.kept {
            call.printer.message("\(name):\(remark.line): \(what): \(remark.reason)")
        }
        let rest = remarks.count - remarks.kept.count
        if rest > 0 { call.printer.message("\(name): \(rest) more \(what)") }
    }

    private func showJSON() {
        call.printJSON { writer in
            writer.field("format", report.format.rawValue)
            writer.field("dryRun", report.isDryRun)
            writer.field("records", report.recordCount)
            writer.field("added", report.addedCount)
            writer.field("present", report.presentCount)
            writer.field("unchanged", report.unchangedCount)
            writer.field("payloads", report.payloadCount)
            writer.field("forks", report.forkCount)
            writer.field("foreignLedger", report.isForeignLedger)
            write("setAside", report.setAside, to: &writer)
            write("skipped", report.skipped, to: &writer)
            write("doubtful", report.doubtful, to: &writer)
            writer.field("accesses", report.accessCount)
            writer.field("uses", report.uses.count)
            writer.arrayField("usedWhileDenied") { writer in
                for use in report.usedWhileDenied { write(use, to: &writer) }
            }
        }
    }

    private func write(_ name: String, _ remarks: ImportRemarks, to writer: inout JSONWriter) {
        writer.objectField(name) { writer in
            writer.field("count", remarks.count)
            writer.arrayField("first") { writer in
                for remark in remarks.kept {
                    writer.object { writer in
                        writer.field("line", remark.line)
                        writer.field("reason", remark.reason)
                    }
                }
            }
        }
    }

    private func write(_ use: UseWhileDenied, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.arrayField("lines") { writer in
                for line in use.use.lines { writer.value(line) }
            }
            writer.field("application", use.use.application)
            writer.field("resource", use.use.resource)
            writer.field("time", TimeZoneRules.utc.text(use.moment))
            writer.field("status", use.status.description)
            writer.arrayField("evidence") { writer in
                for id in use.evidence { writer.value(id.description) }
            }
        }
    }
}

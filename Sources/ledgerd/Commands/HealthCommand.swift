internal import Ledger

/// Tells whether the daemon, or without one the ledger, can do its work.
enum HealthCommand: Command {
    static let name = "health"
    private static let answerMillisecondsMax: Int64 = 5000

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Tell whether the daemon or the ledger can do its work",
            options: [.directory],
            details: [
                "Asks the daemon that runs on the state directory; without one it opens the "
                    + "database. The code is 0 when nothing is wrong, 1 when something is, and 75 "
                    + "when a daemon runs and does not answer within 5 seconds."
            ],
            examples: ["ledgerd health || systemctl restart ledgerd"],
            jsonFields: HealthReport.fields, exitCodes: [.findings])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.directory()
        guard let client = try ControlClient.find(directory) else {
            return try call.reading { (ledger) throws(Failure) in
                let report = HealthReport(ledger, directory)
                var writer = JSONWriter()
                writer.object { writer in report.write(to: &writer) }
                show(
                    try lifted { () throws(LedgerError) in
                        try JSONReader.parse(writer.bytes, file: "report")
                    }, call)
                return report.exit
            }
        }
        let answer = try client.ask(
            Array(#"{"op":"health"}"#.utf8), milliseconds: answerMillisecondsMax)
        guard let report = answer["result"] else {
            throw Failure(.software, code: "malformed", "The daemon's answer cannot be read.")
        }
        show(report, call)
        return report["healthy"]?.truth == true ? .done : .findings
    }

    private static func show(_ report: JSONValue, _ call: Invocation) {
        guard !call.isJSON else {
            call.printer.raw(report.encoded + [0x0A])
            return
        }
        let style = call.printer.style
        let isHealthy = report["healthy"]?.truth == true
        let who = report["daemon"]?.truth == true ? "daemon" : "no daemon; database"
        let events = report["events"]?.integer.map { ", \($0) events" } ?? ""
        var line = "\(who) \(isHealthy ? style.good("healthy") : style.bad("not healthy"))\(events)"
        if let peers = report["peers"]?.integer, peers > 0 {
            line += ", \(report["peersConnected"]?.integer ?? 0) of \(peers) peers connected"
        }
        call.printer.line(line)
        for problem in report["problems"]?.elements ?? [] {
            call.printer.line(
                "  \(problem["code"]?.text ?? ""): "
                    + PrintableText.make(problem["message"]?.text ?? ""))
        }
    }
}

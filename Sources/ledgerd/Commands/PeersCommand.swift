internal import Ledger

/// Tells how the other replicas stand.
enum PeersCommand: Command {
    static let name = "peers"
    private static let answerMillisecondsMax: Int64 = 10_000
    /// How many logs or items are told of a peer in words.
    private static let listedMax = 8

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Tell who the other replicas are and how far each has come",
            options: [.directory],
            details: [
                "Asks the daemon that runs on the state directory; without one it tells only what "
                    + "is held here of each other replica's logs."
            ],
            jsonFields: PeersReport.fields)
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        if let client = try ControlClient.find(try call.directory()) {
            let answer = try client.ask(
                Array(#"{"op":"peers"}"#.utf8), milliseconds: answerMillisecondsMax)
            show(answer["result"] ?? .null, call)
            return .done
        }
        return try call.reading { (ledger) throws(Failure) in
            var writer = JSONWriter()
            try lifted { () throws(LedgerError) in
                try writer.object { (writer) throws(LedgerError) in
                    try PeersReport.write(nil, of: ledger, to: &writer)
                }
            }
            show(
                try lifted { () throws(LedgerError) in
                    try JSONReader.parse(writer.bytes, file: "report")
                }, call)
            return .done
        }
    }

    private static func show(_ report: JSONValue, _ call: Invocation) {
        guard !call.isJSON else {
            call.printer.raw(report.encoded + [0x0A])
            return
        }
        for address in report["listening"]?.elements ?? [] {
            call.printer.line("listening at \(PrintableText.make(address.text ?? ""))")
        }
        let peers = report["peers"]?.elements ?? []
        if peers.isEmpty { call.printer.line("no other replica is known") }
        for peer in peers { for line in lines(peer) { call.printer.line(line) } }
        for one in report["invited"]?.elements ?? [] {
            let name = one["name"]?.text.map { " “\(PrintableText.make($0))”" } ?? ""
            call.printer.line(
                "invited\(name), nobody came yet; until \(one["expires"]?.text ?? "") "
                    + "(\(one["id"]?.text ?? ""))")
        }
    }

    private static func lines(_ peer: JSONValue) -> [String] {
        let id = peer["peer"]?.text ?? ""
        let events = peer["events"]?.integer ?? 0
        var lines = ["\(id)", "  \(events) events held of what it wrote"]
        guard let phase = peer["phase"]?.text else { return lines }
        var contact = "  \(phase)"
        if let address = peer["address"]?.text { contact += ", at \(PrintableText.make(address))" }
        if let ago = peer["lastHeardSeconds"]?.integer {
            contact += ", last heard \(ago) seconds ago"
        } else {
            contact += ", never heard since the daemon started"
        }
        lines.append(contact)
        lines += progress(peer)
        lines.append(
            "  \(peer["eventsReceived"]?.integer ?? 0) events received, "
                + "\(peer["eventsSent"]?.integer ?? 0) sent")
        if let count = peer["setAsideCount"]?.integer, count > 0 {
            lines.append("  \(count) things set aside since it connected")
            for item in (peer["setAside"]?.elements ?? []).prefix(listedMax) {
                lines.append(
                    "    log \(item["log"]?.text ?? "?"): \(item["code"]?.text ?? ""): "
                        + PrintableText.make(item["message"]?.text ?? ""))
            }
        }
        for log in peer["forks"]?.elements ?? [] {
            lines.append("  log \(log.text ?? "") has forked; both branches are kept")
        }
        if let failure = peer["failure"] {
            lines.append(
                "  last failure: \(failure["code"]?.text ?? ""): "
                    + PrintableText.make(failure["message"]?.text ?? ""))
        }
        return lines
    }

    /// What it is known to hold of what is held here.
    private static func progress(_ peer: JSONValue) -> [String] {
        guard let lag = peer["lagEvents"]?.integer else {
            return ["  not known yet what it holds"]
        }
        guard lag > 0 else { return ["  holds all that is held here"] }
        let behind = (peer["acknowledged"]?.elements ?? []).filter {
            $0["events"]?.integer ?? 0 < $0["held"]?.integer ?? 0
        }
        var lines = ["  behind by \(lag) events, for all that is known"]
        for one in behind.prefix(listedMax) {
            lines.append(
                "    log \(one["log"]?.text ?? ""): has \(one["events"]?.integer ?? 0) of "
                    + "\(one["held"]?.integer ?? 0)")
        }
        if behind.count > listedMax { lines.append("    and others; --json lists them") }
        return lines
    }
}

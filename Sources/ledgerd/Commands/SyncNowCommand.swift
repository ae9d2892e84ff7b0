internal import Ledger

/// Has the daemon merge at once, and waits for the outcome.
enum SyncNowCommand: Command {
    static let name = "sync now"
    private static let answerMillisecondsMore: Int64 = 10_000

    static var spec: CommandSpec {
        CommandSpec(
            name: name,
            summary: "Have the daemon merge with its peers and folders now, and tell the outcome",
            options: [
                .directory,
                .value(
                    "timeout", "SECONDS",
                    "How long to wait, 0 to \(SyncNow.secondsMax); default "
                        + "\(SyncNow.secondsDefault)."),
            ],
            details: [
                "Calls every peer that is not connected, has those that are compare with this "
                    + "replica what both hold, and scans every folder. The outcome is merged; "
                    + "partial where something was set aside; failed; away for a peer that only "
                    + "calls and is not connected; timedOut where the time was up first, and then "
                    + "the merge goes on.",
                "Exits with 2 unless every outcome is merged or away.",
            ],
            jsonFields: [
                "complete": "whether every outcome is merged or away",
                "peers": "one object a peer: peer (its id), outcome, and code and message of why",
                "folders": "one object a folder: folder, outcome, code, message",
            ],
            exitCodes: [.partial])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let seconds = try seconds(call)
        let directory = try call.directory()
        guard let client = try ControlClient.find(directory) else {
            throw Failure(
                .noInput, code: "notFound",
                "No daemon runs on \(directory); start ledgerd run, or merge by sync folder or "
                    + "sync unix.")
        }
        let answer = try client.ask(
            Array(#"{"op":"sync","seconds":\#(seconds)}"#.utf8),
            milliseconds: seconds * 1000 + answerMillisecondsMore)
        let result = answer["result"] ?? .null
        if call.isJSON {
            call.printer.raw(result.encoded + [0x0A])
        } else {
            show(result["peers"]?.elements ?? [], as: "peer", call)
            show(result["folders"]?.elements ?? [], as: "folder", call)
        }
        return result["complete"]?.truth == true ? .done : .partial
    }

    private static func seconds(_ call: Invocation) throws(Failure) -> Int64 {
        guard let text = call.value("timeout") else { return SyncNow.secondsDefault }
        guard let seconds = Int64(text), (0...SyncNow.secondsMax).contains(seconds) else {
            throw .usage("--timeout must be a whole number from 0 to \(SyncNow.secondsMax).")
        }
        return seconds
    }

    private static func show(_ results: [JSONValue], as key: String, _ call: Invocation) {
        if results.isEmpty { call.printer.line("no \(key)") }
        for one in results {
            var line = "\(key) \(PrintableText.make(one[key]?.text ?? "")): "
            line += one["outcome"]?.text ?? ""
            if let message = one["message"]?.text {
                line += ": \(one["code"]?.text ?? ""): \(PrintableText.make(message))"
            }
            call.printer.line(line)
        }
    }
}

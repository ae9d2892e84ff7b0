internal import Ledger

/// Has the daemon merge at once.
enum SyncNowCommand: Command {
    static let name = "sync now"
    private static let answerMillisecondsMax: Int64 = 10_000

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Have the daemon call its peers and look into its folders now",
            options: [.directory],
            details: [
                "Returns at once; ledgerd peers tells how it went. Peers that are connected hear "
                    + "of everything as it is recorded, so this is for those that are not."
            ],
            jsonFields: [
                "peers": "how many peers are called or connected",
                "folders": "how many folders are looked into",
            ])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.directory()
        guard let client = try ControlClient.find(directory) else {
            throw Failure(
                .noInput, code: "notFound",
                "No daemon runs on \(directory); start ledgerd run, or merge by sync folder or "
                    + "sync unix.")
        }
        let answer = try client.ask(
            Array(#"{"op":"sync"}"#.utf8), milliseconds: answerMillisecondsMax)
        let result = answer["result"] ?? .null
        if call.isJSON {
            call.printer.raw(result.encoded + [0x0A])
        } else {
            call.printer.line(
                "\(result["peers"]?.integer ?? 0) peers called, "
                    + "\(result["folders"]?.integer ?? 0) folders looked into")
        }
        return .done
    }
}

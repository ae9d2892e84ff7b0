internal import Dispatch
internal import Ledger
internal import SyncEngine
internal import Synchronization

/// Merges with every member that calls on TCP.
enum ServeTCPCommand: Command {
    static let name = "serve tcp"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Listen on TCP and merge with every member that calls",
            arguments: [
                .required(
                    "ADDRESS", .text, "Where to listen: HOST:PORT; port 0 lets the system choose.")
            ],
            options: [
                .directory,
                .value(
                    "peer", "PEER", repeatable: true,
                    "A replica to call as well, and to let in: ID@HOST:PORT."),
                .flag("once", "End after one merge."),
            ],
            details: [
                "Serves until SIGTERM or SIGINT; what a peer has acknowledged is durable. Who is no "
                    + "member is told nothing."
            ],
            jsonFields: SessionOutput.fields, exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let text = try call.requiredArgument(0)
        var configuration = SyncConfiguration()
        try liftedSync { () throws(SyncError) in
            configuration.listenAddresses = [
                try SocketAddress(text.hasPrefix("tcp://") ? text : "tcp://\(text)")
            ]
            for peer in call.values("peer") { configuration.peers.append(try PeerAddress(peer)) }
        }
        return try call.writing { (ledger) throws(Failure) in
            let service = SyncService(of: ledger, configuration)
            let news = News()
            service.observe { news.add($0) }
            try liftedSync { () throws(SyncError) in try service.start() }
            defer { service.stop() }
            call.console.onTermination { news.end() }
            return try report(news, ledger, call)
        }
    }

    private static func report(
        _ news: News, _ ledger: Ledger, _ call: Invocation
    ) throws(Failure) -> ExitCode {
        // Where it cannot be had, nothing is said about clocks.
        var position = (try? ledger.lastPosition()) ?? .max
        while let event = news.next() {
            switch event {
            case .listening(let address): call.printer.message("serving at \(address)")
            case .merged(_, let report):
                let output = try SessionOutput(report, ledger, after: position, call)
                position = (try? ledger.lastPosition()) ?? .max
                if call.flag("once") { return try output.show() }
                do throws(Failure) { _ = try output.show() } catch {
                    call.printer.message(error.message)
                }
            case .disconnected(let replica, let error?):
                call.printer.message("\(replica.short): \(Failure(error).message)")
            case .refusedStranger:
                call.printer.message("Somebody called who did not prove to be a member.")
            case .invitationShown(let replica, let outcome):
                call.printer.message("\(replica.short) came with an invitation: \(outcome).")
            case .troubled(let error): call.printer.message(Failure(error).message)
            default: continue
            }
            call.printer.flush()
        }
        return .done
    }
}

/// What a service's thread tells the command's.
private final class News: Sendable {
    private let waiting = Mutex<(events: [SyncEvent], hasEnded: Bool)>(([], false))
    private let count = DispatchSemaphore(value: 0)

    func add(_ event: SyncEvent) {
        waiting.withLock { $0.events.append(event) }
        count.signal()
    }

    func end() {
        waiting.withLock { $0.hasEnded = true }
        count.signal()
    }

    /// Waits for the next event; nil at the end.
    func next() -> SyncEvent? {
        while true {
            count.wait()
            let (event, hasEnded) = waiting.withLock { waiting in
                (waiting.events.isEmpty ? nil : waiting.events.removeFirst(), waiting.hasEnded)
            }
            if let event { return event }
            if hasEnded { return nil }
        }
    }
}

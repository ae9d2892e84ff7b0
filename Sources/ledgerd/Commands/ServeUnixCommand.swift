internal import Ledger
internal import SyncEngine

/// Merges with everyone who connects to a Unix socket.
enum ServeUnixCommand: Command {
    static let name = "serve unix"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Serve a Unix socket and merge with everyone who connects",
            arguments: [
                .required("PATH", .file, "The socket to make, for this user alone (mode 0600).")
            ],
            options: [
                .directory, .flag("once", "End after one peer."),
                .value(
                    "wait", "TIME", "With --once: end when nobody came in this time, such as 30s."),
            ],
            details: [
                "Serves until SIGTERM or SIGINT; what a peer has acknowledged is durable. A socket "
                    + "that a dead process left behind is replaced."
            ],
            jsonFields: SessionOutput.fields, exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let path = try call.requiredArgument(0)
        let wait = try call.parsed("wait", as: Duration.form, Duration.parse)
        return try call.writing { (ledger) throws(Failure) in
            let listener = try liftedSync { () throws(SyncError) in
                try UnixSocketListener(path, of: ledger)
            }
            defer { listener.close() }
            call.console.onTermination { listener.stop() }
            call.printer.message("serving at \(path)")
            guard call.flag("once") else {
                try serve(listener, ledger, call)
                return .done
            }
            let position = try lifted { () throws(LedgerError) in try ledger.lastPosition() }
            let report = try liftedSync { () throws(SyncError) in
                try listener.serveOne(waitingMilliseconds: wait.map { Int32(clamping: $0) } ?? -1)
            }
            guard let report else {
                throw Failure(.busy, code: "timedOut", "Nobody connected in time.")
            }
            return try SessionOutput(report, ledger, after: position, call).show()
        }
    }

    private static func serve(
        _ listener: UnixSocketListener, _ ledger: Ledger, _ call: Invocation
    ) throws(Failure) {
        while true {
            do {
                // Where it cannot be had, nothing is said about clocks.
                let position = (try? ledger.lastPosition()) ?? .max
                guard let report = try listener.serveOne() else { return }
                _ = try SessionOutput(report, ledger, after: position, call).show()
            } catch let error as SyncError {
                // One peer's failure is no reason to leave the others waiting.
                call.printer.message(Failure(error).message)
            } catch let error as Failure {
                call.printer.message(error.message)
            } catch {
                call.printer.message("\(error)")
            }
            call.printer.flush()
        }
    }
}

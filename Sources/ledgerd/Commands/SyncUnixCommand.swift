internal import Ledger
internal import SyncEngine

/// Merges once with a process that serves a Unix socket.
enum SyncUnixCommand: Command {
    static let name = "sync unix"

    static var spec: CommandSpec {
        CommandSpec(
            name: name,
            summary: "Merge both ways with a process that serves a Unix socket, and end",
            arguments: [.required("PATH", .file, "The socket.")],
            options: [.directory],
            details: [
                "The other side runs ledgerd serve unix PATH as the same user. The code is 2 when "
                    + "something was set aside or the two were not in sync at the end."
            ],
            jsonFields: SessionOutput.fields, exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let path = try call.requiredArgument(0)
        return try call.writing { (ledger) throws(Failure) in
            let position = try lifted { () throws(LedgerError) in try ledger.lastPosition() }
            let report = try liftedSync { () throws(SyncError) in
                try UnixSocketSync(path, of: ledger).sync()
            }
            return try SessionOutput(report, ledger, after: position, call).show()
        }
    }
}

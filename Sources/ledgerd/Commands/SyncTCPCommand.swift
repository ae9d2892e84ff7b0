internal import Ledger
internal import SyncEngine

/// Merges once with a replica that listens on TCP.
enum SyncTCPCommand: Command {
    static let name = "sync tcp"

    static var spec: CommandSpec {
        CommandSpec(
            name: name,
            summary: "Merge both ways with a replica that listens on TCP, and end",
            arguments: [
                .required("PEER", .text, "The replica and where it listens: ID@HOST:PORT.")
            ],
            options: [.directory],
            details: [
                "The other side runs ledgerd serve tcp and takes this replica for a member. Both "
                    + "prove their key by TLS 1.3. The code is 2 when something was set aside or "
                    + "the two were not in sync at the end."
            ],
            jsonFields: SessionOutput.fields, exitCodes: [.partial, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let text = try call.requiredArgument(0)
        let peer = try liftedSync { () throws(SyncError) in try PeerAddress(text) }
        return try call.writing { (ledger) throws(Failure) in
            let position = try lifted { () throws(LedgerError) in try ledger.lastPosition() }
            let report = try liftedSync { () throws(SyncError) in
                try TCPSync(peer, of: ledger).sync()
            }
            return try SessionOutput(report, ledger, after: position, call).show()
        }
    }
}

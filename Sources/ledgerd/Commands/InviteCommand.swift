internal import Ledger

/// Prints what another device needs to join.
enum InviteCommand: Command {
    static let name = "invite"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Print the string with which another device joins the ledger",
            options: [.directory],
            details: [
                "Whoever reads the string can read the ledger: hand it over in person, or "
                    + "through a channel that both of you trust. What the new replica writes is "
                    + "taken once a member admits it: ledgerd members add."
            ],
            jsonFields: [
                "invitation": "the string for ledgerd join", "ledger": "the ledger's id",
                "inviter": "this replica's id",
            ],
            exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        try call.reading { (ledger) throws(Failure) in
            let invitation = try lifted { () throws(LedgerError) in try ledger.invitation() }
            if call.isJSON {
                call.printJSON { writer in
                    writer.field("invitation", invitation.text)
                    writer.field("ledger", invitation.ledger.description)
                    writer.field("inviter", invitation.inviter.description)
                }
            } else {
                call.printer.line(invitation.text)
            }
            return .done
        }
    }
}

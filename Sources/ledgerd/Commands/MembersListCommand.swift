internal import Ledger

/// Shows who belongs to the ledger.
enum MembersListCommand: Command {
    static let name = "members list"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "List the replicas of the ledger and what each of them is",
            options: [.directory, TimeOptions.zone],
            details: [
                "founder made the ledger; member was admitted; removed was removed, and grants "
                    + "beyond what was known of it then do not count; known was admitted by "
                    + "somebody who no longer could; unknown was not admitted. Below them stand "
                    + "strangers, replicas that nobody admitted and whose logs were offered, and the "
                    + "invitations of this replica that nobody came with yet."
            ],
            examples: ["ledgerd members list --json"],
            jsonFields: MemberOutput.fields)
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        return try call.asMember { (ledger) throws(Failure) in
            let (members, strangers, invited) = try lifted { () throws(LedgerError) in
                (try ledger.members(), try ledger.strangers(), try ledger.invitations())
            }
            let output = MemberOutput(ledger: ledger, zone: zone, call: call)
            output.show(members, strangers, invited.filter { $0.state == .waiting })
            return .done
        }
    }
}

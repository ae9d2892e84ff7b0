internal import Ledger

/// Removes a replica.
enum MembersRemoveCommand: Command {
    static let name = "members remove"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Remove a replica, such as a lost or stolen device",
            arguments: [.required("REPLICA", .text, MemberArgument.form)],
            options: [.directory],
            details: [
                "What is here of its log goes on counting: merge first with whoever heard of it "
                    + "last. Of anything else it wrote or will write, only denials and "
                    + "restrictions count, and nobody it admits becomes a member. Only the "
                    + "recovery key brings it back."
            ],
            examples: ["ledgerd members remove tablet"],
            jsonFields: MemberOutput.changeFields, exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let text = try call.requiredArgument(0)
        return try call.writing { (ledger) throws(Failure) in
            let replica = try MemberArgument.find(text, ledger)
            let receipt = try lifted { () throws(LedgerError) in try ledger.remove(replica) }
            try MemberOutput.showChange(
                receipt, of: replica, done: "removed", before: "was removed already", ledger, call)
            return .done
        }
    }
}

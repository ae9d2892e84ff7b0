internal import Ledger

/// Gives a member another name.
enum MembersRenameCommand: Command {
    static let name = "members rename"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Give a member another name",
            arguments: [
                .required("REPLICA", .text, MemberArgument.form),
                .required("NAME", .text, "What people call it from now on."),
            ],
            options: [.directory],
            examples: ["ledgerd members rename 4f7q \"Ada's tablet\""],
            jsonFields: MemberOutput.changeFields, exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let text = try call.requiredArgument(0)
        let name = try call.requiredArgument(1)
        return try call.writing { (ledger) throws(Failure) in
            let replica = try MemberArgument.find(text, ledger)
            let receipt = try lifted { () throws(LedgerError) in
                try ledger.rename(replica, name: name)
            }
            try MemberOutput.showChange(
                receipt, of: replica, done: "renamed", before: "has that name already", ledger, call
            )
            return .done
        }
    }
}

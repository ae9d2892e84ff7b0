internal import Ledger

/// Admits a replica.
enum MembersAddCommand: Command {
    static let name = "members add"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Admit a replica, so that its log is taken from now on",
            arguments: [
                .required(
                    "REPLICA", .text,
                    "Its id, as ledgerd join and ledgerd id print it there; of one whose log was "
                        + "offered already, any unique beginning.")
            ],
            options: [
                .directory, .value("name", "NAME", "What people call it."),
                .value(
                    "recovery-key", "FILE", kind: .file,
                    "Admit it with the recovery key in this file (- for standard input): brings "
                        + "back a removed replica, and needs no member."),
            ],
            details: [
                "With the recovery key, the removals that are known here are overruled, and all "
                    + "the replica wrote counts again."
            ],
            examples: [
                "ledgerd members add 4f7q…wa2 --name tablet",
                "ledgerd members add tablet --recovery-key /media/stick/recovery.txt",
            ],
            jsonFields: MemberOutput.changeFields, exitCodes: [.conflict, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let text = try call.requiredArgument(0)
        let key = try recoveryKey(call)
        return try call.writing { (ledger) throws(Failure) in
            let replica = try MemberArgument.find(text, ledger, mayBeNew: true)
            let receipt = try lifted { () throws(LedgerError) in
                if let key {
                    return try ledger.admit(replica, name: call.value("name"), with: key)
                }
                return try ledger.admit(replica, name: call.value("name"))
            }
            try MemberOutput.showChange(
                receipt, of: replica, done: "admitted", before: "is a member already", ledger, call)
            return .done
        }
    }

    private static func recoveryKey(_ call: Invocation) throws(Failure) -> RecoveryKey? {
        guard let path = call.value("recovery-key") else { return nil }
        let bytes = try InputFile.read(path, bytesMax: 4096, call.console)
        return try lifted(at: path) { () throws(LedgerError) in
            try RecoveryKey(String(decoding: bytes, as: UTF8.self))
        }
    }
}

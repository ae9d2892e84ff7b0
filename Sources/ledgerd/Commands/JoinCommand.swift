internal import Ledger
internal import SyncEngine

/// Makes a new replica of a ledger, and has it admitted.
enum JoinCommand: Command {
    static let name = "join"
    /// How far this machine's clock may be off before it is believed about an expiry.
    private static let clockMilliseconds: Int64 = 300_000

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Join the ledger that an invitation names, as a new replica",
            arguments: [
                .required(
                    "STRING", .text,
                    "What ledgerd invite printed; - reads it from standard input, where other "
                        + "users of the machine cannot see it.")
            ],
            options: [
                .directory,
                .flag(
                    "allow-synced-folder", "Make it even where a sync program copies the folder."),
                .value(
                    "folder", "PATH", kind: .directory,
                    "Ask through this drop folder, which the inviter merges through as well."),
            ],
            details: [
                "Calls the inviter at the addresses in the string, is admitted and merges. What "
                    + "broke off is taken up again by the same command.",
                "With --folder, or ledgerd sync folder later, the request lies in the folder until "
                    + "the inviter has merged through it and this replica has after that; only the "
                    + "inviter can read it. Or ledgerd members add with the id that is printed here "
                    + "admits it.",
            ],
            examples: ["ledgerd join - < invitation.txt"],
            jsonFields: [
                "ledger": "the ledger's id", "replica": "the new replica's id",
                "directory": "where it lives", "isMember": "whether it was admitted",
                "eventsReceived": "events that came from the inviter, or out of the folder",
                "isAsking": "with --folder: whether the inviter has not answered yet",
            ],
            exitCodes: [.partial, .cannotCreate, .conflict])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let directory = try call.newDirectory()
        let path = try call.value("folder").map { (path) throws(Failure) in
            guard !SyncedFolder.overlap(path, directory) else {
                throw call.usage(
                    "the folder and the ledger's state directory must not lie in each other")
            }
            return path
        }
        let text = try invitationText(call)
        let invitation = try lifted { () throws(LedgerError) in try Invitation(text) }
        if let expires = invitation.expires, call.now > expires + clockMilliseconds {
            throw Failure(
                .data, code: SyncError.Code.invitationExpired.description,
                "The invitation expired at \(TimeZoneRules.utc.text(expires)), by this machine's "
                    + "clock; ask for a new one.")
        }
        let ledger = try open(invitation, directory, call)
        let outcome: Result<Joined, Failure>
        do throws(Failure) {
            outcome = .success(try join(invitation, ledger, path))
        } catch { outcome = .failure(error) }
        let exit = show(outcome, ledger, invitation, directory, call)
        try lifted { () throws(LedgerError) in try ledger.close() }
        if case .failure(let failure) = outcome { throw failure }
        return exit
    }

    /// A new replica, or the one of an attempt that broke off.
    private static func open(
        _ invitation: Invitation, _ directory: String, _ call: Invocation
    ) throws(Failure) -> Ledger {
        do throws(LedgerError) {
            return try Ledger.join(
                invitation, at: directory, environment: call.console.ledgerEnvironment)
        } catch {
            guard error.code == .exists else { throw Failure(error) }
            let ledger = try call.open(directory, .readWrite)
            guard ledger.id == invitation.ledger, ledger.replica != invitation.inviter else {
                throw Failure(error)
            }
            try lifted { () throws(LedgerError) in try ledger.take(invitation) }
            return ledger
        }
    }

    /// What came of it.
    private struct Joined {
        var report: SyncReport?
        var folder: FolderReport?
        var eventsReceived: Int? { report?.eventsReceived ?? folder?.eventsImported }
        var isComplete: Bool { report?.isInSync ?? folder?.isComplete ?? true }
    }

    private static func join(
        _ invitation: Invitation, _ ledger: Ledger, _ path: String?
    ) throws(Failure) -> Joined {
        var joined = Joined()
        if let path {
            let report = try liftedSync { () throws(SyncError) in
                try DropFolder(path, of: ledger).sync()
            }
            if let failure = report.joinFailure { throw Failure(failure) }
            joined.folder = report
        } else if invitation.expires != nil, !invitation.addresses.isEmpty {
            joined.report = try liftedSync { () throws(SyncError) in
                try JoinCall(invitation, of: ledger).run()
            }
        }
        return joined
    }

    private static func show(
        _ outcome: Result<Joined, Failure>, _ ledger: Ledger, _ invitation: Invitation,
        _ directory: String, _ call: Invocation
    ) -> ExitCode {
        let joined = try? outcome.get()
        let standing = ledger.replica.flatMap { try? ledger.standing(of: $0) }
        let isMember = standing == .member || standing == .founder
        if call.isJSON {
            call.printJSON { writer in
                writer.field("ledger", ledger.id.description)
                writer.field("replica", ifPresent: ledger.replica?.description)
                writer.field("directory", directory)
                writer.field("isMember", isMember)
                if let count = joined?.eventsReceived { writer.field("eventsReceived", count) }
                if let folder = joined?.folder { writer.field("isAsking", folder.isAsking) }
            }
        } else {
            call.printer.line("ledger     \(ledger.id)")
            if let replica = ledger.replica { call.printer.line("replica    \(replica)") }
            call.printer.line("directory  \(directory)")
            if isMember, let count = joined?.eventsReceived {
                call.printer.line(
                    "member     admitted by \(invitation.inviter.short), \(count) events received")
            }
        }
        if isMember { return joined?.isComplete ?? true ? .done : .partial }
        if let folder = joined?.folder {
            SyncFolderCommand.showLetters(folder, call)
        } else if let replica = ledger.replica {
            var ways = ""
            if invitation.expires != nil, !isVerdict(outcome) {
                ways =
                    invitation.addresses.isEmpty
                    ? "Ask through a folder that the inviter merges through, with ledgerd sync "
                        + "folder PATH; or on " : "Try the same command again; or on "
            }
            call.printer.message(
                "Not a member yet. \(ways.isEmpty ? "On " : ways)the inviting device: ledgerd "
                    + "members add \(replica)")
        }
        return .done
    }

    /// Whether the inviter said that the invitation is not good: trying again is no use.
    private static func isVerdict(_ outcome: Result<Joined, Failure>) -> Bool {
        guard case .failure(let failure) = outcome else { return false }
        let verdicts: [SyncError.Code] = [
            .invitationUsed, .invitationExpired, .invitationRevoked,
        ]
        return verdicts.contains { $0.description == failure.code }
    }

    private static func invitationText(_ call: Invocation) throws(Failure) -> String {
        let argument = try call.requiredArgument(0)
        guard argument == "-" else { return argument }
        let bytes = try InputFile.read("-", bytesMax: 8192, call.console)
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.split { $0.isWhitespace }.first ?? "")
    }
}

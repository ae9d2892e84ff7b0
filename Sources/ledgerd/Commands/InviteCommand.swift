internal import Ledger
internal import SyncEngine

/// Prints what another device needs to join.
enum InviteCommand: Command {
    static let name = "invite"
    private static let answerMillisecondsMax: Int64 = 10_000
    private static let millisecondsDefault: Int64 = 86_400_000

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Print the string with which one other device joins the ledger",
            options: [
                .directory, .value("name", "NAME", "What the device will be called here."),
                .value(
                    "expires", "TIME",
                    "How long the string is good for, such as 30m; 24h if not given."),
                .value(
                    "address", "HOST:PORT", repeatable: true,
                    "Where this replica can be reached; else where its daemon listens."),
                .value(
                    "config", "FILE", kind: .file,
                    "The daemon's configuration, whose addresses count where no daemon runs."),
                .flag("qr", "Draw a QR code of the string as well."),
                .flag("list", "Show the invitations of this replica, and what became of them."),
                .value(
                    "revoke", "ID",
                    "Make an invitation that is waiting good for nothing: its id, the beginning of "
                        + "it, or its name."), TimeOptions.zone,
            ],
            details: [
                "Whoever comes with the string first becomes a member, and whoever reads it can read "
                    + "the ledger: hand it over in person, or through a channel that both of you "
                    + "trust. Only this replica admits with it, once, until it expires: over a "
                    + "socket while ledgerd run or serve tcp runs here, or when it next merges "
                    + "through the folder that the other device uses.",
                "Restoring, copying or moving this replica's state revokes what is waiting.",
            ],
            examples: [
                "ledgerd invite --name tablet --address phone.example:7777 --qr",
                "ledgerd invite --list", "ledgerd invite --revoke tablet",
            ],
            jsonFields: [
                "invitation": "the string for ledgerd join", "id": "by which it is revoked",
                "ledger": "the ledger's id", "inviter": "this replica's id",
                "name": "what the device will be called", "expires": "when it expires",
                "addresses": "where the string leads to; empty for a folder alone",
                "invitations": "with --list, an object each: id, name, created, expires, state "
                    + "(waiting, used, expired, revoked), replica (who came with it)",
                "revoked": "with --revoke: whether it was waiting until now",
            ],
            exitCodes: [.partial, .noInput, .noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        let making = ["name", "expires", "address", "config"].first { call.value($0) != nil }
        if call.flag("list") || call.value("revoke") != nil {
            guard making == nil, !call.flag("qr"),
                !(call.flag("list") && call.value("revoke") != nil)
            else { throw call.usage("--list and --revoke stand alone") }
        }
        if call.flag("list") {
            return try call.asMember { (ledger) throws(Failure) in
                let all = try lifted { () throws(LedgerError) in try ledger.invitations() }
                InvitationOutput(zone: zone, call: call).show(all)
                return .done
            }
        }
        if let text = call.value("revoke") {
            return try call.writing { (ledger) throws(Failure) in try revoke(text, ledger, call) }
        }
        let milliseconds =
            try call.parsed("expires", as: Duration.form, Duration.parse) ?? millisecondsDefault
        let addresses = try addresses(call)
        return try call.writing { (ledger) throws(Failure) in
            let invitation = try lifted { () throws(LedgerError) in
                try ledger.invite(
                    name: call.value("name"), milliseconds: milliseconds, addresses: addresses)
            }
            return try InvitationOutput(zone: zone, call: call).show(invitation)
        }
    }

    private static func revoke(
        _ text: String, _ ledger: Ledger, _ call: Invocation
    ) throws(Failure) -> ExitCode {
        let all = try lifted { () throws(LedgerError) in try ledger.invitations() }
        let named = all.filter { $0.name == text && $0.state == .waiting }
        let found =
            named.isEmpty && !text.isEmpty
            ? all.filter { $0.id.hasPrefix(text.lowercased()) } : named
        guard let only = found.first else {
            throw Failure(
                .noInput, code: "notFound",
                "No invitation has this id, and none that is waiting has this name. "
                    + "Try: ledgerd invite --list")
        }
        guard found.count == 1 else {
            throw .data("\(found.count) invitations fit; give the id.")
        }
        let wasWaiting = try lifted { () throws(LedgerError) in
            try ledger.revokeInvitation(only.id)
        }
        if call.isJSON {
            call.printJSON { writer in
                writer.field("id", only.id)
                writer.field("revoked", wasWaiting)
            }
        } else {
            call.printer.line(
                wasWaiting ? "\(only.id) revoked" : "\(only.id) was \(only.state) already")
        }
        return .done
    }

    // MARK: Addresses

    /// Those given, else where the daemon listens, else where its configuration says.
    private static func addresses(_ call: Invocation) throws(Failure) -> [String] {
        var given: [String] = []
        for text in call.values("address") {
            let bare = text.hasPrefix("tcp://") ? String(text.dropFirst(6)) : text
            let address = try liftedSync { () throws(SyncError) in
                try SocketAddress("tcp://\(bare)")
            }
            guard address.port != 0 else { throw call.usage("--address needs a port") }
            given.append(bare)
        }
        guard given.isEmpty else { return given }
        var listening: [SocketAddress] = []
        if let client = try ControlClient.find(try call.directory()) {
            let answer = try client.ask(
                Array(#"{"op":"peers"}"#.utf8), milliseconds: answerMillisecondsMax)
            for text in answer["result"]?["listening"]?.elements ?? [] {
                if let address = text.text.flatMap({ try? SocketAddress($0) }) {
                    listening.append(address)
                }
            }
        } else if let path = call.value("config") {
            listening = try DaemonConfig(file: path, call.console).listen
        }
        let found = listening.flatMap(\.reachable)
        return Array(found.prefix(Invitation.addressesMax))
    }
}

internal import Ledger

/// Members as text and as JSON.
struct MemberOutput {
    /// The members of the list's JSON, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "members": "replica, name, standing (founder, member, removed, known, unknown), isFounder, "
            + "isSelf, lacksFolderKey, admittedBy, since, and removals: event, by, at, overruled, and points of "
            + "log, size and root",
        "strangers": "replica, logs, events, lastOffered: offered here and not taken, since "
            + "nobody admitted the author",
        "invited": "id, name, state, created, expires of invitations that nobody came with yet",
    ]
    static let changeFields: KeyValuePairs<String, String> = [
        "replica": "the replica's id", "standing": "what it is now",
        "name": "its name; absent where it has none", "event": "the id of the event that says so",
        "isNew": "false when nothing had to be recorded",
    ]

    let ledger: Ledger
    let zone: TimeZoneRules
    let call: Invocation

    func show(
        _ members: [Member], _ strangers: [Stranger], _ invited: [IssuedInvitation]
    ) {
        let invitations = InvitationOutput(zone: zone, call: call)
        if call.isJSON {
            call.printJSON { writer in
                writer.arrayField("members") { writer in
                    for member in members { write(member, to: &writer) }
                }
                writer.arrayField("strangers") { writer in
                    for stranger in strangers { write(stranger, to: &writer) }
                }
                writer.arrayField("invited") { writer in
                    for one in invited { invitations.write(one, to: &writer) }
                }
            }
            return
        }
        for member in members { show(member, among: members) }
        for stranger in strangers {
            call.printer.line(
                "\(stranger.replica)  \(call.printer.style.bad("stranger"))  "
                    + "\(stranger.eventCount) events offered and not taken, last "
                    + zone.text(stranger.lastOffered))
        }
        for one in invited { call.printer.line("invited  \(invitations.line(one))") }
    }

    private func show(_ member: Member, among members: [Member]) {
        let style = call.printer.style
        let isIn = member.standing == .founder || member.standing == .member
        let standing = member.standing.description
        var words = ["\(member.replica)", isIn ? style.good(standing) : style.bad(standing)]
        if let name = member.name { words.append("“\(PrintableText.make(name))”") }
        if member.replica == ledger.replica { words.append("(this one)") }
        if let since = member.since { words.append("since \(zone.text(since.milliseconds))") }
        if let admitter = member.admittedBy { words.append("by \(name(admitter, members))") }
        if member.lacksFolderKey { words.append("(no folder key yet: its log is not here)") }
        call.printer.line(words.joined(separator: "  "))
        for removal in member.removals {
            let points = removal.points.map { "\($0.log.short) up to \($0.size)" }
            call.printer.line(
                "    removed \(zone.text(removal.timestamp.milliseconds)) by "
                    + name(removal.author, members)
                    + (points.isEmpty
                        ? ", nothing known" : ", known: \(points.joined(separator: ", "))")
                    + (removal.isOverruled ? " (overruled)" : ""))
        }
    }

    private func name(_ replica: ReplicaID, _ members: [Member]) -> String {
        guard let member = members.first(where: { $0.replica == replica }) else {
            return "the recovery key"
        }
        return member.name.map { "“\(PrintableText.make($0))”" } ?? replica.short
    }

    private func write(_ member: Member, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("replica", member.replica.description)
            writer.field("name", ifPresent: member.name)
            writer.field("standing", member.standing.description)
            writer.field("isFounder", member.isFounder)
            writer.field("isSelf", member.replica == ledger.replica)
            writer.field("lacksFolderKey", member.lacksFolderKey)
            writer.field("admittedBy", ifPresent: member.admittedBy?.description)
            writer.field("since", ifPresent: member.since.map { zone.text($0.milliseconds) })
            guard !member.removals.isEmpty else { return }
            writer.arrayField("removals") { writer in
                for removal in member.removals { write(removal, to: &writer) }
            }
        }
    }

    private func write(_ removal: Member.Removal, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", removal.event.description)
            writer.field("by", removal.author.description)
            writer.field("at", zone.text(removal.timestamp.milliseconds))
            writer.field("overruled", removal.isOverruled)
            writer.arrayField("points") { writer in
                for point in removal.points {
                    writer.object { writer in
                        writer.field("log", point.log.description)
                        writer.field("size", Int(clamping: point.size))
                        writer.field("root", Base32.encode(point.root.bytes))
                    }
                }
            }
        }
    }

    private func write(_ stranger: Stranger, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("replica", stranger.replica.description)
            writer.field("logs", stranger.logCount)
            writer.field("events", Int(clamping: stranger.eventCount))
            writer.field("lastOffered", zone.text(stranger.lastOffered))
        }
    }

    /// Says what became of one member.
    static func showChange(
        _ receipt: Receipt, of replica: ReplicaID, done: String, before: String, _ ledger: Ledger,
        _ call: Invocation
    ) throws(Failure) {
        let members = try lifted { () throws(LedgerError) in try ledger.members() }
        let member = members.first { $0.replica == replica }
        if call.isJSON {
            call.printJSON { writer in
                writer.field("replica", replica.description)
                writer.field("standing", (member?.standing ?? .unknown).description)
                writer.field("name", ifPresent: member?.name)
                writer.field("event", receipt.event.id.description)
                writer.field("isNew", receipt.isNew)
            }
            return
        }
        let name = member?.name.map { "“\(PrintableText.make($0))” " } ?? ""
        call.printer.line("\(name)\(replica) \(receipt.isNew ? done : before)")
    }
}

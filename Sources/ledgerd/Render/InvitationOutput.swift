internal import Ledger

/// Invitations as text, as JSON and as a QR code.
struct InvitationOutput {
    let zone: TimeZoneRules
    let call: Invocation

    /// Shows a new one.
    ///
    /// - Returns: `partial` where a QR code was asked for and cannot be drawn.
    func show(_ invitation: Invitation) throws(Failure) -> ExitCode {
        if call.isJSON {
            call.printJSON { writer in
                writer.field("invitation", invitation.text)
                writer.field("id", ifPresent: invitation.id)
                writer.field("ledger", invitation.ledger.description)
                writer.field("inviter", invitation.inviter.description)
                writer.field("name", ifPresent: call.value("name"))
                writer.field("expires", ifPresent: invitation.expires.map(zone.text))
                writer.arrayField("addresses") { writer in
                    for address in invitation.addresses { writer.value(address) }
                }
            }
        } else {
            call.printer.line(invitation.text)
        }
        if let expires = invitation.expires {
            let ways =
                invitation.addresses.isEmpty
                ? "It names no address, so it is good for a shared folder alone; give --address, or "
                    + "run the daemon first, for a device that shall connect."
                : "It leads to \(invitation.addresses.joined(separator: ", "))."
            call.printer.message("Good for one device until \(zone.text(expires)). \(ways)")
        }
        guard call.flag("qr") else { return .done }
        guard !call.isJSON else {
            call.printer.message("--qr draws nothing with --json.")
            return .partial
        }
        // Upper case takes a third less room in the code, and is read the same.
        return try QRDrawing.show(invitation.text.uppercased(), call)
    }

    func show(_ all: [IssuedInvitation]) {
        if call.isJSON {
            call.printJSON { writer in
                writer.arrayField("invitations") { writer in
                    for invited in all { write(invited, to: &writer) }
                }
            }
            return
        }
        for invited in all { call.printer.line(line(invited)) }
    }

    func line(_ invited: IssuedInvitation) -> String {
        let style = call.printer.style
        let state = invited.state.description
        var words = [invited.id]
        words.append(invited.state == .waiting ? style.open(state) : state)
        if let name = invited.name { words.append("“\(PrintableText.make(name))”") }
        let verb = invited.state == .expired ? "expired" : "until"
        words.append("\(verb) \(zone.text(invited.expires))")
        if let replica = invited.replica { words.append("by \(replica)") }
        return words.joined(separator: "  ")
    }

    func write(_ invited: IssuedInvitation, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", invited.id)
            writer.field("name", ifPresent: invited.name)
            writer.field("state", invited.state.description)
            writer.field("created", zone.text(invited.created))
            writer.field("expires", zone.text(invited.expires))
            writer.field("replica", ifPresent: invited.replica?.description)
        }
    }
}

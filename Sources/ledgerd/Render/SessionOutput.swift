internal import Ledger
internal import SyncEngine

/// What one session with a peer did, as text and as JSON.
struct SessionOutput {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "peer": "the other side's replica id; absent where it has no key of its own",
        "inSync": "whether both sides' stored state was compared and is equal",
        "peerIsCopy": "the peer runs under this replica's own id: one of the two is a copy",
        "eventsReceived": "events that were new here",
        "eventsSent": "events that were new at the peer, as it acknowledged them",
        "bytesReceived": "bytes that came", "bytesSent": "bytes that left",
        "rounds": "how often tips were exchanged; 0 when both were equal from the start",
        "forks": "logs of which more than one chain is held",
        "clocksAhead": AheadClocks.meaning,
        "setAsideCount": "how many things were not taken",
        "setAside": "code, message and log of the first 1,000",
        "refusedByPeer": "the same for what the peer did not take",
        "failure": "code and message where the session broke off; it resumes the next time",
    ]

    let report: SyncReport
    let ahead: AheadClocks
    let call: Invocation

    // `position` is the ledger's last one before the session.
    init(
        _ report: SyncReport, _ ledger: Ledger, after position: Int64, _ call: Invocation
    ) throws(Failure) {
        self.report = report
        self.call = call
        ahead = try AheadClocks(ledger, after: position, call)
    }

    /// Prints the report.
    ///
    /// - Returns: `done`, or `partial` where the two are not equal or something was set aside.
    /// - Throws: what broke the session off.
    func show() throws(Failure) -> ExitCode {
        if call.isJSON { showJSON() } else { showText() }
        if let failure = report.failure { throw Failure(failure) }
        return report.isInSync && report.setAsideCount == 0 ? .done : .partial
    }

    private func showText() {
        let style = call.printer.style
        let state = report.isInSync ? style.good("in sync") : style.bad("not in sync")
        let peer = report.peer.map { " with \($0.short)" } ?? ""
        call.printer.line(
            "\(state)\(peer): \(report.eventsReceived) events received, "
                + "\(report.eventsSent) sent")
        if report.peerIsCopy {
            call.printer.message(
                "The peer has this replica's own id: one of the two is a copy. Let only one go on.")
        }
        SyncOutput.show(forks: report.forks, report.setAside, report.setAsideCount, call)
        ahead.show(call)
        for item in report.refusedByPeer {
            call.printer.message("the peer refused: \(PrintableText.make(item.description))")
        }
    }

    private func showJSON() {
        call.printJSON { writer in
            writer.field("peer", ifPresent: report.peer?.description)
            writer.field("inSync", report.isInSync)
            writer.field("peerIsCopy", report.peerIsCopy)
            writer.field("eventsReceived", report.eventsReceived)
            writer.field("eventsSent", report.eventsSent)
            writer.field("bytesReceived", report.bytesReceived)
            writer.field("bytesSent", report.bytesSent)
            writer.field("rounds", report.rounds)
            SyncOutput.write(forks: report.forks, to: &writer)
            ahead.write(to: &writer)
            SyncOutput.write(
                "setAside", report.setAside, count: report.setAsideCount, to: &writer)
            SyncOutput.write(
                "refusedByPeer", report.refusedByPeer, count: report.refusedByPeer.count,
                to: &writer)
            guard let failure = report.failure else { return }
            writer.objectField("failure") { writer in
                writer.field("code", failure.code.description)
                writer.field("message", failure.message)
            }
        }
    }
}

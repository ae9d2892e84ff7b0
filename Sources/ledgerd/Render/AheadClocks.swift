internal import Ledger

/// Logs that were written with a clock ahead of this machine's, told after a merge: their events
/// are taken, and people should know why the times look odd.
struct AheadClocks {
    /// The member, for help and the manual.
    static let meaning =
        "logs among what is new whose writer's clock was more than 5 minutes ahead: log, its "
        + "newest time, and here, the time of this machine"
    private static let toleranceMilliseconds: Int64 = 5 * 60 * 1000

    private let newest: [(log: LogID, time: Int64)]
    private let here: Int64

    /// Looks through what arrived after a position.
    init(_ ledger: Ledger, after position: Int64, _ call: Invocation) throws(Failure) {
        here = call.now
        var filter = HistoryFilter()
        filter.afterPosition = position
        filter.since = here + Self.toleranceMilliseconds + 1
        var times: [LogID: Int64] = [:]
        try lifted { () throws(LedgerError) in
            try ledger.history(filter) { entry in
                let header = entry.event.header
                times[header.log] = max(times[header.log] ?? 0, header.timestamp.milliseconds)
                return true
            }
        }
        newest = times.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    func show(_ call: Invocation) {
        for (log, time) in newest {
            call.printer.message(
                "log \(log) was written with a clock that is ahead: its newest event says "
                    + "\(TimeZoneRules.utc.text(time)), this machine's clock says "
                    + "\(TimeZoneRules.utc.text(here)). Its events are taken; set the wrong clock.")
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.arrayField("clocksAhead") { writer in
            for (log, time) in newest {
                writer.object { writer in
                    writer.field("log", log.description)
                    writer.field("newest", TimeZoneRules.utc.text(time))
                    writer.field("here", TimeZoneRules.utc.text(here))
                }
            }
        }
    }
}

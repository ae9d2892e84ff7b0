internal import Ledger

/// Shows logs with more than one past.
enum ForksCommand: Command {
    static let name = "forks"

    static var spec: CommandSpec {
        CommandSpec(
            name: name,
            summary: "Show logs that went on twice, since a replica was copied or rolled back",
            options: [.directory, TimeOptions.zone],
            details: [
                "The events of all branches are kept and count; nothing has to be repaired. A "
                    + "replica that sees its own log forked goes on in a new one: then the fork is "
                    + "healed. One that is not healed ends with exit code 1: merge with that "
                    + "replica, or look for a copy of it that still runs."
            ],
            jsonFields: [
                "forks":
                    "one object per forked log: log, author, sharedSize (how many events all "
                    + "branches share), since, healed, branches",
                "branches":
                    "one object each: size, root, sharedSize, firstEvent, firstAt, arrivedAt "
                    + "(absent for one written here), continuedIn (logs its writer went on in)",
            ],
            exitCodes: [.findings])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        return try call.reading { (ledger) throws(Failure) in
            let forks = try lifted { () throws(LedgerError) in try ledger.forks() }
            if call.isJSON { showJSON(forks, zone, call) } else { showText(forks, zone, call) }
            return forks.allSatisfy(\.isHealed) ? .done : .findings
        }
    }

    private static func showText(_ forks: [Fork], _ zone: TimeZoneRules, _ call: Invocation) {
        let style = call.printer.style
        if forks.isEmpty { call.printer.line("No log has forked.") }
        for fork in forks {
            let since = fork.since.map { " since \(zone.text($0.milliseconds))" } ?? ""
            let state = fork.isHealed ? style.good("healed") : style.bad("not healed")
            call.printer.line(
                "\(state)  log \(fork.log) of replica \(fork.author.short) forked after "
                    + "\(fork.sharedSize) events\(since)")
            for branch in fork.branches {
                call.printer.line("    \(text(branch, zone))")
                let next = branch.continuedIn.map(\.description).joined(separator: ", ")
                call.printer.line(
                    next.isEmpty
                        ? "        its writer was not seen to leave it"
                        : "        goes on in \(next)")
            }
        }
    }

    private static func text(_ branch: Fork.Branch, _ zone: TimeZoneRules) -> String {
        var text = "branch of \(branch.tip.size) events"
        if let event = branch.firstEvent {
            text += ", parts with event \(branch.sharedSize) (\(event.short)"
            if let time = branch.firstTimestamp { text += ", \(zone.text(time.milliseconds))" }
            text += ")"
        }
        return text + (branch.arrival.map { ", arrived \(zone.text($0))" } ?? ", written here")
    }

    private static func showJSON(_ forks: [Fork], _ zone: TimeZoneRules, _ call: Invocation) {
        call.printJSON { writer in
            writer.arrayField("forks") { writer in
                for fork in forks {
                    writer.object { writer in
                        writer.field("log", fork.log.description)
                        writer.field("author", fork.author.description)
                        writer.field("sharedSize", fork.sharedSize)
                        writer.field(
                            "since", ifPresent: fork.since.map { zone.text($0.milliseconds) })
                        writer.field("healed", fork.isHealed)
                        writer.arrayField("branches") { writer in
                            for branch in fork.branches { write(branch, zone, to: &writer) }
                        }
                    }
                }
            }
        }
    }

    private static func write(
        _ branch: Fork.Branch, _ zone: TimeZoneRules, to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.field("size", branch.tip.size)
            writer.field("root", Base32.encode(branch.tip.root.bytes))
            writer.field("sharedSize", branch.sharedSize)
            writer.field("firstEvent", ifPresent: branch.firstEvent?.description)
            writer.field(
                "firstAt", ifPresent: branch.firstTimestamp.map { zone.text($0.milliseconds) })
            writer.field("arrivedAt", ifPresent: branch.arrival.map { zone.text($0) })
            writer.arrayField("continuedIn") { writer in
                for log in branch.continuedIn { writer.value(log.description) }
            }
        }
    }
}

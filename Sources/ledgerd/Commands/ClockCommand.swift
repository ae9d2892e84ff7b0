internal import Ledger

/// Shows the ledger's clocks.
enum ClockCommand: Command {
    static let name = "clock"

    static var spec: CommandSpec {
        CommandSpec(
            name: name, summary: "Show the ledger's clocks, and set the floor of expiry back",
            options: [
                .directory,
                .flag(
                    "reset-floor",
                    "Set the floor back to the wall clock, after a clock that ran ahead was mended."
                ),
                TimeOptions.zone,
            ],
            details: [
                "Expiry is judged against a floor that never runs back by itself, so that turning "
                    + "the clock back revives no expired grant."
            ],
            jsonFields: [
                "wall": "the machine's clock", "logical": "the hybrid logical clock",
                "counter": "its counter within the millisecond",
                "floor": "expiry is judged against this time at the earliest",
                "isFloorAhead": "whether the floor is more than 5 minutes ahead of the wall",
            ],
            exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        let zone = try call.zone()
        guard call.flag("reset-floor") else {
            return try call.reading { (ledger) throws(Failure) in try show(ledger, zone, call) }
        }
        return try call.writing { (ledger) throws(Failure) in
            try lifted { () throws(LedgerError) in try ledger.resetClockFloor() }
            return try show(ledger, zone, call)
        }
    }

    private static func show(
        _ ledger: Ledger, _ zone: TimeZoneRules, _ call: Invocation
    ) throws(Failure) -> ExitCode {
        let clock = try lifted { () throws(LedgerError) in try ledger.clock() }
        if call.isJSON {
            call.printJSON { writer in
                writer.field("wall", zone.text(clock.wall))
                writer.field("logical", zone.text(clock.logical.milliseconds))
                writer.field("counter", clock.logical.counter)
                writer.field("floor", zone.text(clock.floor))
                writer.field("isFloorAhead", clock.isFloorAhead)
            }
        } else {
            call.printer.line("wall     \(zone.text(clock.wall))")
            call.printer.line("logical  \(zone.text(clock.logical.milliseconds))")
            call.printer.line("floor    \(zone.text(clock.floor))")
            if clock.isFloorAhead {
                call.printer.message(
                    "The floor is more than 5 minutes ahead of the wall clock: grants may read "
                        + "expired too early. Once the clock is right, run clock --reset-floor.")
            }
        }
        return .done
    }
}

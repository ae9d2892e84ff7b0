internal import Ledger

/// The bounds of days in a zone, where a day may have 23 or 25 hours and no midnight.
enum CalendarDay {
    private static let searchSeconds: Int64 = 26 * 3600

    /// The first instant of a day, Unix milliseconds.
    static func start(_ date: ISO8601.CivilDate, in zone: TimeZoneRules) -> Int64 {
        start(ofDay: ISO8601.days(fromCivil: date), in: zone)
    }

    /// The first instant of the day after, Unix milliseconds.
    static func end(_ date: ISO8601.CivilDate, in zone: TimeZoneRules) -> Int64 {
        start(ofDay: ISO8601.days(fromCivil: date) + 1, in: zone)
    }

    private static func start(ofDay day: Int64, in zone: TimeZoneRules) -> Int64 {
        let midnight = day * 86_400
        // Searched rather than computed: where clocks are put forward at midnight the day begins at
        // 01:00, and no offset is right on both sides.
        var before = midnight - searchSeconds
        var reached = midnight + searchSeconds
        while reached - before > 1 {
            let middle = (before + reached) / 2
            if localDay(middle, zone) >= day { reached = middle } else { before = middle }
        }
        return reached * 1000
    }

    private static func localDay(_ seconds: Int64, _ zone: TimeZoneRules) -> Int64 {
        let local = seconds + Int64(zone.offset(atSeconds: seconds))
        return local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    }
}

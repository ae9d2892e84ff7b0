internal import Ledger

/// Times and zones on the command line; UTC unless asked otherwise, never the machine's zone.
enum TimeOptions {
    static let zone = OptionSpec.value(
        "tz", "ZONE",
        "Zone of days given and times shown: UTC, +05:30 or a name such as Europe/Berlin; "
            + "UTC unless given.")
    static let since = OptionSpec.value(
        "since", "TIME", "From this day or time on: 2026-01-01 or 2026-01-01T08:00:00Z.")
    static let until = OptionSpec.value(
        "until", "TIME", "Up to and with this day or time.")

    static let form = "a day (2026-01-31) or a time with Z or an offset (2026-01-31T08:00:00Z)"
}

extension Invocation {
    /// The zone of `--tz`.
    func zone() throws(Failure) -> TimeZoneRules {
        guard let name = value("tz") else { return .utc }
        guard let zone = TimeZoneRules(name) else {
            throw usage(
                "--tz names a zone that is not in this system's tz database; give UTC, an offset "
                    + "such as +05:30, or a name such as Europe/Berlin")
        }
        return zone
    }

    /// An instant; a day means its beginning.
    func instant(_ name: String, in zone: TimeZoneRules = .utc) throws(Failure) -> Int64? {
        try parsed(name, as: TimeOptions.form) { text in
            ISO8601.parseDate(text).map { CalendarDay.start($0, in: zone) } ?? ISO8601.parse(text)
        }
    }

    /// The first instant after an inclusive bound: a day counts whole.
    func instantAfter(_ name: String, in zone: TimeZoneRules) throws(Failure) -> Int64? {
        try parsed(name, as: TimeOptions.form) { text in
            ISO8601.parseDate(text).map { CalendarDay.end($0, in: zone) }
                ?? ISO8601.parse(text).map { $0 + 1 }
        }
    }
}

extension TimeZoneRules {
    /// An instant as ISO 8601 with `Z` or the zone's offset.
    func text(_ milliseconds: Int64) -> String {
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        return ISO8601.format(milliseconds, offsetSeconds: offset(atSeconds: seconds))
    }
}

/// A length of time such as `30d`.
enum Duration {
    static let form = "a number with s, m, h, d or w, such as 30d"

    /// - Returns: milliseconds; nil for another form or more than a thousand years.
    static func parse(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let last = text.last, let unit = units[last], text.count <= 12,
            text.dropLast().utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = Int64(text.dropLast())
        else { return nil }
        let seconds = number.multipliedReportingOverflow(by: unit)
        guard !seconds.overflow, seconds.partialValue <= 1000 * 366 * 86_400 else { return nil }
        return seconds.partialValue * 1000
    }
}

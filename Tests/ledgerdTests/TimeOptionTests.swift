import Ledger
import Testing

@testable import ledgerd

/// Serialized, since the C library has one zone for the whole process.
@Suite(.serialized) struct TimeOptionTests {
    private func date(_ year: Int64, _ month: Int64, _ day: Int64) -> ISO8601.CivilDate {
        ISO8601.CivilDate(year: year, month: month, day: day)
    }

    @Test(arguments: [
        ("UTC", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("+05:30", "2026-12-30T18:30:00Z", "2026-12-31T18:30:00Z"),
        ("Europe/Berlin", "2026-12-30T23:00:00Z", "2026-12-31T23:00:00Z"),
        ("America/Los_Angeles", "2026-12-31T08:00:00Z", "2027-01-01T08:00:00Z"),
    ])
    func `a day begins and ends where its zone says`(name: String, start: String, end: String)
        throws
    {
        let zone = try #require(TimeZoneRules(name))
        let day = date(2026, 12, 31)
        #expect(CalendarDay.start(day, in: zone) == ISO8601.parse(start))
        #expect(CalendarDay.end(day, in: zone) == ISO8601.parse(end))
    }

    @Test(arguments: [
        // Clocks go forward at 02:00 and back at 03:00.
        ("Europe/Berlin", 2026, 3, 29, 23), ("Europe/Berlin", 2026, 10, 25, 25),
        // Clocks went forward at midnight: the day had no 00:00.
        ("America/Sao_Paulo", 2018, 11, 4, 23),
        // The offset is not a whole hour, and the change is half of one.
        ("Australia/Lord_Howe", 2026, 6, 1, 24),
    ])
    func `a day may have 23 or 25 hours`(
        name: String, year: Int64, month: Int64, day: Int64, hours: Int64
    ) throws {
        let zone = try #require(TimeZoneRules(name))
        let day = date(year, month, day)
        #expect(
            CalendarDay.end(day, in: zone) - CalendarDay.start(day, in: zone) == hours * 3_600_000)
    }

    @Test func `days of a zone lie side by side for years`() throws {
        let zone = try #require(TimeZoneRules("Europe/Berlin"))
        var end = CalendarDay.start(date(2024, 1, 1), in: zone)
        for day in ISO8601.days(
            fromCivil: date(2024, 1, 1))..<ISO8601.days(fromCivil: date(2027, 1, 1))
        {
            let civil = ISO8601.civil(fromDays: day)
            #expect(CalendarDay.start(civil, in: zone) == end)
            end = CalendarDay.end(civil, in: zone)
        }
    }

    @Test(arguments: [
        "Europe/Belrin", "", "/etc/passwd", "../../etc/passwd", "Europe", "Europe/", "+5:30",
        "+05:3x", "+25:00", "Nowhere",
    ])
    func `a zone that is not there is refused, not taken for UTC`(name: String) {
        #expect(TimeZoneRules(name) == nil)
    }

    @Test func `times are shown with the offset of their own moment`() throws {
        let zone = try #require(TimeZoneRules("Europe/Berlin"))
        let winter = try #require(ISO8601.parse("2026-01-31T23:30:00.250Z"))
        let summer = try #require(ISO8601.parse("2026-07-31T23:30:00Z"))
        #expect(zone.text(winter) == "2026-02-01T00:30:00.250+01:00")
        #expect(zone.text(summer) == "2026-08-01T01:30:00+02:00")
        #expect(TimeZoneRules.utc.text(summer) == "2026-07-31T23:30:00Z")
        #expect(TimeZoneRules.utc.text(-1) == "1969-12-31T23:59:59.999Z")
    }

    @Test(arguments: [
        ("2023-04-25T07:58:06Z", 1_682_409_486_000),
        ("2023-04-25T07:58:06.001Z", 1_682_409_486_001),
        ("2023-04-25T07:58:06.123456Z", 1_682_409_486_123),
        ("2023-04-25T13:28:06+05:30", 1_682_409_486_000), ("2023-04-25", 1_682_380_800_000),
    ])
    func `a bound is a day or a full time`(text: String, milliseconds: Int64) throws {
        let call = try call("--since", text)
        #expect(try call.instant("since") == milliseconds)
    }

    @Test func `an upper bound takes all of its day or its millisecond`() throws {
        let day = try call("--until", "2026-12-31").instantAfter("until", in: .utc)
        #expect(day == ISO8601.parse("2027-01-01T00:00:00Z"))
        let time = try call("--until", "2026-12-31T23:59:59.999Z").instantAfter("until", in: .utc)
        #expect(time == day)
    }

    @Test(arguments: ["2026-13-01", "yesterday", "2026-01-01T08:00:00", "2026-02-30", ""])
    func `a time without offset or sense is refused`(text: String) throws {
        let call = try call("--since", text)
        #expect(throws: Failure.self) { try call.instant("since") }
    }

    @Test func `the zone is UTC unless asked for`() throws {
        #expect(try call().zone() == .utc)
        #expect(try call("--tz", "+05:30").zone() == .fixed(seconds: 19_800))
    }

    @Test(arguments: [
        ("30d", 2_592_000_000), ("2w", 1_209_600_000), ("90m", 5_400_000), ("0s", 0),
        ("", nil), ("d", nil), ("-1d", nil), ("1.5d", nil), ("99999999999d", nil), ("3y", nil),
    ])
    func `a length of time has a unit`(text: String, milliseconds: Int64?) {
        #expect(ledgerd.Duration.parse(text) == milliseconds)
    }

    private func call(_ words: String...) throws -> Invocation {
        let spec = CommandSpec(
            name: "test", summary: "Test",
            options: [TimeOptions.since, TimeOptions.until, TimeOptions.zone])
        let console = TestConsole()
        return Invocation(
            spec, try ArgumentParser.parse(words[...], by: spec), console, Printer(console))
    }
}

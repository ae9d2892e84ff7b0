/// Instants as text (ISO 8601 in the profile of RFC 3339): always with an offset, so that a time
/// read on another machine is the same time.
package enum ISO8601 {
    /// A date of the proleptic Gregorian calendar.
    package struct CivilDate: Sendable, Hashable {
        package let year: Int64
        package let month: Int64
        package let day: Int64

        package init(year: Int64, month: Int64, day: Int64) {
            self.year = year
            self.month = month
            self.day = day
        }
    }

    package static let millisecondsPerDay: Int64 = 86_400_000

    /// Days since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    package static func days(fromCivil date: CivilDate) -> Int64 {
        let year = date.month <= 2 ? date.year - 1 : date.year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((date.month + 9) % 12) + 2) / 5 + date.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date that many days after 1970-01-01; the inverse of ``days(fromCivil:)``.
    package static func civil(fromDays days: Int64) -> CivilDate {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return CivilDate(
            year: year, month: month, day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// How many days a month has.
    package static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Reads `2026-01-31`.
    ///
    /// - Returns: nil for anything else, and for dates that no calendar has.
    package static func parseDate(_ text: String) -> CivilDate? {
        var scanner = DigitScanner(text)
        guard let date = scanner.date(), scanner.isAtEnd else { return nil }
        return date
    }

    /// Reads an instant.
    ///
    /// `T` or a space stands between date and time, `Z` or an offset must follow; fractions may
    /// have 1 to 9 digits and are cut to milliseconds. Years run from 1 to 9999.
    ///
    /// - Returns: Unix milliseconds; nil for anything else, such as a time without an offset.
    package static func parse(_ text: String) -> Int64? {
        var scanner = DigitScanner(text)
        guard let date = scanner.date(),
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(digits: 2), hour < 24, scanner.skip(":"),
            let minute = scanner.number(digits: 2), minute < 60, scanner.skip(":"),
            let second = scanner.number(digits: 2), second < 60,
            let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let seconds = hour * 3600 + minute * 60 + second - offset
        return days(fromCivil: date) * millisecondsPerDay + seconds * 1000 + fraction
    }

    /// Writes an instant, for example `2026-01-31T09:05:06.123Z` or with `+02:00`.
    ///
    /// The fraction is left out only where it is zero. Years outside 0 to 9999 are written with a
    /// sign and six digits, which ``parse(_:)`` does not take back.
    ///
    /// - Parameters:
    ///   - milliseconds: Unix milliseconds.
    ///   - offsetSeconds: east of Greenwich; cut to whole minutes, which is all the text can say.
    /// - Returns: the text; it never fails.
    package static func format(_ milliseconds: Int64, offsetSeconds: Int = 0) -> String {
        let minutes = Int64(max(-86_399, min(86_399, offsetSeconds))) / 60
        let local = milliseconds.addingReportingOverflow(minutes * 60_000)
        guard !local.overflow else { return format(milliseconds) }
        let day = floorDivide(local.partialValue, millisecondsPerDay)
        let rest = floorRemainder(local.partialValue, millisecondsPerDay)
        let date = civil(fromDays: day)
        let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
        let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60]
            .map { padded($0, 2) }.joined(separator: ":")
        return "\(format(date))T\(clock)\(fraction)\(zone(minutes))"
    }

    /// Writes a date.
    package static func format(_ date: CivilDate) -> String {
        let isPlain = date.year >= 0 && date.year <= 9999
        let sign = isPlain ? "" : date.year < 0 ? "-" : "+"
        let year = padded(abs(date.year), isPlain ? 4 : 6)
        return "\(sign)\(year)-\(padded(date.month, 2))-\(padded(date.day, 2))"
    }

    private static func zone(_ minutes: Int64) -> String {
        if minutes == 0 { return "Z" }
        let size = abs(minutes)
        return "\(minutes < 0 ? "-" : "+")\(padded(size / 60, 2)):\(padded(size % 60, 2))"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func floorRemainder(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}

/// Reads fixed-width fields from the front of a text.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func date() -> ISO8601.CivilDate? {
        guard let year = number(digits: 4), year >= 1, skip("-"),
            let month = number(digits: 2), (1...12).contains(month), skip("-"),
            let day = number(digits: 2), day >= 1, day <= ISO8601.days(inMonth: month, of: year)
        else { return nil }
        return ISO8601.CivilDate(year: year, month: month, day: day)
    }

    /// Milliseconds; 0 where no fraction stands.
    mutating func fraction() -> Int64? {
        guard skip(".") || skip(",") else { return 0 }
        var milliseconds: Int64 = 0
        var count = 0
        while let digit = digit() {
            count += 1
            if count <= 3 { milliseconds = milliseconds * 10 + digit }
        }
        guard (1...9).contains(count) else { return nil }
        for _ in min(count, 3)..<3 { milliseconds *= 10 }
        return milliseconds
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(digits: 2), hours < 24 else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return isWest ? -seconds : seconds
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, first >= 0x30, first <= 0x39 else { return nil }
        rest = rest.dropFirst()
        return Int64(first - 0x30)
    }
}

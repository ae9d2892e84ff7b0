/// A length of time in calendar months and exact milliseconds, written as in ISO 8601.
///
/// Months are counted in UTC on the proleptic Gregorian calendar; where the day does not exist in
/// the month that is reached, its last day is taken.
///
/// ```swift
/// let month = Period("P1M")
/// let leapDay = month?.end(from: 1_706_659_200_000)  // 2024-01-31
/// ```
public struct Period: Sendable, Hashable, CustomStringConvertible {
    /// Whole months.
    public let months: Int
    /// Days, hours, minutes and seconds, in milliseconds.
    public let milliseconds: Int64

    private static let dayMilliseconds: Int64 = 86_400_000

    /// A number of days.
    ///
    /// - Parameter days: 1 to 36,525.
    public init?(days: Int64) {
        guard (1...36_525).contains(days) else { return nil }
        self.init(months: 0, milliseconds: days * Self.dayMilliseconds)
    }

    private init(months: Int, milliseconds: Int64) {
        self.months = months
        self.milliseconds = milliseconds
    }

    /// Reads an ISO 8601 duration of whole numbers.
    ///
    /// - Parameter text: for example `P6M`, `P1Y`, `P2W`, `P30D`, `PT12H`; up to 100 years.
    public init?(_ text: String) {
        guard text.first == "P", let parts = Self.parts(text.dropFirst()) else { return nil }
        var months = 0
        var milliseconds: Int64 = 0
        for (number, unit) in parts {
            switch unit {
            case "Y": months += Int(number) * 12
            case "M": months += Int(number)
            case "W": milliseconds += number * 7 * Self.dayMilliseconds
            case "D": milliseconds += number * Self.dayMilliseconds
            case "TH": milliseconds += number * 3_600_000
            case "TM": milliseconds += number * 60_000
            default: milliseconds += number * 1000
            }
        }
        guard months > 0 || milliseconds > 0, months <= 1200,
            milliseconds <= 36_525 * Self.dayMilliseconds
        else { return nil }
        self.init(months: months, milliseconds: milliseconds)
    }

    /// Numbers below a million with their units in the prescribed order; time units begin with T.
    private static func parts(_ text: Substring) -> [(number: Int64, unit: String)]? {
        var order = ["Y", "M", "W", "D", "TH", "TM", "TS"][...]
        var parts: [(Int64, String)] = []
        var digits = ""
        var prefix = ""
        for character in text {
            if character == "T", prefix.isEmpty, digits.isEmpty {
                prefix = "T"
            } else if character.isASCII, character.isNumber, digits.utf8.count < 6 {
                digits.append(character)
            } else {
                let unit = prefix + String(character)
                guard let number = Int64(digits), let index = order.firstIndex(of: unit) else {
                    return nil
                }
                order = order[(index + 1)...]
                parts.append((number, unit))
                digits = ""
            }
        }
        let endsInTime = prefix.isEmpty || parts.last?.1.hasPrefix("T") == true
        return digits.isEmpty && !parts.isEmpty && endsInTime ? parts : nil
    }

    /// The shortest ISO 8601 form.
    public var description: String {
        var text = "P"
        if months >= 12 { text += "\(months / 12)Y" }
        if months % 12 > 0 { text += "\(months % 12)M" }
        let seconds = milliseconds / 1000
        if seconds >= 86_400 { text += "\(seconds / 86_400)D" }
        let rest = seconds % 86_400
        if rest > 0 { text += "T" }
        if rest >= 3600 { text += "\(rest / 3600)H" }
        if rest % 3600 >= 60 { text += "\(rest % 3600 / 60)M" }
        if rest % 60 > 0 { text += "\(rest % 60)S" }
        return text
    }

    /// The moment at which what began then is over.
    ///
    /// - Parameter start: Unix milliseconds.
    /// - Returns: Unix milliseconds; what lies outside the years 1 to 9999 is clamped.
    public func end(from start: Int64) -> Int64 {
        let bounded = min(max(start, -62_135_596_800_000), 253_402_300_799_999)
        let day = Self.floorDivided(bounded, by: Self.dayMilliseconds)
        let time = bounded - day * Self.dayMilliseconds
        return Self.day(day, plusMonths: Int64(months)) * Self.dayMilliseconds + time + milliseconds
    }

    private static func floorDivided(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    private static func day(_ day: Int64, plusMonths months: Int64) -> Int64 {
        if months == 0 { return day }
        let (year, month, dayOfMonth) = civil(day)
        let total = year * 12 + (month - 1) + months
        let (newYear, newMonth) = (floorDivided(total, by: 12), total % 12 + 1)
        let first = days(year: newYear, month: newMonth)
        let next =
            newMonth == 12
            ? days(year: newYear + 1, month: 1) : days(year: newYear, month: newMonth + 1)
        return first + min(dayOfMonth, next - first) - 1
    }

    /// The number of the first day of a month, day 0 being 1970-01-01, by counting in eras of 400
    /// years that begin on 1 March, so that the leap day comes last.
    private static func days(year: Int64, month: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivided(shifted, by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = floorDivided(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

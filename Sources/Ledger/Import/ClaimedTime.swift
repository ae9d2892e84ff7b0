/// A time that a file claims, and whether it can be right.
struct ClaimedTime {
    /// Unix milliseconds.
    let milliseconds: Int64
    /// Why it cannot be right; nil when it can.
    let doubt: String?

    private static let futureMillisecondsMax: Int64 = 5 * 60 * 1000

    /// - Parameters:
    ///   - milliseconds: Unix milliseconds.
    ///   - now: the time now.
    ///   - earliest: before this the source did not exist.
    init(_ milliseconds: Int64, now: Int64, earliest: Int64) {
        self.milliseconds = milliseconds
        if milliseconds < earliest {
            doubt = "its time lies before the permission store existed"
        } else if milliseconds > now && milliseconds - now > Self.futureMillisecondsMax {
            doubt = "its time lies in the future"
        } else {
            doubt = nil
        }
    }
}

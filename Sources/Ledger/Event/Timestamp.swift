/// A hybrid logical time: 48 bits of Unix milliseconds and a 16-bit counter.
///
/// It orders history for reading and never decides a status
/// (Kulkarni et al., "Logical Physical Clocks", 2014).
///
/// ```swift
/// let recorded: Timestamp = event.header.timestamp
/// lines.append("\(recorded.milliseconds) \(event.header.kind) \(words(event.content))")
/// ```
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds shifted left by 16, plus the counter.
    public let value: UInt64

    /// Makes a timestamp from its 64 bits.
    ///
    /// - Parameter value: milliseconds shifted left by 16, plus the counter.
    public init(value: UInt64) { self.value = value }

    /// The first timestamp of a millisecond.
    ///
    /// - Parameter milliseconds: Unix milliseconds; clamped to 0 ..< 2^48.
    public init(milliseconds: Int64) {
        value = UInt64(min(max(milliseconds, 0), (1 << 48) - 1)) << 16
    }

    /// Unix milliseconds.
    public var milliseconds: Int64 { Int64(value >> 16) }
    /// The counter within the millisecond.
    public var counter: UInt16 { UInt16(truncatingIfNeeded: value) }

    /// The next one; a full counter carries into the milliseconds.
    var next: Timestamp { Timestamp(value: value == .max ? value : value + 1) }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.value < right.value }
}

/// The writer's hybrid logical clock.
struct HybridClock: Sendable {
    /// How far a remote time may move this clock ahead of the wall.
    static let aheadMillisecondsMax: Int64 = 5 * 60 * 1000

    private(set) var last: Timestamp

    init(last: Timestamp = Timestamp(value: 0)) { self.last = last }

    /// The time of a new event.
    mutating func tick(wall: Int64) -> Timestamp {
        last = max(last.next, Timestamp(milliseconds: wall))
        return last
    }

    /// Takes note of a remote time; what lies too far ahead is adopted only up to the limit.
    mutating func observe(_ remote: Timestamp, wall: Int64) {
        let limit = Timestamp(milliseconds: wall + Self.aheadMillisecondsMax)
        last = max(last, min(remote, limit))
    }
}

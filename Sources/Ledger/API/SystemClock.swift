#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The machine's wall clock.
///
/// ```swift
/// let yesterday = SystemClock.milliseconds() - 86_400_000
/// ```
public enum SystemClock {
    /// Unix milliseconds now.
    @Sendable public static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds that do not run back, for measuring lengths of time alone.
    package static func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

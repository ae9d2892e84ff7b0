internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Takes signals on a thread of its own: a signal handler may call next to nothing.
enum SignalWatch {
    /// Calls `take` for each signal of these numbers; from now on none of them ends the process.
    ///
    /// Call it before other threads start, for they inherit what is blocked.
    static func start(_ numbers: [Int32], _ take: @escaping @Sendable (Int32) -> Bool) {
        var signals = set(numbers)
        // Blocked before the thread exists, so that none of them ends the process meanwhile.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let thread = PosixThread {
            var signals = set(numbers)
            var received: Int32 = 0
            while sigwait(&signals, &received) == 0 {
                guard take(received) else { return }
            }
        }
        guard let thread else {
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            return
        }
        thread.detach()
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }
}

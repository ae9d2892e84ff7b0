internal import Ledger
internal import Synchronization

/// Threads of one part of the daemon, and how to wait for their end.
final class WorkerGroup: Sendable {
    private let running = Mutex(0)
    private let ended: WakePipe

    init() throws(Failure) { ended = try WakePipe() }

    var count: Int { running.withLock { $0 } }

    /// Runs `body` on a thread of its own; false when the system has none to give.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        running.withLock { $0 += 1 }
        let thread = PosixThread { [self] in
            body()
            end()
        }
        guard let thread else {
            end()
            return false
        }
        thread.detach()
        return true
    }

    private func end() {
        running.withLock { $0 -= 1 }
        ended.wake()
    }

    /// Waits until all have ended; false when time is up first.
    func wait(milliseconds: Int64) -> Bool {
        let deadline = SystemClock.monotonicNanoseconds() + milliseconds * 1_000_000
        while count > 0 {
            let left = (deadline - SystemClock.monotonicNanoseconds()) / 1_000_000
            guard left > 0 else { return false }
            _ = PosixIO.ready(reading: [ended.read], milliseconds: Int32(clamping: left))
            _ = ended.drain()
        }
        return true
    }
}

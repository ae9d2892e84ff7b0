internal import Ledger
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Threads of one part of the daemon, and how to wait for their end.
final class WorkerGroup: Sendable {
    private let running = Mutex(0)
    private let ended: WakePipe

    init() throws(Failure) { ended = try WakePipe() }

    var count: Int { running.withLock { $0 } }

    /// Runs `body` on a thread of its own; false when the system has none to give.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        running.withLock { $0 += 1 }
        let started = PosixThread.start { [self] in
            body()
            end()
        }
        if !started { end() }
        return started
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

/// A detached thread of the operating system: what blocks has no place in the cooperative pool.
enum PosixThread {
    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts one; false when the system has none to give.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Box(body))
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        guard failure == 0 else {
            box.release()
            return false
        }
        #if canImport(Glibc)
        pthread_detach(thread)
        #else
        if let thread { pthread_detach(thread) }
        #endif
        return true
    }
}

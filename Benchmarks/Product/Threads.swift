#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Plain threads: the concurrent pool has no more of them than there are cores.
enum Threads {
    private final class Job: Sendable {
        let index: Int
        let body: @Sendable (Int) -> Bool
        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Bool) {
            self.index = index
            self.body = body
        }
    }

    /// Runs `body` once on each of `count` threads and returns how many of them returned false.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Bool) -> Int {
        let threads = (0..<count).compactMap { start(Job($0, body)) }
        return count - threads.count + threads.count { !succeeded($0) }
    }

    private static func start(_ job: Job) -> pthread_t? {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(job).toOpaque()
        return pthread_create(&thread, nil, perform, context) == 0 ? thread : nil
    }

    private static let perform:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            (context) in
            guard let context else { return nil }
            let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
            return job.body(job.index) ? context : nil
        }

    private static func succeeded(_ thread: pthread_t) -> Bool {
        var result: UnsafeMutableRawPointer?
        return pthread_join(thread, &result) == 0 && result != nil
    }
}

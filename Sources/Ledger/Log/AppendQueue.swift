#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Lets concurrent appenders share one fsync: whoever comes first commits for all that wait.
///
/// `@unchecked Sendable`: every field is read and written only while `mutex` is held, except the
/// requests of a batch, which belong to the one leader until it takes the mutex again.
final class AppendQueue: @unchecked Sendable {
    /// What one caller wants recorded.
    ///
    /// `@unchecked Sendable`: `outcome` is written only by the leader that took the request out of
    /// `waiting`, and read by its owner under the mutex, which the leader takes in between. The drafts never
    /// change, and a condition variable is made for many threads.
    final class Request: @unchecked Sendable {
        let drafts: [Draft]
        var outcome: Result<[Receipt], LedgerError>?
        fileprivate let wakeUp: UnsafeMutablePointer<pthread_cond_t>

        init(_ drafts: [Draft]) {
            self.drafts = drafts
            wakeUp = .allocate(capacity: 1)
            pthread_cond_init(wakeUp, nil)
        }

        deinit {
            pthread_cond_destroy(wakeUp)
            wakeUp.deallocate()
        }
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var waiting: [Request] = []
    private var hasLeader = false
    /// How many were busy appending when the last batch was done.
    private var expected = 0
    /// So often the leader lets others run before it takes it that nobody else is coming.
    private static let yieldsMax = 20

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Records drafts, alone or together with what other threads ask for meanwhile.
    ///
    /// - Parameters:
    ///   - drafts: what to record.
    ///   - commit: sets the outcome of every request; called by one thread at a time.
    /// - Returns: one receipt per draft, durable.
    /// - Throws: what `commit` set for this request.
    func append(
        _ drafts: [Draft], commit: ([Request]) -> Void
    ) throws(LedgerError) -> [Receipt] {
        let request = Request(drafts)
        pthread_mutex_lock(mutex)
        waiting.append(request)
        while request.outcome == nil {
            if hasLeader {
                pthread_cond_wait(request.wakeUp, mutex)
            } else {
                lead(commit)
            }
        }
        pthread_mutex_unlock(mutex)
        guard let outcome = request.outcome else {
            throw LedgerError(.io, "An append ended without an outcome; retry.")
        }
        return try outcome.get()
    }

    /// Commits all that wait, then hands over; called and left with the mutex held.
    private func lead(_ commit: ([Request]) -> Void) {
        hasLeader = true
        gather()
        let batch = waiting
        waiting = []
        pthread_mutex_unlock(mutex)
        commit(batch)
        pthread_mutex_lock(mutex)
        hasLeader = false
        expected = batch.count + waiting.count
        for request in batch { pthread_cond_signal(request.wakeUp) }
        if let next = waiting.first { pthread_cond_signal(next.wakeUp) }
    }

    /// Lets those come that were served last and are likely to ask again: otherwise two halves
    /// take turns, and each fsync serves one of them.
    private func gather() {
        var yields = 0
        var count = waiting.count
        while count < expected, yields < Self.yieldsMax {
            pthread_mutex_unlock(mutex)
            sched_yield()
            pthread_mutex_lock(mutex)
            yields = waiting.count == count ? yields + 1 : 0
            count = waiting.count
        }
    }
}

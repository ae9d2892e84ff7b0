#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A lock that its holder can wait in until another holder has changed something.
///
/// `@unchecked Sendable`: the pointers are set once, and the calls that take them are made for use
/// by many threads.
final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Lets others have the lock until one of them calls ``wake()``; inside ``locked(_:)``.
    func wait() { pthread_cond_wait(changed, mutex) }

    /// Has all that wait look again; inside ``locked(_:)``.
    func wake() { pthread_cond_broadcast(changed) }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A second thread that works on batches in the order in which they are given.
///
/// `@unchecked Sendable`: `waiting`, `free` and `isEnding` are read and written only while `mutex`
/// is held; `work` is called by the thread alone until ``finish()`` has joined it.
final class BatchWorker: @unchecked Sendable {
    /// Batches in circulation: one that is filled, one that is worked on, one between them.
    private static let batchesMax = 3

    private let work: (RowBatch) -> Void
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [RowBatch] = []
    private var free = (0..<batchesMax).map { _ in RowBatch() }
    private var isEnding = false
    private var thread: pthread_t?

    /// Starts the thread; where none is to be had, the one who gives does the work.
    ///
    /// What `work` touches belongs to the worker until ``finish()`` returns.
    init(_ work: @escaping (RowBatch) -> Void) {
        self.work = work
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
        #if canImport(Glibc)
        var handle = pthread_t()
        #else
        var handle: pthread_t?
        #endif
        let context = Unmanaged.passRetained(self)
        if pthread_create(&handle, nil, Self.run, context.toOpaque()) == 0 {
            thread = handle
        } else {
            context.release()
        }
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// An empty batch to fill; waits for the worker where it is behind.
    func take() -> RowBatch {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let batch = free.popLast() { return batch }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Hands a filled batch over.
    func give(_ batch: RowBatch) {
        guard thread != nil else {
            work(batch)
            batch.removeAll()
            free.append(batch)
            return
        }
        pthread_mutex_lock(mutex)
        waiting.append(batch)
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until everything given is worked on, and ends the thread; without effect a second time.
    func finish() {
        guard let thread else { return }
        pthread_mutex_lock(mutex)
        isEnding = true
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
        pthread_join(thread, nil)
        self.thread = nil
    }

    private func loop() {
        pthread_mutex_lock(mutex)
        while true {
            if waiting.isEmpty {
                if isEnding { break }
                pthread_cond_wait(changed, mutex)
                continue
            }
            let batch = waiting.removeFirst()
            pthread_mutex_unlock(mutex)
            work(batch)
            batch.removeAll()
            pthread_mutex_lock(mutex)
            free.append(batch)
            pthread_cond_broadcast(changed)
        }
        pthread_mutex_unlock(mutex)
    }

    #if canImport(Glibc)
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
        { context in
            if let context {
                Unmanaged<BatchWorker>.fromOpaque(context).takeRetainedValue().loop()
            }
            return nil
        }
    #else
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
        context in
        Unmanaged<BatchWorker>.fromOpaque(context).takeRetainedValue().loop()
        return nil
    }
    #endif
}

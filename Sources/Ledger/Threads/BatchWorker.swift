/// A second thread that works on batches in the order in which they are given.
///
/// `@unchecked Sendable`: `waiting`, `free` and `isEnding` are read and written only while
/// `monitor` is held; `work` is called by the thread alone until ``finish()`` has joined it, and
/// `thread` belongs to the one who gives.
final class BatchWorker: @unchecked Sendable {
    /// Batches in circulation: one that is filled, one that is worked on, one between them.
    private static let batchesMax = 3

    private let work: (RowBatch) -> Void
    private let monitor = Monitor()
    private var waiting: [RowBatch] = []
    private var free = (0..<batchesMax).map { _ in RowBatch() }
    private var isEnding = false
    private var thread: PosixThread?

    /// Starts the thread; where none is to be had, the one who gives does the work.
    ///
    /// What `work` touches belongs to the worker until ``finish()`` returns.
    init(_ work: @escaping (RowBatch) -> Void) {
        self.work = work
        thread = PosixThread { [self] in loop() }
    }

    /// An empty batch to fill; waits for the worker where it is behind.
    func take() -> RowBatch {
        monitor.locked {
            while true {
                if let batch = free.popLast() { return batch }
                monitor.wait()
            }
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
        monitor.locked {
            waiting.append(batch)
            monitor.wake()
        }
    }

    /// Waits until everything given is worked on, and ends the thread; without effect a second time.
    func finish() {
        guard let thread else { return }
        monitor.locked {
            isEnding = true
            monitor.wake()
        }
        thread.join()
        self.thread = nil
    }

    private func loop() {
        while let batch = nextBatch() {
            work(batch)
            batch.removeAll()
            monitor.locked {
                free.append(batch)
                monitor.wake()
            }
        }
    }

    /// Nil when there is nothing left and nothing more will come.
    private func nextBatch() -> RowBatch? {
        monitor.locked {
            while waiting.isEmpty, !isEnding { monitor.wait() }
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }
}

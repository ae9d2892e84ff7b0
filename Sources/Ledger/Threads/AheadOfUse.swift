/// The results of a list, computed on a second thread some places ahead of whoever takes them, in
/// order.
///
/// `@unchecked Sendable`: `waiting`, `spent` and `isEnding` are read and written only while `monitor` is
/// held; `current`, `taken` and `thread` are the taker's alone.
package final class AheadOfUse<Output: Sendable>: @unchecked Sendable {
    /// Results that may wait to be taken.
    private static var waitingMax: Int { 4 }

    private let count: Int
    private let work: @Sendable (Int) -> Output
    private let monitor = Monitor()
    private var waiting: [Output] = []
    /// Results that were used: whoever made them can free their memory at less cost.
    private var spent: [Output] = []
    private var current: Output?
    private var isEnding = false
    private var taken = 0
    private var thread: PosixThread?

    /// Starts at once.
    ///
    /// - Parameters:
    ///   - count: how many results there are.
    ///   - usesThread: whether they take long enough for a second thread; without one, and where
    ///     none is to be had, each is computed when it is taken.
    ///   - work: computes the result of a place, for ascending places. What it touches is its own
    ///     until ``finish()`` returns.
    package init(count: Int, usesThread: Bool, work: @escaping @Sendable (Int) -> Output) {
        self.count = count
        self.work = work
        if usesThread { thread = PosixThread { [self] in run() } }
    }

    /// The next result; there must be one.
    package func next() -> Output {
        guard thread != nil else {
            defer { taken += 1 }
            return work(taken)
        }
        return monitor.locked {
            while waiting.isEmpty { monitor.wait() }
            monitor.wake()
            if let current { spent.append(current) }
            let next = waiting.removeFirst()
            current = next
            return next
        }
    }

    /// Ends the thread; results that were not taken are dropped.
    package func finish() {
        guard let thread else { return }
        monitor.locked {
            isEnding = true
            monitor.wake()
        }
        thread.join()
        self.thread = nil
    }

    private func run() {
        for place in 0..<count { guard put(work(place)) else { return } }
    }

    /// Puts a result where it is taken; false when no more are wanted.
    private func put(_ result: Output) -> Bool {
        // Freed here, outside of the lock.
        var used: [Output] = []
        return monitor.locked {
            while waiting.count >= Self.waitingMax, !isEnding { monitor.wait() }
            swap(&used, &spent)
            waiting.append(result)
            monitor.wake()
            return !isEnding
        }
    }
}

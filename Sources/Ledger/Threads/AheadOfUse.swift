/// The results of a list, computed on a second thread some places ahead of whoever takes them, in
/// order.
///
/// `@unchecked Sendable`: `waiting` and `isEnding` are read and written only while `monitor` is
/// held; `taken` and `thread` are the taker's alone.
final class AheadOfUse<Output: Sendable>: @unchecked Sendable {
    /// Results that may wait to be taken.
    private static var waitingMax: Int { 4 }

    private let count: Int
    private let work: @Sendable (Int) -> Output
    private let monitor = Monitor()
    private var waiting: [Output] = []
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
    init(count: Int, usesThread: Bool, work: @escaping @Sendable (Int) -> Output) {
        self.count = count
        self.work = work
        if usesThread { thread = PosixThread { [self] in run() } }
    }

    /// The next result; there must be one.
    func next() -> Output {
        guard thread != nil else {
            defer { taken += 1 }
            return work(taken)
        }
        return monitor.locked {
            while waiting.isEmpty { monitor.wait() }
            monitor.wake()
            return waiting.removeFirst()
        }
    }

    /// Ends the thread; results that were not taken are dropped.
    func finish() {
        guard let thread else { return }
        monitor.locked {
            isEnding = true
            monitor.wake()
        }
        thread.join()
        self.thread = nil
    }

    private func run() {
        for place in 0..<count {
            let mayGoOn = monitor.locked {
                while waiting.count >= Self.waitingMax, !isEnding { monitor.wait() }
                return !isEnding
            }
            guard mayGoOn else { return }
            let result = work(place)
            monitor.locked {
                waiting.append(result)
                monitor.wake()
            }
        }
    }
}

import Dispatch
import Synchronization

/// Runs a closure on a thread of its own, for calls that block.
final class Worker<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> T) {
        DispatchQueue.global().async { [self] in
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
    }

    func join() throws -> T? {
        done.wait()
        return try result.withLock { $0 }?.get()
    }
}

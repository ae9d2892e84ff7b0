internal import Ledger
internal import Synchronization

/// What the service's thread and its callers share; each field says who guards it.
final class ServiceShared: Sendable {
    /// What a caller asks of the thread.
    enum Command: Sendable {
        case add(PeerAddress)
        case remove(ReplicaID)
        case callNow
        case stop
        /// A name was looked up for a call.
        case resolved(ReplicaID, Result<[InternetAddress], SyncError>)
    }

    private struct State {
        var commands: [Command] = []
        var snapshot = SyncSnapshot()
        var subscribers: [Int: AsyncStream<SyncEvent>.Continuation] = [:]
        var observers: [@Sendable (SyncEvent) -> Void] = []
        var nextSubscriber = 0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let logHasChanged = Atomic(false)
    let waker: Waker

    init() throws(SyncError) { waker = try Waker() }

    func send(_ command: Command) {
        state.withLock { $0.commands.append(command) }
        waker.wake()
    }

    func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// May be called under any lock: it touches an atomic and a pipe.
    func noteLogChange() {
        logHasChanged.store(true, ordering: .releasing)
        waker.wake()
    }

    func takeLogChange() -> Bool {
        logHasChanged.exchange(false, ordering: .acquiringAndReleasing)
    }

    var snapshot: SyncSnapshot { state.withLock { $0.snapshot } }

    func update(_ body: (inout SyncSnapshot) -> Void) { state.withLock { body(&$0.snapshot) } }

    /// A new stream of what happens from now on; slow readers miss the oldest.
    func subscribe(buffering count: Int) -> AsyncStream<SyncEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncEvent.self, bufferingPolicy: .bufferingNewest(count))
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded else { return nil }
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    func observe(_ observer: @escaping @Sendable (SyncEvent) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    func tell(_ event: SyncEvent) {
        // Outside the lock: whoever hears of it may ask the service at once.
        let (subscribers, observers) = state.withLock {
            (Array($0.subscribers.values), $0.observers)
        }
        for observer in observers { observer(event) }
        for subscriber in subscribers { subscriber.yield(event) }
    }

    func endStreams() {
        let subscribers = state.withLock { state in
            state.hasEnded = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}

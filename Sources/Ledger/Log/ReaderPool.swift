internal import Synchronization

/// Connections for long reads, so that a slow reader of history keeps nobody from recording.
final class ReaderPool: Sendable {
    /// `@unchecked Sendable`: a core is in the pool or with one call, never both; it
    /// goes from one to the other under the mutex of `idle`.
    private struct Idle: @unchecked Sendable {
        let core: Core
    }

    let path: String
    private let mode: Database.Mode
    private let environment: LedgerEnvironment
    /// Nil once closed.
    private let idle = Mutex<[Idle]?>([])
    private static let idleMax = 2

    init(path: String, mode: Database.Mode, environment: LedgerEnvironment) {
        self.path = path
        self.mode = mode
        self.environment = environment
    }

    /// Runs `body` with a core that nobody else uses meanwhile.
    func withReader<R>(
        _ body: (Core) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        var taken = idle.withLock { $0?.popLast() }
        if taken == nil { taken = Idle(core: try make()) }
        guard let reader = taken else { throw LedgerError(.io, "No connection could be opened.") }
        defer {
            idle.withLock { if $0?.count ?? Self.idleMax < Self.idleMax { $0?.append(reader) } }
        }
        return try body(reader.core)
    }

    /// Closes connections as soon as nobody uses them: SQLite tidies up at the last one.
    func close() { idle.withLock { $0 = nil } }

    private func make() throws(LedgerError) -> Core {
        let store = try EventStore.open(
            path, mode: mode, lockWaitMilliseconds: environment.lockWaitMilliseconds)
        return try Core(store: store, access: .readOnly, keys: nil, environment: environment)
    }
}

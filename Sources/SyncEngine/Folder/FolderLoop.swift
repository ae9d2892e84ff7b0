#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Runs a ``FolderWatcher`` on the thread that calls ``run()``, woken by the system when files
/// change.
///
/// ```swift
/// let watcher = FolderWatcher(DropFolder(folder, of: ledger))
/// let loop = try FolderLoop(watcher) { step in steps.add(step) }
/// let running = Worker { loop.run() }
/// loop.stop()
/// ```
public final class FolderLoop: Sendable {
    private let watcher: FolderWatcher
    private let onStep: @Sendable (FolderStep) -> Void
    private let changes = FolderChanges()
    /// A byte in this pipe wakes the loop: 0 to end it, 1 to scan.
    private let wake: (read: Int32, write: Int32)

    /// Makes a loop that does not run yet.
    ///
    /// - Parameters:
    ///   - watcher: what it runs.
    ///   - onStep: called after each step that did or says something, on the thread of ``run()``.
    /// - Throws: `io` when the system gives no pipe.
    public init(
        _ watcher: FolderWatcher, onStep: @escaping @Sendable (FolderStep) -> Void
    ) throws(SyncError) {
        self.watcher = watcher
        self.onStep = onStep
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else { throw SyncError(call: "pipe", errno) }
        wake = (pipes[0], pipes[1])
        for end in pipes {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        _ = PosixCall.close(wake.read)
        _ = PosixCall.close(wake.write)
    }

    /// Scans, takes in and publishes until ``stop()`` is called; then publishes what waits.
    ///
    /// Blocks: call it once, from a thread of its own.
    public func run() {
        var watcher = watcher
        while true {
            let step = watcher.tick(at: Self.now())
            if step.report != nil { changes.watch(watcher.directoriesToWatch) }
            if step.report != nil || !step.notices.isEmpty || step.isAnswer { onStep(step) }
            switch wait(until: step.nextTick) {
            case .stopped:
                let last = watcher.finish(at: Self.now())
                if last.report != nil || !last.notices.isEmpty { onStep(last) }
                return
            case .changed: watcher.folderChanged()
            case .asked: watcher.askForScan()
            case .nothing: break
            }
        }
    }

    /// Ends ``run()``; may be called from any thread, also before it runs.
    public func stop() { write(0) }

    /// Has the folder scanned now, and what waits published; may be called from any thread.
    ///
    /// The step that does it is told with ``FolderStep/isAnswer``, also where it came to nothing.
    public func scan() { write(1) }

    private func write(_ byte: UInt8) {
        _ = [byte].withUnsafeBytes { PosixCall.write(wake.write, $0.baseAddress, 1) }
    }

    private enum Waking { case nothing, changed, asked, stopped }

    private func wait(until time: Int64) -> Waking {
        var entries = [
            pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: changes.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // A negative descriptor is skipped.
        _ = poll(&entries, 2, Int32(clamping: max(0, time - Self.now())))
        var bytes = [UInt8](repeating: 1, count: 64)
        let count = bytes.withUnsafeMutableBytes {
            PosixCall.read(wake.read, $0.baseAddress, $0.count)
        }
        if count > 0, bytes.prefix(count).contains(0) { return .stopped }
        let hasChanged = changes.drain()
        return count > 0 ? .asked : hasChanged ? .changed : .nothing
    }

    /// Milliseconds on a clock that runs on.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

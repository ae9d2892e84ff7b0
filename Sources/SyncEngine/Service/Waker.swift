internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Ends a poll from another thread, by a byte in a pipe.
final class Waker: Sendable {
    private let ends: (read: Int32, write: Int32)
    /// Whether a byte is in the pipe: many wakes cost one.
    private let isSet = Atomic(false)

    init() throws(SyncError) {
        var pipes: [Int32] = [-1, -1]
        guard pipe(&pipes) == 0 else { throw SyncError(call: "pipe", errno) }
        ends = (pipes[0], pipes[1])
        for end in pipes {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        _ = PosixCall.close(ends.read)
        _ = PosixCall.close(ends.write)
    }

    /// Readable when somebody woke.
    var descriptor: Int32 { ends.read }

    func wake() {
        guard !isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = [UInt8(0)].withUnsafeBytes { PosixCall.write(ends.write, $0.baseAddress, 1) }
    }

    /// Takes the byte out; what was asked for before is to be looked at after this.
    func clear() {
        var byte: UInt8 = 0
        while PosixCall.read(ends.read, &byte, 1) > 0 {}
        isSet.store(false, ordering: .releasing)
    }
}

import Synchronization

@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Two connected sockets; who takes an end over closes it.
struct SocketPair: Sendable {
    let left: Int32
    let right: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        #else
        let result = socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
        #endif
        guard result == 0 else { throw SyncError(call: "socketpair", errno) }
        (left, right) = (ends[0], ends[1])
    }

    func closeRight() { close(right) }
}

/// A clock that moves on by a step each time it is asked.
final class SteppingClock: Sendable {
    private let now = Mutex<Int64>(0)
    private let step: Int64

    init(step: Int64) { self.step = step }

    @Sendable func milliseconds() -> Int64 {
        now.withLock { now in
            now += step
            return now
        }
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A pipe whose readable end tells threads that wait in poll(2) to look around.
final class WakePipe: Sendable {
    let read: Int32
    private let write: Int32

    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .io("Cannot make a pipe", errno: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (read, write) = (ends[0], ends[1])
    }

    deinit {
        close(read)
        close(write)
    }

    /// Makes the pipe readable; a full one is readable already.
    func wake(_ byte: UInt8 = 0) {
        _ = withUnsafeBytes(of: byte) { PosixIO.write(write, $0.baseAddress, 1) }
    }

    /// Takes what was written.
    func drain() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, PosixIO.read(read, buffer.baseAddress, 256))
        }
    }
}

/// C functions under a name that no method of ours can hide.
enum PosixIO {
    static func read(_ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, target, count)
        #else
        Darwin.read(descriptor, target, count)
        #endif
    }

    static func write(_ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, source, count)
        #else
        Darwin.write(descriptor, source, count)
        #endif
    }

    /// Waits until one of the descriptors can be read or written; false when time is up.
    ///
    /// - Parameters:
    ///   - reading: whose data is waited for; negative ones are left out.
    ///   - writing: a descriptor that is to take data.
    ///   - milliseconds: how long; negative for ever.
    /// - Returns: those that are ready, or have ended.
    static func ready(
        reading: [Int32], writing: Int32 = -1, milliseconds: Int32
    ) -> Set<Int32> {
        var entries = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if writing >= 0 {
            entries.append(pollfd(fd: writing, events: Int16(POLLOUT), revents: 0))
        }
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
        return Set(entries.filter { $0.revents != 0 }.map(\.fd))
    }
}

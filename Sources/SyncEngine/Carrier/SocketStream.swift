#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A connected socket, closed with its owner and not shared between threads.
package final class SocketStream: ByteStream {
    let descriptor: Int32

    /// Takes over a connected socket.
    package init(owning descriptor: Int32) throws(SyncError) {
        self.descriptor = descriptor
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw SyncError(call: "fcntl", errno)
        }
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { _ = PosixCall.close(descriptor) }

    /// Tells the peer that nothing more comes; what it sends can still be read.
    func finishWriting() {
        #if canImport(Glibc)
        shutdown(descriptor, Int32(SHUT_WR))
        #else
        shutdown(descriptor, SHUT_WR)
        #endif
    }

    package func wait(
        forReading: Bool, forWriting: Bool, milliseconds: Int32
    ) throws(SyncError) -> Readiness {
        let events = (forReading ? POLLIN : 0) | (forWriting ? POLLOUT : 0)
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let count = poll(&entry, 1, milliseconds)
        if count < 0, errno != EINTR { throw SyncError(call: "poll", errno) }
        guard count > 0 else { return Readiness() }
        // A peer that hung up is noticed by the read that follows.
        let ended = Int32(entry.revents) & (POLLHUP | POLLERR) != 0
        return Readiness(
            canRead: Int32(entry.revents) & POLLIN != 0 || ended,
            canWrite: Int32(entry.revents) & POLLOUT != 0)
    }

    package func read(upTo count: Int) throws(SyncError) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = recv(descriptor, buffer.baseAddress, count, 0)
            if result < 0 { failure = errno }
            filled = max(0, result)
        }
        switch failure {
        case 0: return bytes
        case EAGAIN, EINTR: return nil
        case ECONNRESET: return []
        default: throw SyncError(call: "recv", failure)
        }
    }

    package func write(_ bytes: ArraySlice<UInt8>) throws(SyncError) -> Int {
        #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags: Int32 = 0
        #endif
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EPIPE, ECONNRESET:
            throw SyncError(.closed, "The peer closed the connection; connect again to go on.")
        default: throw SyncError(call: "send", errno)
        }
    }
}

extension SyncError {
    /// A system call on a socket that failed.
    init(call: String, _ code: Int32) {
        self.init(
            .io, "The operating system refused a call on a socket.",
            cause: "\(call): \(PosixCall.message(code))")
    }
}

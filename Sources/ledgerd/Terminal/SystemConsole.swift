internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The real streams and environment of this process.
final class SystemConsole: Console {
    let ledgerEnvironment = LedgerEnvironment()

    init() {
        // A reader that went away is told by EPIPE; the signal would end the process between two
        // steps of a command that changes the ledger.
        signal(SIGPIPE, SIG_IGN)
    }

    func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

    var columns: Int? {
        var size = winsize()
        guard ioctl(Stream.output.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    func write(_ bytes: [UInt8], to stream: Stream) -> Int32? {
        FileDescriptor.writeAll(bytes, to: stream.rawValue)
    }

    func read(_ count: Int) throws(Failure) -> [UInt8] {
        try FileDescriptor.read(count, from: Stream.input.rawValue, name: "standard input")
    }

    func pause(milliseconds: Int) -> Bool {
        // Waiting on the output itself, so that a reader that goes away ends the wait.
        var output = pollfd(fd: Stream.output.rawValue, events: 0, revents: 0)
        return poll(&output, 1, Int32(clamping: milliseconds)) <= 0
    }

    func onTermination(_ stop: @escaping @Sendable () -> Void) {
        SignalWatch.start([SIGTERM, SIGINT, SIGHUP]) { _ in
            stop()
            return false
        }
    }
}

/// Loops around read(2) and write(2), which may do less than asked.
enum FileDescriptor {
    /// Writes all bytes; nil, or the error number.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { buffer in
                write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                offset += count
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Reads up to `count` bytes; empty at the end.
    static func read(
        _ count: Int, from descriptor: Int32, name: String
    ) throws(Failure) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while true {
                #if canImport(Glibc)
                let got = Glibc.read(descriptor, buffer.baseAddress, count)
                #else
                let got = Darwin.read(descriptor, buffer.baseAddress, count)
                #endif
                if got >= 0 {
                    filled = got
                    return
                }
                if errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    poll(&wait, 1, -1)
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        if failure != 0 { throw .io("Cannot read \(name)", errno: failure) }
        return bytes
    }
}

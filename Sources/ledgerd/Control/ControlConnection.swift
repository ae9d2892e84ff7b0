internal import Ledger
internal import SyncEngine

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// One client's socket: lines in, lines out, all within bounds of size and time.
final class ControlConnection {
    /// A client that does not take its answers is dropped after this time.
    private let writeMillisecondsMax: Int64
    /// A line that was begun must end within this time.
    private static let lineMillisecondsMax: Int64 = 30_000
    private static let chunkBytes = 64 << 10

    let descriptor: Int32
    /// Becomes readable when the daemon stops.
    let stop: Int32
    private var buffer: [UInt8] = []
    private var scanned = 0
    private(set) var lineCount = 0
    private(set) var isOpen = true

    /// Takes over a connected socket that does not block.
    init(owning descriptor: Int32, stop: Int32, writeMillisecondsMax: Int64 = 10_000) {
        self.writeMillisecondsMax = writeMillisecondsMax
        self.descriptor = descriptor
        self.stop = stop
    }

    deinit { close(descriptor) }

    /// The next line; nil at the end, or when the daemon stops or the client is dropped.
    ///
    /// - Throws: `limit` for a line that is too long or takes too long; nothing follows then.
    func nextLine() throws(Failure) -> [UInt8]? {
        var begun: Int64?
        while isOpen {
            if let end = buffer[scanned...].firstIndex(of: 0x0A) { return take(upTo: end) }
            scanned = buffer.count
            if buffer.isEmpty {
                begun = nil
            } else if begun == nil {
                begun = now
            }
            let left = begun.map { Self.lineMillisecondsMax - (now - $0) }
            guard buffer.count <= ControlRequest.bytesMax, left.map({ $0 > 0 }) ?? true else {
                lineCount += 1
                throw Failure(
                    .data, code: "limit",
                    "A line must have at most \(ControlRequest.bytesMax) bytes and end within "
                        + "\(Self.lineMillisecondsMax / 1000) seconds.")
            }
            let ready = PosixIO.ready(
                reading: [descriptor, stop], milliseconds: left.map { Int32(clamping: $0) } ?? -1)
            if ready.contains(stop) { return nil }
            if ready.contains(descriptor), !fill() { return nil }
        }
        return nil
    }

    /// Waits until the client says something or hangs up, or the daemon stops; false when neither
    /// happened in time.
    func wait(milliseconds: Int32) -> Bool {
        guard buffer.isEmpty, isOpen else { return true }
        return !PosixIO.ready(reading: [descriptor, stop], milliseconds: milliseconds).isEmpty
    }

    /// Writes all bytes; false, and closed for good, when the client does not take them.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        var deadline = now + writeMillisecondsMax
        while isOpen, offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Self.sendFlags)
            }
            if count > 0 {
                offset += count
                deadline = now + writeMillisecondsMax
            } else if errno == EAGAIN, now < deadline {
                let wait = Int32(clamping: deadline - now)
                _ = PosixIO.ready(reading: [], writing: descriptor, milliseconds: wait)
            } else if errno != EINTR {
                isOpen = false
            }
        }
        return isOpen
    }

    #if canImport(Glibc)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #else
    private static let sendFlags: Int32 = 0
    #endif

    private var now: Int64 { SystemClock.monotonicNanoseconds() / 1_000_000 }

    private func take(upTo end: Int) -> [UInt8] {
        var line = Array(buffer[..<end])
        if line.last == 0x0D { line.removeLast() }
        buffer.removeFirst(end + 1)
        scanned = 0
        lineCount += 1
        return line
    }

    /// Reads what is there; false at the end.
    private func fill() -> Bool {
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { space, count in
            count = recv(descriptor, space.baseAddress, Self.chunkBytes, 0)
            if count < 0 {
                isOpen = errno == EAGAIN || errno == EINTR
                count = 0
            } else if count == 0 {
                isOpen = false
            }
        }
        buffer += chunk
        return isOpen
    }
}

internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Tells the service manager how the daemon is, by the protocol of sd_notify(3).
///
/// Datagrams to the socket that `NOTIFY_SOCKET` names: a dozen lines, and no library to load.
struct ServiceNotifier: Sendable {
    private let path: String?
    /// How often the manager wants a sign of life, in milliseconds; nil when it does not.
    let watchdogMilliseconds: Int64?

    /// Takes the manager's variables out of the environment, for they are meant for this process.
    init(_ console: any Console) {
        path = console.variable("NOTIFY_SOCKET")
        let isOurs =
            console.variable("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        let microseconds = console.variable("WATCHDOG_USEC").flatMap { Int64($0) }
        watchdogMilliseconds = isOurs ? microseconds.map { $0 / 1000 } : nil
        for name in ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"] { unsetenv(name) }
    }

    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)\nMAINPID=\(getpid())") }
    func stopping() { send("STOPPING=1\nSTATUS=Stopping") }
    func alive() { send("WATCHDOG=1") }
    func status(_ text: String) { send("STATUS=\(text)") }

    /// `MONOTONIC_USEC` tells the manager which reload this belongs to (Type=notify-reload).
    func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicNanoseconds() / 1000)")
    }

    private func send(_ text: String) {
        guard let path, var address = Self.address(path) else { return }
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A manager that does not read is no reason to wait.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // The path's own length: an abstract name is not ended by a zero.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let bytes = Array(text.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                sendto(descriptor, bytes, bytes.count, 0, address, length)
            }
        }
    }

    private static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        var bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "@"),
            bytes.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return nil }
        // unix(7): an abstract name begins with a zero byte, which the variable writes as @.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}

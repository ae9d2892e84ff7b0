#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Tells that something in some directories changed, where the system says so.
///
/// Only a hint: network file systems tell of nothing that other machines do, and a system that is
/// out of watches tells nothing at all. The full scan on an interval is what counts.
final class FolderChanges: Sendable {
    /// Becomes readable when something changed; -1 where the system has no such thing.
    let descriptor: Int32

    init() {
        #if canImport(Glibc)
        descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        #else
        descriptor = -1
        #endif
    }

    deinit { if descriptor >= 0 { _ = PosixCall.close(descriptor) } }

    /// Watches directories as well; those that are watched already cost a system call.
    func watch(_ directories: [String]) {
        #if canImport(Glibc)
        guard descriptor >= 0 else { return }
        let mask = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
        for directory in directories {
            _ = inotify_add_watch(
                descriptor, directory, UInt32(mask) | UInt32(IN_DELETE_SELF) | UInt32(IN_ONLYDIR))
        }
        #endif
    }

    /// Whether something changed since it was asked last.
    func drain() -> Bool {
        guard descriptor >= 0 else { return false }
        var hasChanged = false
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                PosixCall.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return hasChanged }
            hasChanged = true
        }
    }
}

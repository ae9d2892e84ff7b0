internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The one daemon of a state directory.
///
/// The lock is the kernel's and dies with the process; what the file says is a hint for those who
/// look for the daemon.
struct StateLock: ~Copyable {
    private static let name = "daemon.lock"
    private let descriptor: Int32

    /// - Throws: `busy` when a daemon runs there already; `noPermission`, `io`.
    init(_ directory: String) throws(Failure) {
        let path = "\(directory)/\(Self.name)"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .io("Cannot open \(path)", errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .io("Cannot lock \(path)", errno: errno) }
            let other = Self.note(directory)?["process"]?.integer.map { " (process \($0))" } ?? ""
            throw Failure(
                .busy, code: "inUse",
                "A daemon\(other) runs on \(directory) already; stop it first, or name another "
                    + "state directory.")
        }
    }

    /// Notes where this daemon is to be found.
    func announce(control: String) throws(Failure) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("process", getpid())
            writer.field("control", control)
        }
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw .io("Cannot write \(Self.name)", errno: errno)
        }
        if let error = FileDescriptor.writeAll(writer.bytes + [0x0A], to: descriptor) {
            throw .io("Cannot write \(Self.name)", errno: error)
        }
    }

    /// Takes the note away, so that nobody looks for a daemon that has ended.
    func retract() { ftruncate(descriptor, 0) }

    deinit { close(descriptor) }

    /// Where the daemon of a directory was to be found last; whether it still is, connecting tells.
    static func control(_ directory: String) -> String? { note(directory)?["control"]?.text }

    private static func note(_ directory: String) -> JSONValue? {
        guard let bytes = SmallFile.read("\(directory)/\(name)", max: 4096) else { return nil }
        return try? JSONReader.parse(bytes, file: name)
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A new file that only its owner reads; made before the secret exists, so that a secret never has
/// to be thrown away for want of a place.
struct SecretFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// - Throws: `exists` or `io`; an existing file is never overwritten.
    init(creating path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .io("Cannot create \(path)", errno: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    /// Writes the secret and waits until it is on the disk.
    consuming func write(_ text: String) throws(Failure) {
        if let error = FileDescriptor.writeAll(Array("\(text)\n".utf8), to: descriptor) {
            throw .io("Cannot write \(path)", errno: error)
        }
        guard fsync(descriptor) == 0 else { throw .io("Cannot write \(path)", errno: errno) }
    }

    /// Takes the file away again.
    consuming func discard() { unlink(path) }

    deinit { close(descriptor) }
}

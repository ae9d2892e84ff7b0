#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A file that appears under its name only once it is whole.
///
/// open temporary → write … → fsync → close → rename → fsync directory; whoever gives up before
/// ``commit()`` leaves nothing behind.
package final class OutputFile {
    private let path: String
    private let temporary: String
    private var descriptor: Int32

    package init(_ path: String) throws(LedgerError) {
        self.path = path
        temporary = "\(path).\(Base32.encode(try Crypto.random(5))).partial"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file("write", path) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(temporary)
    }

    package func write(_ bytes: [UInt8]) throws(LedgerError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                systemWrite(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .file("write", path) }
            written += count
        }
    }

    /// Makes the file durable and visible.
    package func commit() throws(LedgerError) {
        guard fsync(descriptor) == 0 else { throw .file("write", path) }
        let isClosed = close(descriptor) == 0
        descriptor = -1
        guard isClosed, rename(temporary, path) == 0 else {
            let error = LedgerError.file("write", path)
            unlink(temporary)
            throw error
        }
        try Files.syncDirectory(of: path)
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

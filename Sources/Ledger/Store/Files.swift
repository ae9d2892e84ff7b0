#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The few file operations a ledger needs beside its database, each durable when it returns.
enum Files {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether a directory on the way may not be looked into.
    static func isForbidden(_ path: String) -> Bool {
        access(path, F_OK) != 0 && errno == EACCES
    }

    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Whether this process could write beside `path`.
    static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

    static func makeDirectory(_ path: String) throws(LedgerError) {
        var built = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            built += (built.isEmpty || built.hasSuffix("/") ? "" : "/") + part
            if mkdir(built, 0o700) != 0, errno != EEXIST, !exists(built) {
                throw .file("make the directory", built)
            }
        }
    }

    /// Writes a new file with mode 0600, which under its name is whole or not there.
    ///
    /// open temporary → write → fsync → close → link → unlink temporary → fsync directory. A name
    /// that is taken is refused, which renaming would not do.
    static func writeNew(_ bytes: [UInt8], to path: String) throws(LedgerError) {
        if exists(path) { throw LedgerError(.exists, "\(path) is there already.") }
        let temporary = "\(path).\(Base32.encode(try Crypto.random(5))).partial"
        defer { unlink(temporary) }
        try write(bytes, to: temporary, named: path)
        if link(temporary, path) != 0 {
            // Not every file system has links; then whoever comes at the same moment is not seen.
            guard errno != EEXIST, !exists(path) else { throw .file("write", path) }
            try rename(temporary, to: path)
        }
        try syncDirectory(of: path)
    }

    private static func write(
        _ bytes: [UInt8], to temporary: String, named path: String
    ) throws(LedgerError) {
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file("make", path) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                writeDescriptor(
                    descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let error = LedgerError.file("write", path)
                close(descriptor)
                throw error
            }
            written += count
        }
        let synced = fsync(descriptor) == 0
        guard close(descriptor) == 0, synced else { throw .file("write", path) }
    }

    /// Makes a file that another library wrote durable.
    static func sync(_ path: String) throws(LedgerError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file("write", path) }
        try syncDirectory(of: path)
    }

    static func syncDirectory(of path: String) throws(LedgerError) {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(directory.isEmpty ? "/" : directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file("sync", directory) }
    }

    /// Gives a file another name, durably.
    static func rename(_ path: String, to target: String) throws(LedgerError) {
        #if canImport(Glibc)
        let code = Glibc.rename(path, target)
        #else
        let code = Darwin.rename(path, target)
        #endif
        guard code == 0 else { throw .file("rename", path) }
        try syncDirectory(of: target)
    }

    static func copy(_ source: String, to target: String) throws(LedgerError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw .file("open", source) }
        defer { close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .file("make", target) }
        defer { close(output) }
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .file("read", source) }
            if count == 0 { return }
            var written = 0
            while written < count {
                let step = chunk.withUnsafeBytes {
                    writeDescriptor(
                        output, $0.baseAddress?.advanced(by: written), count - written)
                }
                if step < 0 && errno == EINTR { continue }
                guard step > 0 else { throw .file("write", target) }
                written += step
            }
        }
    }

    /// A new private directory under the system's place for temporary files.
    static func makeTemporaryDirectory() throws(LedgerError) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp(3) writes its own letters over the six at the end.
        var template = Array((base + "/ledger-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .file("make a directory in", base) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func remove(_ path: String) { unlink(path) }
    static func removeDirectory(_ path: String) { rmdir(path) }
}

func readDescriptor(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func writeDescriptor(
    _ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int
) -> Int {
    write(descriptor, buffer, count)
}

extension LedgerError {
    static func file(_ action: String, _ path: String) -> LedgerError {
        let cause = String(cString: strerror(errno))
        switch errno {
        case ENOSPC, EDQUOT:
            return LedgerError(.noSpace, "No space to \(action) \(path); free some.", cause: cause)
        case EEXIST: return LedgerError(.exists, "\(path) is there already.", cause: cause)
        case ENOENT: return LedgerError(.notFound, "Could not \(action) \(path).", cause: cause)
        case EROFS, EACCES, EPERM:
            return LedgerError(.readOnly, "No permission to \(action) \(path).", cause: cause)
        default: return LedgerError(.io, "Could not \(action) \(path).", cause: cause)
        }
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The real file system.
package struct PosixFileSystem: FolderFileSystem {
    package init() {}

    package func entries(of directory: String) throws(FileFailure) -> [FolderEntry] {
        guard let stream = opendir(directory) else { throw FileFailure("opendir", errno) }
        defer { closedir(stream) }
        var entries: [FolderEntry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            // The name is a tuple of fixed size in Swift; the kernel ends it with a zero.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name != ".", name != ".." {
                entries.append(FolderEntry(name: name, kind: kind(of: directory + "/" + name)))
            }
        }
        guard errno == 0 else { throw FileFailure("readdir", errno) }
        return entries
    }

    /// Asked for each entry: some file systems leave `d_type` unknown.
    private func kind(of path: String) -> FolderEntry.Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .other }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }

    package func read(
        _ file: String, upTo count: Int
    ) throws(FileFailure) -> (bytes: [UInt8], length: Int) {
        // Without O_NONBLOCK a pipe that took the file's place would block for ever.
        let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("open", errno) }
        defer { _ = PosixCall.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure("fstat", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure("open", EINVAL) }
        let length = Int(status.st_size)
        var failure: Int32 = 0
        let wanted = max(0, min(count, length))
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted, let base = buffer.baseAddress {
                let result = PosixCall.read(descriptor, base + filled, wanted - filled)
                if result < 0, errno == EINTR { continue }
                if result < 0 { failure = errno }
                guard result > 0 else { break }
                filled += result
            }
        }
        guard failure == 0 else { throw FileFailure("read", failure) }
        return (bytes, length)
    }

    package func makeDirectory(_ path: String) throws(FileFailure) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw FileFailure("mkdir", errno) }
    }

    package func create(_ file: String) throws(FileFailure) -> Int32 {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileFailure("open", errno) }
        return descriptor
    }

    package func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32
    ) throws(FileFailure) -> Int {
        let count = bytes.withUnsafeBytes { PosixCall.write(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 || errno == EINTR else { throw FileFailure("write", errno) }
        return max(0, count)
    }

    package func synchronize(_ descriptor: Int32) throws(FileFailure) {
        #if canImport(Darwin)
        // fsync leaves bytes in the drive's cache there; network volumes know only fsync.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw FileFailure("fsync", errno) }
    }

    package func close(_ descriptor: Int32) throws(FileFailure) {
        guard PosixCall.close(descriptor) == 0 else { throw FileFailure("close", errno) }
    }

    package func rename(_ old: String, to new: String) throws(FileFailure) {
        guard PosixCall.rename(old, new) == 0 else { throw FileFailure("rename", errno) }
    }

    package func remove(_ file: String) throws(FileFailure) {
        guard unlink(file) == 0 else { throw FileFailure("unlink", errno) }
    }

    package func synchronizeDirectory(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("open directory", errno) }
        defer { _ = PosixCall.close(descriptor) }
        // FAT and some network file systems do not know this call; the trailer still decides.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw FileFailure("fsync directory", errno)
        }
    }
}

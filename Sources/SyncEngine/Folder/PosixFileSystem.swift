#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The real file system.
package struct PosixFileSystem: FolderFileSystem {
    /// The permissions of new files, of which the process's mask takes some away.
    private let mode: UInt32

    package init(mode: UInt32 = 0o666) { self.mode = mode }

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
            guard name != ".", name != ".." else { continue }
            if let found = Self.entry(name, in: dirfd(stream)) { entries.append(found) }
        }
        guard errno == 0 else { throw FileFailure("readdir", errno) }
        return entries
    }

    // The kind is asked for each entry: some file systems leave `d_type` unknown. Nil when it just
    // went away.
    private static func entry(_ name: String, in directory: Int32) -> FolderEntry? {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT ? nil : FolderEntry(name: name, kind: .other)
        }
        let kind: FolderEntry.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        return FolderEntry(
            name: name, kind: kind, length: Int(status.st_size), identity: UInt64(status.st_ino))
    }

    package func read(_ file: String, upTo count: Int) throws(FileFailure) -> FileContent {
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
        return FileContent(bytes: bytes, length: length, identity: UInt64(status.st_ino))
    }

    package func makeDirectory(_ path: String) throws(FileFailure) {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw FileFailure("mkdir", errno) }
    }

    package func create(_ file: String) throws(FileFailure) -> Int32 {
        let descriptor = open(
            file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
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
        guard fsync(descriptor) == 0 else { throw FileFailure("fsync directory", errno) }
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// What the file system says about room.
enum DiskSpace {
    /// Bytes that this user can still write below a directory; nil when it cannot be told.
    static func free(_ directory: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    /// A file's size in bytes; nil when it is not there.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Names the process that holds a database's write lock.
///
/// The kernel's list of locks is read, since opening the `-shm` file to ask about its lock would
/// drop SQLite's own locks when it is closed again (fcntl(2), "Record locks").
enum LockHolder {
    static func describe(database path: String) -> String {
        guard let process = writers(of: path + "-shm").first(where: { $0 != getpid() })
        else { return "Another process or thread" }
        let name = SmallFile.read("/proc/\(process)/comm", max: 64).map {
            String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)
        }
        return "Process \(process)" + (name.map { " (\($0))" } ?? "")
    }

    private static func writers(of path: String) -> [Int32] {
        var status = stat()
        guard stat(path, &status) == 0, let table = SmallFile.read("/proc/locks", max: 1 << 20)
        else { return [] }
        return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count >= 8, fields[3] == "WRITE",
                fields[5].hasSuffix(":\(status.st_ino)")
            else { return nil }
            return Int32(fields[4])
        }
    }
}

/// Reads and writes whole small files.
package enum SmallFile {
    /// Nil when the file cannot be read.
    package static func read(_ path: String, max: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < max {
            let count = chunk.withUnsafeMutableBytes {
                readDescriptor(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }
}

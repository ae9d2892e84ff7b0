#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Clock, memory and disk, and the one line of JSON that a measurement prints.
enum Measure {
    /// Seconds on a clock that does not jump.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// A field of `/proc/self/status` in kilobytes, such as `VmRSS` or `VmHWM`; -1 without one.
    static func residentKilobytes(_ field: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix(field + ":") else { continue }
            return Int(text.split { !$0.isNumber }.first ?? "") ?? -1
        }
        return -1
    }

    /// The size of all files in a directory.
    static func bytes(inDirectory path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var total = 0
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            if stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                total += Int(status.st_size)
            }
        }
        return total
    }

    static func report(_ fields: KeyValuePairs<String, Double>) {
        let parts = fields.map { name, value in
            let isWhole = value == value.rounded() && abs(value) < 1e15
            return "\"\(name)\":" + (isWhole ? String(Int(value)) : String(value))
        }
        print("{" + parts.joined(separator: ",") + "}")
    }
}

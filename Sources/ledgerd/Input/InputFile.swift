#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A small file, or standard input, read whole.
enum InputFile {
    private static let chunkBytes = 64 * 1024

    /// Reads everything.
    ///
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - bytesMax: more than this is refused.
    ///   - console: whose standard input it is.
    /// - Returns: the bytes.
    /// - Throws: `io`, or `data` for an input that is too long.
    static func read(
        _ path: String, bytesMax: Int, _ console: any Console
    ) throws(Failure) -> [UInt8] {
        if path == "-" {
            return try gather("standard input", bytesMax) { (count) throws(Failure) in
                try console.read(count)
            }
        }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .io("Cannot open \(path)", errno: errno) }
        defer { close(file) }
        return try gather(path, bytesMax) { (count) throws(Failure) in
            try FileDescriptor.read(count, from: file, name: path)
        }
    }

    private static func gather(
        _ name: String, _ bytesMax: Int, _ read: (Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try read(chunkBytes)
            if chunk.isEmpty { return bytes }
            bytes += chunk
            guard bytes.count <= bytesMax else {
                throw .data("\(name) has more than \(bytesMax) bytes.")
            }
        }
    }
}

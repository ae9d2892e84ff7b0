#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Lines of a file or of standard input, one at a time, in bounded memory.
struct LineReader: ~Copyable {
    /// A line longer than this is refused; a payload is at most 64 KiB.
    static let lineBytesMax = 1 << 20
    private static let chunkBytes = 64 * 1024

    /// The name that errors show.
    let name: String
    /// The number of the line last read, from 1.
    private(set) var line = 0
    private let descriptor: Int32?
    private let console: any Console
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Opens the input.
    ///
    /// - Parameters:
    ///   - path: a file, or `-` for standard input.
    ///   - console: whose standard input it is.
    /// - Throws: `io` when the file cannot be opened.
    init(_ path: String, _ console: any Console) throws(Failure) {
        self.console = console
        if path == "-" {
            name = "standard input"
            descriptor = nil
        } else {
            name = path
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw .io("Cannot open \(path)", errno: errno) }
            descriptor = file
        }
    }

    /// The next line without its end; nil at the end of the input.
    mutating func next() throws(Failure) -> [UInt8]? {
        var scanned = start
        while true {
            if let end = buffer[scanned...].firstIndex(of: 0x0A) { return take(upTo: end, 1) }
            scanned = buffer.count
            guard scanned - start <= Self.lineBytesMax else {
                throw .data("\(name):\(line + 1): the line is longer than 1 MiB.")
            }
            if isAtEnd { return start < buffer.count ? take(upTo: buffer.count, 0) : nil }
            buffer.removeFirst(start)
            scanned -= start
            start = 0
            let chunk = try read()
            isAtEnd = chunk.isEmpty
            buffer.append(contentsOf: chunk)
        }
    }

    private mutating func take(upTo end: Int, _ terminator: Int) -> [UInt8] {
        var bytes = Array(buffer[start..<end])
        if bytes.last == 0x0D { bytes.removeLast() }
        start = end + terminator
        line += 1
        return bytes
    }

    private func read() throws(Failure) -> [UInt8] {
        guard let descriptor else { return try console.read(Self.chunkBytes) }
        return try FileDescriptor.read(Self.chunkBytes, from: descriptor, name: name)
    }

    deinit {
        if let descriptor { close(descriptor) }
    }
}

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Bytes from outside, chunk by chunk, so that nothing large is ever held whole.
package struct ByteSource {
    /// How errors call it: a file's path, never its content.
    package let name: String
    private let read: () throws(LedgerError) -> [UInt8]

    /// - Parameters:
    ///   - name: how errors call it.
    ///   - read: the next chunk; an empty one is the end.
    package init(name: String, read: @escaping () throws(LedgerError) -> [UInt8]) {
        self.name = name
        self.read = read
    }

    /// Bytes that are in memory already.
    package init(_ bytes: [UInt8], name: String = "input", chunk: Int = 1 << 16) {
        var rest = bytes[...]
        self.init(name: name) { () throws(LedgerError) in
            let next = rest.prefix(chunk)
            rest = rest.dropFirst(chunk)
            return Array(next)
        }
    }

    /// A file, or standard input for `-`.
    package init(path: String) throws(LedgerError) {
        let isInput = path == "-"
        let name = isInput ? "standard input" : path
        let file = isInput ? InputFile(descriptor: 0, name: name) : try InputFile(path: path)
        self.init(name: name) { () throws(LedgerError) in try file.next() }
    }

    /// The first bytes, and a source that still begins with them.
    package func peeking(_ count: Int) throws(LedgerError) -> (start: [UInt8], source: ByteSource) {
        var start: [UInt8] = []
        while start.count < count {
            let chunk = try read()
            if chunk.isEmpty { break }
            start += chunk
        }
        var replayed: [UInt8]? = start
        let source = ByteSource(name: name) { () throws(LedgerError) in
            if let first = replayed, !first.isEmpty {
                replayed = nil
                return first
            }
            return try read()
        }
        return (start, source)
    }

    /// The next chunk; empty at the end.
    package func next() throws(LedgerError) -> [UInt8] { try read() }
}

/// An open file, closed with its last user; descriptors given from outside stay open.
private final class InputFile {
    private let descriptor: Int32
    private let name: String
    private let isOwned: Bool
    private static let chunkBytes = 1 << 16

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        isOwned = false
    }

    init(path: String) throws(LedgerError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", path) }
        self.descriptor = descriptor
        name = path
        isOwned = true
    }

    deinit { if isOwned { close(descriptor) } }

    func next() throws(LedgerError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while true {
            let count = chunk.withUnsafeMutableBytes {
                readDescriptor(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .file("read", name) }
            chunk.removeLast(chunk.count - count)
            return chunk
        }
    }
}

/// One line of a text.
package struct TextLine: Sendable, Hashable {
    /// Its number, from 1.
    package let number: Int
    /// Its bytes without the line break; empty where ``problem`` is set.
    package let bytes: [UInt8]
    /// Why it cannot be used.
    package let problem: String?
}

/// Splits bytes at line feeds; a carriage return before one goes with it, a mark at the start too.
package struct LineReader {
    /// The longest line that is taken; longer ones are skipped with a problem.
    package static let lineBytesMax = 1 << 20

    private let source: ByteSource
    private var chunk: ArraySlice<UInt8> = []
    private var number = 0
    private var isDone = false

    package init(_ source: ByteSource) { self.source = source }

    /// The next line; nil at the end.
    package mutating func next() throws(LedgerError) -> TextLine? {
        var line: [UInt8] = []
        var isOverlong = false
        var isAnything = false
        while !isDone {
            if chunk.isEmpty {
                chunk = try source.next()[...]
                isDone = chunk.isEmpty
                continue
            }
            isAnything = true
            let end = chunk.firstIndex(of: 0x0A)
            let part = chunk[..<(end ?? chunk.endIndex)]
            isOverlong = isOverlong || line.count + part.count > Self.lineBytesMax
            if isOverlong { line = [] } else { line.append(contentsOf: part) }
            chunk = chunk[(end.map { $0 + 1 } ?? chunk.endIndex)...]
            if end != nil { break }
        }
        guard isAnything else { return nil }
        number += 1
        if isOverlong {
            return TextLine(
                number: number, bytes: [], problem: "longer than \(Self.lineBytesMax) bytes")
        }
        if line.last == 0x0D { line.removeLast() }
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        return TextLine(number: number, bytes: line, problem: nil)
    }
}

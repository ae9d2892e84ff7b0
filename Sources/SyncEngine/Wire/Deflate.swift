internal import CZlib

/// Bare deflate streams (RFC 1951); the only caller of zlib.
enum Deflate {
    /// No input byte can stand for more output than this (two literal-length codes of 258 bytes
    /// in the shortest codes), so a longer promise is a lie.
    private static let ratioMax = 1040
    /// Columns differ in what they hold; from this length on one is worth a code table of its own.
    private static let blockLengthMin = 256
    /// Higher levels gain less than 2 % on the columns and take twice the time.
    private static let level: Int32 = 1

    /// Compresses `content`, ending a block at each of `edges`, which ascend and end at its length.
    static func compress(_ content: [UInt8], edges: [Int]) throws(SyncError) -> [UInt8] {
        var stream = z_stream()
        // A short content needs no window of 32 KiB, which would cost more to clear than to fill.
        let isShort = content.count <= 4096
        guard czlib_deflate_init(&stream, level, isShort ? 12 : 15, isShort ? 5 : 8) == Z_OK else {
            throw failed("deflate")
        }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(content.count))) + 16 * (edges.count + 1)
        var isWhole = true
        let packed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(clamping: output.count)
            content.withUnsafeBytes { input in
                let bytes = input.bindMemory(to: UInt8.self)
                var start = 0
                for edge in edges where isWhole {
                    let isLast = edge == content.count
                    guard isLast || edge - start >= blockLengthMin else { continue }
                    stream.next_in = UnsafeMutablePointer(
                        mutating: bytes.baseAddress.map { $0 + start })
                    stream.avail_in = UInt32(clamping: edge - start)
                    let result = deflate(&stream, isLast ? Z_FINISH : Z_BLOCK)
                    isWhole = stream.avail_in == 0 && result == (isLast ? Z_STREAM_END : Z_OK)
                    start = edge
                }
            }
            count = output.count - Int(stream.avail_out)
        }
        guard isWhole else { throw failed("deflate") }
        return packed
    }

    /// Expands a stream that must come to exactly `length` bytes and use all of its input.
    static func expand(
        _ packed: UnsafeRawBufferPointer, to length: Int
    ) throws(SyncError) -> [UInt8] {
        guard length / ratioMax <= packed.count else {
            throw SyncError(.malformed, "Compressed bytes promise more than they can hold.")
        }
        var stream = z_stream()
        guard czlib_inflate_init(&stream) == Z_OK else { throw failed("inflate") }
        defer { inflateEnd(&stream) }
        var isWhole = false
        let content = [UInt8](unsafeUninitializedCapacity: max(length, 1)) { output, count in
            stream.next_in = UnsafeMutablePointer(
                mutating: packed.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(clamping: packed.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(clamping: length)
            let result = inflate(&stream, Z_FINISH)
            isWhole = result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0
            count = isWhole ? length : 0
        }
        guard isWhole else {
            throw SyncError(.malformed, "Compressed bytes do not expand to what they announce.")
        }
        return content
    }

    private static func failed(_ what: String) -> SyncError {
        SyncError(.io, "zlib refused to \(what); the machine may be out of memory.")
    }
}

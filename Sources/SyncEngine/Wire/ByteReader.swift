package import Ledger

/// Reads a message from a buffer that it does not own; every length is checked before it is used.
package struct ByteReader {
    private let buffer: UnsafeRawBufferPointer
    package private(set) var offset = 0

    /// The buffer must outlive the reader: make and use it inside `withUnsafeBytes`.
    package init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    package var remaining: Int { buffer.count - offset }

    package func malformed(_ what: String) -> SyncError {
        SyncError(.malformed, "Byte \(offset): \(what).")
    }

    package func end() throws(SyncError) {
        guard remaining == 0 else { throw malformed("bytes after the end") }
    }

    /// The next bytes, in place.
    package mutating func take(_ count: Int) throws(SyncError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw malformed("cut off") }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: buffer[offset..<(offset + count)])
    }

    package mutating func byte() throws(SyncError) -> UInt8 {
        guard remaining > 0 else { throw malformed("cut off") }
        defer { offset += 1 }
        return buffer[offset]
    }

    /// A byte that is 0 or 1.
    package mutating func flag() throws(SyncError) -> Bool {
        let value = try byte()
        guard value <= 1 else { throw malformed("a flag that is neither 0 nor 1") }
        return value == 1
    }

    package mutating func number() throws(SyncError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let group = try byte()
            guard shift < 63 || group <= 1 else { break }
            value |= UInt64(group & 0x7F) << shift
            if group & 0x80 == 0 {
                guard group != 0 || shift == 0 else {
                    throw malformed("a number not in the fewest bytes")
                }
                return value
            }
        }
        throw malformed("a number over 64 bits")
    }

    /// A number that must not pass a limit, so that nothing is allocated on a stranger's word.
    package mutating func number(atMost limit: Int, _ what: String) throws(SyncError) -> Int {
        let value = try number()
        guard value <= UInt64(limit) else {
            throw SyncError(.limit, "Byte \(offset): \(what) over \(limit).")
        }
        return Int(value)
    }

    package mutating func signed() throws(SyncError) -> Int64 {
        let value = try number()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    package mutating func fixed<T: FixedWidthInteger>(_ type: T.Type) throws(SyncError) -> T {
        T(bigEndian: try take(MemoryLayout<T>.size).loadUnaligned(as: T.self))
    }

    package mutating func hash() throws(SyncError) -> Bytes32 {
        guard let base = try take(32).baseAddress else { throw malformed("cut off") }
        return Bytes32(at: base)
    }

    package mutating func half() throws(SyncError) -> Bytes16 {
        guard let base = try take(16).baseAddress else { throw malformed("cut off") }
        return Bytes16(at: base)
    }

    package mutating func text(atMost limit: Int) throws(SyncError) -> String {
        let count = try number(atMost: limit, "a text")
        guard let text = String(validating: try take(count), as: UTF8.self) else {
            throw malformed("text that is not UTF-8")
        }
        return text
    }

    /// Decodes a whole buffer; bytes left over are an error.
    package static func decode<T>(
        _ bytes: [UInt8], _ body: (inout ByteReader) throws(SyncError) -> T
    ) throws(SyncError) -> T {
        let outcome: Result<T, SyncError> = bytes.withUnsafeBytes { buffer in
            do throws(SyncError) {
                var reader = ByteReader(buffer)
                let value = try body(&reader)
                try reader.end()
                return .success(value)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}

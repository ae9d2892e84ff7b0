/// RFC 4648 base32, lower case and unpadded: safe in file names on systems that ignore case.
package enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> bits & 31)])
            }
            buffer &= (1 << bits) - 1
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for a character outside the alphabet, an impossible length, or bits left over.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let read = read(text) else { return nil }
        return read.bits < 5 && read.rest == 0 ? read.bytes : nil
    }

    /// The whole bytes that a beginning of a base32 text stands for; nil outside the alphabet.
    package static func decodePrefix(_ text: String) -> [UInt8]? { read(text)?.bytes }

    /// The whole bytes, and the bits left over with their number.
    private static func read(_ text: String) -> (bytes: [UInt8], rest: UInt32, bits: UInt32)? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            buffer = buffer << 5 | value
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
            buffer &= (1 << bits) - 1
        }
        return (bytes, buffer, bits)
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The JSON that vector files are written in: objects keep their order, numbers stay below 2^53.
indirect enum JSON {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case list([JSON])
    case object([(String, JSON)])

    static func hex(_ bytes: some Sequence<UInt8>) -> JSON {
        let digits = Array("0123456789abcdef".utf8)
        return .text(
            String(
                decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
                as: UTF8.self))
    }

    /// Two spaces a level and a line for each entry, so that a changed byte is a changed line.
    func rendered(indent: Int = 0) -> String {
        let pad = String(repeating: " ", count: indent + 2)
        let end = "\n" + String(repeating: " ", count: indent)
        switch self {
        case .text(let text): return Self.quoted(text)
        case .number(let number): return String(number)
        case .flag(let flag): return flag ? "true" : "false"
        case .list(let items):
            if items.isEmpty { return "[]" }
            let lines = items.map { pad + $0.rendered(indent: indent + 2) }
            return "[\n" + lines.joined(separator: ",\n") + end + "]"
        case .object(let fields):
            if fields.isEmpty { return "{}" }
            let lines = fields.map {
                pad + Self.quoted($0.0) + ": " + $0.1.rendered(indent: indent + 2)
            }
            return "{\n" + lines.joined(separator: ",\n") + end + "}"
        }
    }

    /// Everything outside printable ASCII is escaped: editors must not normalise a sample.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0A: result += "\\n"
            case 0x20..<0x7F: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}

/// The vector files beside this source file.
enum VectorFile {
    static var isUpdating: Bool { getenv("UPDATE_VECTORS") != nil }

    private static func path(_ name: String) -> String {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return folder.joined(separator: "/") + "/Vectors/\(name).json"
    }

    static func read(_ name: String) -> String? {
        guard let file = fopen(path(name), "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, _ name: String) -> Bool {
        guard let file = fopen(path(name), "wb") else { return false }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        return fclose(file) == 0 && written == bytes.count
    }
}

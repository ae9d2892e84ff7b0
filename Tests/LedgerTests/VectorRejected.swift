@testable import Ledger

/// Bytes that a decoder must refuse, each by one thing that is wrong with it.
enum VectorRejected {
    struct Header {
        let name: String
        let bytes: [UInt8]
        /// So many replaced ids follow: 1, 2, 3 … as 32-byte numbers.
        var ascending = 0

        var whole: [UInt8] {
            bytes
                + (0..<ascending).flatMap { index in
                    [UInt8](repeating: 0, count: 30)
                        + [UInt8((index + 1) >> 8), UInt8(truncatingIfNeeded: index + 1)]
                }
        }
        var json: JSON {
            .object([
                ("name", .text(name)), ("header", .hex(bytes)),
                ("ascending", .number(Int64(ascending))),
            ])
        }
    }

    private static func change(_ bytes: [UInt8], _ offset: Int, _ new: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes.replaceSubrange(offset..<(offset + new.count), with: new)
        return bytes
    }

    /// A header that replaces nothing, and one that replaces two.
    private static func bases(_ events: VectorEvents) -> (plain: [UInt8], two: [UInt8]) {
        (events.events[2].header.bytes, events.events[6].header.bytes)
    }

    static func acceptedHeaders(_ events: VectorEvents) -> [Header] {
        let (plain, two) = bases(events)
        return [
            Header(name: "replaces nothing", bytes: plain),
            Header(name: "replaces two", bytes: two),
            Header(name: "replaces 1,024", bytes: change(plain, 40, [4, 0]), ascending: 1024),
            Header(
                name: "the last sequence",
                bytes: change(plain, 20, [0, 0x1F, 255, 255, 255, 255, 255, 255])),
            Header(name: "the longest payload", bytes: change(plain, 58, [0, 1, 0, 0])),
            Header(
                name: "the latest time", bytes: change(plain, 28, [UInt8](repeating: 255, count: 8))
            ),
        ]
    }

    static func headers(_ events: VectorEvents) -> [Header] {
        let (plain, two) = bases(events)
        let first = Array(two[94..<126])
        let second = Array(two[126..<158])
        return [
            Header(name: "empty", bytes: []),
            Header(name: "cut in the fixed part", bytes: Array(plain.dropLast())),
            Header(name: "cut in the replaced ids", bytes: Array(two.dropLast())),
            Header(name: "a byte too many", bytes: plain + [0]),
            Header(name: "a replaced id too many", bytes: two + [UInt8](repeating: 255, count: 32)),
            Header(name: "another magic", bytes: change(plain, 0, Array("CLE2".utf8))),
            Header(
                name: "a sequence of 2^53", bytes: change(plain, 20, [0, 0x20, 0, 0, 0, 0, 0, 0])),
            Header(name: "reserved flag 1", bytes: change(plain, 38, [0, 2])),
            Header(name: "reserved flag 15", bytes: change(plain, 38, [0x80, 1])),
            Header(name: "1,025 replaced", bytes: change(plain, 40, [4, 1]), ascending: 1025),
            Header(name: "a payload of 65,537 bytes", bytes: change(plain, 58, [0, 1, 0, 1])),
            Header(name: "unsorted ids", bytes: Array(two[..<94]) + second + first),
            Header(name: "doubled ids", bytes: Array(two[..<94]) + first + first),
        ]
    }

    typealias Item = (name: String, bytes: [UInt8])

    static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + text.utf8 }

    static let acceptedPayloads: [Item] = [
        ("empty", [0xA0]),
        ("16 buttons", [0xA1, 0x18, 28, 0x90] + [UInt8](repeating: 0x60, count: 16)),
        ("an unknown key, the largest", [0xA1, 0x1B] + [UInt8](repeating: 255, count: 8) + [0xF6]),
        (
            "an unknown field, 16 deep",
            [0xA1, 0x18, 99] + [UInt8](repeating: 0x81, count: 15) + [0]
        ),
        (
            "an unknown map, sorted by bytes and not by length",
            [0xA1, 0x18, 99, 0xA2, 0x18, 0x64, 0xF5, 0x20, 0xF4]
        ),
        ("the earliest wall clock", [0xA1, 0x13, 0x3B, 0x7F] + [UInt8](repeating: 255, count: 7)),
    ]

    static let payloads: [Item] = encodings + fields

    private static let encodings: [Item] = [
        ("empty", []),
        ("not a map", [0x80]),
        ("a byte too many", [0xA0, 0x00]),
        ("cut in a value", [0xA1, 0x01, 0x62, 0x6D]),
        ("more pairs promised than bytes", [0xBB] + [UInt8](repeating: 255, count: 8)),
        ("more text promised than bytes", [0xA1, 0x01, 0x7B] + [UInt8](repeating: 255, count: 8)),
        ("unsorted keys", [0xA2, 0x02, 0x61, 0x61, 0x01, 0x61, 0x62]),
        ("doubled keys", [0xA2, 0x01, 0x61, 0x61, 0x01, 0x61, 0x61]),
        ("a text key", [0xA1, 0x61, 0x61, 0x00]),
        ("a negative key", [0xA1, 0x20, 0x00]),
        ("a key that is not the shortest", [0xA1, 0x18, 0x01, 0x61, 0x61]),
        ("a length that is not the shortest", [0xA1, 0x01, 0x78, 0x01, 0x61]),
        ("a number that is not the shortest", [0xA1, 0x05, 0x19, 0x00, 0x01]),
        ("a map of indefinite length", [0xBF, 0xFF]),
        ("a text of indefinite length", [0xA1, 0x01, 0x7F, 0x61, 0x61, 0xFF]),
        ("a reserved head", [0xA1, 0x18, 99, 0x1C]),
        ("a tag", [0xA1, 0x18, 99, 0xC0, 0x61, 0x61]),
        ("a float", [0xA1, 0x18, 99, 0xF9, 0x3C, 0x00]),
        ("undefined", [0xA1, 0x18, 99, 0xF7]),
        ("a simple value", [0xA1, 0x18, 99, 0xF8, 0x20]),
        ("a number below -2^63", [0xA1, 0x18, 99, 0x3B, 0x80] + [UInt8](repeating: 0, count: 7)),
        ("text that is overlong UTF-8", [0xA1, 0x01, 0x62, 0xC0, 0x80]),
        ("text that is a surrogate", [0xA1, 0x01, 0x63, 0xED, 0xA0, 0x80]),
        ("an unknown map, unsorted", [0xA1, 0x18, 99, 0xA2, 0x20, 0xF4, 0x18, 0x64, 0xF5]),
        (
            "an unknown field, 17 deep",
            [0xA1, 0x18, 99] + [UInt8](repeating: 0x81, count: 16) + [0]
        ),
    ]

    private static let fields: [Item] = [
        ("a subject that is a number", [0xA1, 0x01, 0x01]),
        ("a scope of a later version", [0xA1, 0x05, 0x02]),
        ("an outcome of a later version", [0xA1, 0x06, 0x09]),
        ("a status of a later version", [0xA1, 0x07, 0x07]),
        ("a status of 256", [0xA1, 0x07, 0x19, 0x01, 0x00]),
        ("an extent of 3 in time", [0xA1, 0x08, 0x03]),
        ("an extent of 3 in accuracy", [0xA1, 0x08, 0x0C]),
        ("an extent of 3 in selection", [0xA1, 0x08, 0x18, 0x30]),
        ("an extent of 64", [0xA1, 0x08, 0x18, 0x40]),
        ("an authority of a later version", [0xA1, 0x09, 0x06]),
        ("an id of 31 bytes", [0xA1, 0x0A, 0x58, 0x1F] + [UInt8](repeating: 0, count: 31)),
        ("a digest that is text", [0xA1, 0x0B, 0x60]),
        ("a revision that ends in zero", [0xA1, 0x0C] + text("1.0")),
        ("a revision with a leading zero", [0xA1, 0x0C] + text("01")),
        ("a revision with an empty part", [0xA1, 0x0C] + text("1..2")),
        ("a revision of nine numbers", [0xA1, 0x0C] + text("1.1.1.1.1.1.1.1.1")),
        ("a revision of 2^32", [0xA1, 0x0C] + text("4294967296")),
        ("an empty revision", [0xA1, 0x0C, 0x60]),
        ("a time of 2^63", [0xA1, 0x13, 0x1B, 0x80] + [UInt8](repeating: 0, count: 7)),
        ("17 buttons", [0xA1, 0x18, 28, 0x91] + [UInt8](repeating: 0x60, count: 17)),
        ("a button that is a number", [0xA1, 0x18, 28, 0x81, 0x00]),
        ("a unit kind of a later version", [0xA1, 0x18, 32, 0x03]),
        ("a unit that is text", [0xA1, 0x18, 33, 0x60]),
    ]

    static func openings(_ identity: VectorIdentity) -> [Item] {
        func opening(_ fill: (inout FieldWriter) -> Void) -> [UInt8] {
            var fields = FieldWriter()
            fill(&fields)
            return fields.finish()
        }
        func begin(_ fields: inout FieldWriter, replica: [UInt8]?, epoch: [UInt8]) {
            fields.byteString(40, replica)
            fields.byteString(41, epoch)
            fields.bytes(42, identity.sealing.publicKey)
        }
        let (replica, epoch) = (identity.replica.bytes, identity.epochs[0].bytes)
        return [
            (
                "without a replica",
                opening {
                    begin(&$0, replica: nil, epoch: epoch); $0.number(48, 0)
                }
            ),
            (
                "an epoch of 15 bytes",
                opening {
                    begin(&$0, replica: replica, epoch: Array(epoch.dropLast()))
                    $0.number(48, 0)
                }
            ),
            ("without a reason", opening { begin(&$0, replica: replica, epoch: epoch) }),
            (
                "a reason of a later version",
                opening {
                    begin(&$0, replica: replica, epoch: epoch)
                    $0.number(48, 4)
                }
            ),
            (
                "a recovery key without a nonce",
                opening {
                    begin(&$0, replica: replica, epoch: epoch)
                    $0.bytes(43, identity.recovery.publicKey)
                    $0.number(48, 0)
                }
            ),
            (
                "a continued log without its root",
                opening {
                    begin(&$0, replica: replica, epoch: epoch)
                    $0.byteString(45, identity.logs[0].bytes)
                    $0.number(46, 1)
                    $0.number(48, 1)
                }
            ),
        ]
    }

    /// Names that must be refused before they are written.
    static let names: [(name: String, text: String)] = [
        ("empty", ""), ("513 bytes", String(repeating: "a", count: 513)),
        ("a line break", "a\nb"), ("delete", "a\u{7F}"), ("a C1 control", "a\u{85}"),
        ("an unassigned code point", "a\u{378}"),
    ]

    static let base32: [(name: String, text: String)] = [
        ("a digit outside the alphabet", "a1"), ("padding", "ae======"),
        ("an impossible length", "a"), ("bits left over", "ab"), ("a space", "ae ae"),
    ]
}

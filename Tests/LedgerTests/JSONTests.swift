import Ledger
import TestSupport
import Testing

@Suite struct JSONTests {
    private static let sample = """
        {"id": 125276004817190914, "text": "a\\u00e9\\ud83d\\ude00\\n\\"/\\\\", "none": null,
         "list": [true, false, -0.5e+10, [], {}], "Straße": "käse"}
        """

    private func parse(_ text: String) throws -> JSONValue {
        try JSONReader.parse(Array(text.utf8), file: "a.json")
    }

    @Test func `Reading keeps long numbers, escapes and the order of keys`() throws {
        let value = try parse(Self.sample)
        #expect(value["id"] == .number("125276004817190914"))
        #expect(value["id"]?.integer == 125_276_004_817_190_914)
        #expect(value["text"]?.text == "aé😀\n\"/\\")
        #expect(value["none"]?.isNull == true)
        #expect(value["list"]?.elements?.count == 5)
        #expect(value.members?.map(\.key) == ["id", "text", "none", "list", "Straße"])
        #expect(value.members?.last?.line == 2)
        #expect(value.members?.last?.column == 43)
    }

    @Test(arguments: [
        ("", "a.json:1:1:"), ("{", "a.json:1:2:"), ("[1,]", "a.json:1:4:"), ("01", "a.json:1:1:"),
        ("-", "a.json:1:1:"), ("1.", "a.json:1:3:"), ("1e", "a.json:1:3:"), ("+1", "a.json:1:1:"),
        ("nul", "a.json:1:1:"), ("NaN", "a.json:1:1:"), ("1 2", "a.json:1:3:"),
        ("{\"a\":1,\n \"a\":2}", "a.json:2:2:"), ("{\"a\" 1}", "a.json:1:6:"),
        ("{a:1}", "a.json:1:2:"), ("\"\\x\"", "a.json:1:2:"), ("\"\\ud800\"", "a.json:1:2:"),
        ("\"\\ud800\\ud800\"", "a.json:1:2:"), ("\"\\udc00\"", "a.json:1:2:"),
        ("\"\\u12g4\"", "a.json:1:2:"), ("\"a\nb\"", "a.json:1:3:"), ("\"abc", "a.json:1:1:"),
        ("\u{FEFF}1", "a.json:1:1:"), ("[1}", "a.json:1:3:"), ("\u{A0}1", "a.json:1:1:"),
    ])
    func `What RFC 8259 does not allow is refused with its place`(text: String, place: String) {
        let error = #expect(throws: LedgerError.self) { try parse(text) }
        #expect(error?.code == .malformed)
        #expect(error?.message.hasPrefix(place) == true, "\(error?.message ?? "")")
    }

    @Test func `A doubled key is found among many and however it is written`() {
        let many = (0..<40).map { "\"k\($0)\":0" } + ["\"\\u006b7\":1"]
        let error = #expect(throws: LedgerError.self) {
            try parse("{" + many.joined(separator: ",") + "}")
        }
        #expect(error?.message.contains("“k7” is given twice") == true)
    }

    @Test func `An error does not show a doubled key that may be a person`() {
        let error = #expect(throws: LedgerError.self) {
            try parse(#"{"jo@example.org": 1, "jo@example.org": 2}"#)
        }
        #expect(error?.message.contains("example.org") == false)
    }

    @Test func `Bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] {
            #expect(throws: LedgerError.self) {
                try JSONReader.parse([0x22] + bytes + [0x22], file: "a.json")
            }
        }
    }

    @Test func `Depth and size are limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(64))
        #expect(throws: LedgerError.self) { try parse(nested(65)) }
        #expect(throws: LedgerError.self) { try parse(nested(100_000)) }
        let error = #expect(throws: LedgerError.self) {
            try JSONReader.parse(Array("[1, 2]".utf8), file: "a.json", bytesMax: 5)
        }
        #expect(error?.code == .limit)
    }

    @Test func `Lines are counted from the given one`() {
        let error = #expect(throws: LedgerError.self) {
            try JSONReader.parse(Array("{}}".utf8), file: "log.jsonl", firstLine: 17)
        }
        #expect(error?.message.hasPrefix("log.jsonl:17:3:") == true)
    }

    @Test func `Writing escapes control characters and keeps other text as UTF-8`() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("a", "\u{1}\u{1F}\u{7F}\n\t\r\"\\é😀")
            writer.field("n", Int64.min)
            writer.field("left out", ifPresent: nil)
            writer.arrayField("list") { writer in
                writer.value(true)
                writer.null()
                writer.array { _ in }
                writer.object { $0.field("deep", UInt64.max) }
            }
        }
        let expected =
            #"{"a":"\u0001\u001f\u007f\n\t\r\"\\é😀","n":-9223372036854775808,"#
            + #""list":[true,null,[],{"deep":18446744073709551615}]}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test func `The form for people is indented`() throws {
        let pretty = try parse(#"{"a":[1,{"b":null}],"c":{},"d":[]}"#).encoded(pretty: true)
        let expected = """
            {
              "a": [
                1,
                {
                  "b": null
                }
              ],
              "c": {},
              "d": []
            }
            """
        #expect(String(decoding: pretty, as: UTF8.self) == expected)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `Random changes never trap, and what is read comes back the same`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let source = Array(Self.sample.utf8)
        for _ in 0..<500 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch UInt8.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(source.randomElement(using: &random) ?? 0, at: index)
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { break }
            }
            guard let value = try? JSONReader.parse(bytes, file: "fuzz") else { continue }
            #expect(try JSONReader.parse(value.encoded, file: "again") == value, "seed \(seed)")
            #expect(
                try JSONReader.parse(value.encoded(pretty: true), file: "again") == value,
                "seed \(seed)")
        }
    }
}

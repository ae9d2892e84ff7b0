import Testing

@testable import Ledger

@Suite struct CSVTests {
    private func read(_ text: String, chunk: Int = 1 << 16) throws -> [CSVRecord] {
        var reader = CSVReader(ByteSource(Array(text.utf8), chunk: chunk))
        var records: [CSVRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(arguments: 1...7)
    func `reads quotes, line breaks and both line ends across any chunks`(chunk: Int) throws {
        let text = "\u{FEFF}a,\"b \"\"c\"\"\",\r\n\r\n\"d\r\ne,f\",,g\n\"\",h,i"
        let records = try read(text, chunk: chunk)
        #expect(
            records.map(\.cells) == [
                ["a", "b \"c\"", ""], ["d\r\ne,f", "", "g"], ["", "h", "i"],
            ])
        #expect(records.map(\.line) == [1, 3, 5])
    }

    @Test func `tells the delimiter from the first line`() throws {
        #expect(
            try read("a;b;\"c,d\"\n1;2,5;3").map(\.cells) == [
                ["a", "b", "c,d"], ["1", "2,5", "3"],
            ])
        #expect(
            try read("a,\";;;\",b\n1;2,3,4").map(\.cells) == [
                ["a", ";;;", "b"], ["1;2", "3", "4"],
            ])
    }

    @Test func `names the line of what is broken and goes on with the next`() throws {
        let records = try read("a,b\nx\"y,1\n\"p\"q,2\nc,d\n\"never closed\n1,2")
        #expect(records.map(\.line) == [1, 2, 3, 4, 5])
        #expect(records.map { $0.problem != nil } == [false, true, true, false, true])
        #expect(records[1].cells.isEmpty)
        #expect(records[3].cells == ["c", "d"])
    }

    @Test func `refuses text that is not UTF-8 and rows without end`() throws {
        var reader = CSVReader(ByteSource([0x61, 0x2C, 0xFF, 0x0A, 0x62]))
        #expect(try reader.next()?.problem == "text that is not UTF-8")
        #expect(try reader.next()?.cells == ["b"])
        let long = String(repeating: "x", count: CSVReader.recordBytesMax + 1)
        #expect(try read("\(long)\nend").map { $0.problem == nil } == [false, true])
        let wide = String(repeating: ",", count: CSVReader.cellsMax + 1)
        #expect(try read("\(wide)\nend").map { $0.problem == nil } == [false, true])
    }

    @Test(arguments: [
        "=HYPERLINK(\"http://example.org\";\"x\")", "+1", "-1", "@x", "\tx", "\rx", "\nx",
        "'quoted",
        "''", "'=x", "=", "a=b", "", " lead", "trail ", "semi;colon", "line\nbreak", "e\u{301}",
    ])
    func `a cell is safe in a spreadsheet and comes back as it was`(_ text: String) throws {
        let line = CSV.line(["first", text, "last"])
        let cells = try read(line).first?.cells ?? []
        #expect(cells.count == 3)
        let back = cells.dropFirst().first ?? ""
        #expect(!["=", "+", "-", "@", "\t", "\r", "\n"].contains { back.hasPrefix($0) })
        #expect(Array(CSV.restored(back).utf8) == Array(text.utf8))
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `any cells come back`(seed: UInt64) throws {
        var random = ImportRandom(seed: seed)
        let alphabet: [String] = [
            "=", "'", "\"", ",", ";", "\r", "\n", "\t", " ", "a", "é", "-", "🎟",
        ]
        let cells = (0..<Int.random(in: 2...6, using: &random)).map { _ in
            (0..<Int.random(in: 0...5, using: &random))
                .map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }.joined()
        }
        let columns = cells.map { _ in "n" }
        let text = CSV.line(columns) + CSV.line(cells)
        let chunk = Int.random(in: 1...9, using: &random)
        let back = try read(text, chunk: chunk).last?.cells.map { Array(CSV.restored($0).utf8) }
        #expect(back == cells.map { Array($0.utf8) }, "seed \(seed)")
    }

    @Test func `lines keep their numbers, and overlong ones are named`() throws {
        let long = [UInt8](repeating: 0x78, count: LineReader.lineBytesMax + 1)
        var reader = LineReader(ByteSource(Array("a\r\n\n".utf8) + long + Array("\nb".utf8)))
        var lines: [TextLine] = []
        while let line = try reader.next() { lines.append(line) }
        #expect(lines.map(\.number) == [1, 2, 3, 4])
        #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "", "", "b"])
        #expect(lines.map { $0.problem == nil } == [true, true, false, true])
    }
}

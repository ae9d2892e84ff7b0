/// Comma-separated values (RFC 4180) that people may open in a spreadsheet and we read back whole.
///
/// A spreadsheet runs a cell that begins with `= + - @`, a tab or a line break as a formula. Such
/// cells, and those that begin with an apostrophe, get an apostrophe in front
/// (OWASP, "CSV Injection"); reading takes away exactly that one again.
package enum CSV {
    /// One line for a file, ending in CRLF.
    package static func line(_ cells: [String]) -> String {
        cells.map(cell).joined(separator: ",") + "\r\n"
    }

    /// One cell, neutralised and quoted where that is needed.
    package static func cell(_ text: String) -> String {
        let safe = neutralised(text)
        let needsQuotes = safe.utf8.contains { special.contains($0) }
        guard needsQuotes || safe.utf8.first == 0x20 || safe.utf8.last == 0x20 else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }

    /// The text with an apostrophe in front where a spreadsheet would run it.
    package static func neutralised(_ text: String) -> String {
        guard let first = text.utf8.first, leaders.contains(first) else { return text }
        return "'" + text
    }

    /// The inverse of ``neutralised(_:)``.
    package static func restored(_ text: String) -> String {
        let utf8 = text.utf8
        guard utf8.first == 0x27, let second = utf8.dropFirst().first, leaders.contains(second)
        else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    private static let leaders = Set("=+-@\t\r\n'".utf8)
    /// A semicolon is quoted too, since spreadsheets in many languages split at it.
    private static let special = Set("\",;\t\r\n".utf8)
}

/// One record of a CSV file.
package struct CSVRecord: Sendable, Hashable {
    /// The number of its first line, from 1.
    package let line: Int
    /// Its cells as written, without quotes; empty where ``problem`` is set.
    package let cells: [String]
    /// Why it cannot be used.
    package let problem: String?
}

/// Reads CSV records one after the other, with `,` or `;` between cells, told by the first line.
package struct CSVReader {
    /// The longest record that is taken.
    package static let recordBytesMax = 1 << 20
    package static let cellsMax = 1024

    private enum State {
        case cellStart, plain, quoted, quoteInQuoted
        /// After a broken quote: nothing is taken before the next line break.
        case skipping
    }

    private let source: ByteSource
    private var chunk: [UInt8] = []
    private var position = 0
    private var line = 1
    private var delimiter: UInt8?
    private var isAtEnd = false

    private var state = State.cellStart
    private var cell: [UInt8] = []
    private var cells: [String] = []
    private var byteCount = 0
    private var problem: String?

    package init(_ source: ByteSource) { self.source = source }

    /// The next record that is not an empty line; nil at the end.
    package mutating func next() throws(LedgerError) -> CSVRecord? {
        if delimiter == nil { try begin() }
        while true {
            let first = line
            reset()
            var isAnything = false
            while let byte = try nextByte() {
                isAnything = true
                if take(byte) { break }
            }
            guard isAnything else { return nil }
            if state == .quoted { problem = problem ?? "a quote that is never closed" }
            endCell()
            if problem == nil, cells == [""] { continue }
            return CSVRecord(line: first, cells: problem == nil ? cells : [], problem: problem)
        }
    }

    private mutating func reset() {
        state = .cellStart
        cell.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
        byteCount = 0
        problem = nil
    }

    /// True at the end of the record.
    private mutating func take(_ byte: UInt8) -> Bool {
        byteCount += 1
        if byteCount > Self.recordBytesMax { fail("longer than \(Self.recordBytesMax) bytes") }
        if byte == 0x0A { line += 1 }
        switch state {
        case .quoted:
            if byte == 0x22 { state = .quoteInQuoted } else { cell.append(byte) }
        case .quoteInQuoted where byte == 0x22:
            cell.append(byte)
            state = .quoted
        case .cellStart where byte == 0x22: state = .quoted
        case _ where byte == 0x0A: return true
        case .skipping: break
        case _ where byte == delimiter:
            endCell()
            state = .cellStart
        case .quoteInQuoted where byte != 0x0D: fail("text after a closing quote")
        case .plain where byte == 0x22: fail("a quote inside a cell that does not begin with one")
        case .quoteInQuoted: break
        case .cellStart, .plain:
            cell.append(byte)
            state = .plain
        }
        return false
    }

    private mutating func fail(_ reason: String) {
        problem = problem ?? reason
        state = .skipping
        cell.removeAll()
        cells.removeAll()
    }

    private mutating func endCell() {
        guard problem == nil else { return }
        // The CR of a CRLF; inside quotes it belongs to the cell.
        if state == .plain, cell.last == 0x0D, isAtLineEnd { cell.removeLast() }
        guard cells.count < Self.cellsMax else { return fail("over \(Self.cellsMax) cells") }
        guard let text = String(validating: cell, as: UTF8.self) else {
            return fail("text that is not UTF-8")
        }
        cells.append(text)
        cell.removeAll(keepingCapacity: true)
    }

    /// Whether the byte just read was a line feed, or the end came.
    private var isAtLineEnd: Bool { isAtEnd || chunk[position - 1] == 0x0A }

    private mutating func nextByte() throws(LedgerError) -> UInt8? {
        if position == chunk.count {
            guard try refill() else { return nil }
        }
        position += 1
        return chunk[position - 1]
    }

    private mutating func refill() throws(LedgerError) -> Bool {
        chunk = try source.next()
        position = 0
        isAtEnd = chunk.isEmpty
        return !isAtEnd
    }

    /// Skips a byte order mark and tells the delimiter from what the first line has more of.
    private mutating func begin() throws(LedgerError) {
        delimiter = UInt8(ascii: ",")
        guard try refill() else { return }
        while chunk.count < 3 {
            let more = try source.next()
            if more.isEmpty { break }
            chunk += more
        }
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        var isQuoted = false
        var balance = 0
        for byte in chunk[position...] {
            if byte == 0x22 { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == 0x0A { break }
            if byte == UInt8(ascii: ";") { balance += 1 }
            if byte == UInt8(ascii: ",") { balance -= 1 }
        }
        if balance > 0 { delimiter = UInt8(ascii: ";") }
    }
}

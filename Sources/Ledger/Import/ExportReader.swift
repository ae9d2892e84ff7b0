/// Reads the records of an export one after the other, in either form.
struct ExportReader {
    /// A record, or why there is none.
    struct Item {
        let line: Int
        let record: Result<ExportRecord, LedgerError>
    }

    private let parser: ExportRecordParser
    private var lines: LineReader
    private var rows: CSVReader
    /// The names in the first line of a CSV; nil for JSON Lines.
    private let columns: [String]?

    init(_ source: ByteSource, _ format: ImportFormat) throws(LedgerError) {
        parser = try ExportRecordParser()
        lines = LineReader(source)
        rows = CSVReader(source)
        guard format == .exportCSV else {
            columns = nil
            return
        }
        let names = try rows.next()?.cells ?? []
        guard Set(names).count == names.count else {
            throw LedgerError(.malformed, "\(source.name):1: two columns have the same name.")
        }
        columns = names
    }

    /// The next record; nil at the end.
    mutating func next() throws(LedgerError) -> Item? {
        if let columns {
            guard let record = try rows.next() else { return nil }
            return item(record.line) { () throws(LedgerError) in try csv(record, columns) }
        }
        while let line = try lines.next() {
            if line.problem == nil, line.bytes.allSatisfy({ $0 == 0x20 }) { continue }
            return item(line.number) { () throws(LedgerError) in try json(line) }
        }
        return nil
    }

    private func item(
        _ line: Int, _ cells: () throws(LedgerError) -> [String: String]
    ) -> Item {
        do throws(LedgerError) {
            return Item(line: line, record: .success(try parser.parse(try cells())))
        } catch { return Item(line: line, record: .failure(error)) }
    }

    private func json(_ line: TextLine) throws(LedgerError) -> [String: String] {
        if let problem = line.problem { throw LedgerError(.malformed, problem) }
        let value = try JSONReader.parse(line.bytes, file: "")
        guard let members = value.members else {
            throw LedgerError(.malformed, "not a JSON object")
        }
        var cells: [String: String] = [:]
        for member in members { cells[member.key] = ExportRecord.Value.cell(of: member.value) }
        return cells
    }

    private func csv(
        _ record: CSVRecord, _ columns: [String]
    ) throws(LedgerError) -> [String: String] {
        if let problem = record.problem { throw LedgerError(.malformed, problem) }
        guard record.cells.count == columns.count else {
            throw LedgerError(.malformed, "it has not as many cells as the first line")
        }
        var cells: [String: String] = [:]
        for (name, cell) in zip(columns, record.cells) where !cell.isEmpty {
            cells[name] = CSV.restored(cell)
        }
        return cells
    }
}

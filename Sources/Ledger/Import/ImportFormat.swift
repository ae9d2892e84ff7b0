/// What kinds of files can be imported.
package enum ImportFormat: String, Sendable, Hashable, CaseIterable {
    /// Our own export as JSON Lines.
    case exportJSON = "export-json"
    /// Our own export as CSV.
    case exportCSV = "export-csv"
    /// macOS's permission store, a SQLite database.
    case tccDatabase = "tcc"
    /// The rows of that store as CSV.
    case tccCSV = "tcc-csv"
    /// What `flatpak permissions` prints.
    case flatpak
    /// An App Privacy Report.
    case appPrivacyReport = "app-privacy-report"

    /// How much of a file tells its format: its first line must fit.
    static let startBytes = 1 << 16

    /// Tells the format from the first bytes of a file.
    ///
    /// - Throws: `malformed`, saying what can be read, for anything else.
    static func detect(_ start: [UInt8], file: String) throws(LedgerError) -> ImportFormat {
        if start.starts(with: "SQLite format 3\0".utf8) { return .tccDatabase }
        if start.starts(with: "GVariant".utf8) || start.starts(with: "raVGtnai".utf8) {
            throw LedgerError(
                .malformed,
                "\(file) is a GVDB file; give the output of `flatpak permissions` instead.")
        }
        if isUTF16(start) {
            throw LedgerError(
                .malformed, "\(file) is UTF-16 text; save it as UTF-8. Nothing was imported.")
        }
        var start = start
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
        let lines = start.split(separator: 0x0A).lazy.filter { line in
            !line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        }
        guard var line = lines.first else {
            throw LedgerError(.malformed, "\(file) is empty; nothing was imported.")
        }
        // Files that passed through Windows end their lines with both.
        if line.last == 0x0D { line.removeLast() }
        if line.first == UInt8(ascii: "{"), let format = json(Array(line), file) { return format }
        if let format = text(Array(line)) { return format }
        throw LedgerError(
            .malformed,
            "\(file) is in none of the formats that can be imported: our own export (JSON Lines or "
                + "CSV), a macOS TCC.db, the output of `flatpak permissions`, an App Privacy Report."
        )
    }

    /// Whether the first two characters have a zero byte each, all on the same side.
    ///
    /// Without this, what has tabs would pass for a list of which no line can be used.
    private static func isUTF16(_ start: [UInt8]) -> Bool {
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return true }
        guard start.count >= 4 else { return false }
        let zeros = start.prefix(4).map { $0 == 0 }
        return zeros == [true, false, true, false] || zeros == [false, true, false, true]
    }

    private static func json(_ line: [UInt8], _ file: String) -> ImportFormat? {
        guard let value = try? JSONReader.parse(line, file: file) else { return nil }
        if value["record"] != nil { return .exportJSON }
        return AppPrivacyReport.isLine(value) ? .appPrivacyReport : nil
    }

    private static func text(_ line: [UInt8]) -> ImportFormat? {
        var reader = CSVReader(ByteSource(line))
        if let cells = try? reader.next()?.cells {
            if cells.contains("record") && cells.contains("header") { return .exportCSV }
            if TCCStore.isAccessTable(cells) { return .tccCSV }
        }
        let text = String(decoding: line, as: UTF8.self)
        return FlatpakPermissions.isFirstLine(text) ? .flatpak : nil
    }
}

/// Reads what `flatpak permissions` prints: fields with a tab between them through a pipe, columns
/// under a heading on a terminal.
///
/// The store has no times and does not say who decided, so neither do the observations.
struct FlatpakPermissions {
    /// Programs outside a sandbox share the entry without an application.
    static let unsandboxed = "unsandboxed"
    static let headings = ["Table", "Object", "App", "Permissions", "Data"]

    private let options: ImportOptions
    private var batch = ImportBatch()
    private var starts: [Int]?
    private var keys: Set<[String]> = []

    private init(_ options: ImportOptions) { self.options = options }

    /// Whether a first line is one of either layout.
    static func isFirstLine(_ line: String) -> Bool {
        if words(line) == headings { return true }
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        return fields.count == headings.count && !fields[0].isEmpty && !fields[1].isEmpty
    }

    static func parse(
        _ source: ByteSource, _ options: ImportOptions
    ) throws(LedgerError) -> ImportBatch {
        var lines = LineReader(source)
        var parser = FlatpakPermissions(options)
        while let line = try lines.next() { parser.take(line) }
        return parser.batch
    }

    private static func words(_ line: String) -> [String] {
        line.split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    private mutating func take(_ line: TextLine) {
        guard line.problem == nil, let text = String(validating: line.bytes, as: UTF8.self) else {
            batch.recordCount += 1
            return batch.setAside.add(line.number, line.problem ?? "text that is not UTF-8")
        }
        if text.allSatisfy(\.isWhitespace) { return }
        if Self.words(text) == Self.headings {
            starts = text.contains("\t") ? nil : Self.columnStarts(text)
            return
        }
        batch.recordCount += 1
        do throws(LedgerError) {
            guard let draft = try draft(try fields(text), line.number) else { return }
            batch.states.append(ImportBatch.State(line: line.number, draft: draft))
        } catch {
            batch.setAside.add(line.number, error.message)
        }
    }

    private static func columnStarts(_ heading: String) -> [Int] {
        let characters = Array(heading)
        return characters.indices.filter { index in
            characters[index] != " " && (index == 0 || characters[index - 1] == " ")
        }
    }

    private func fields(_ line: String) throws(LedgerError) -> [String] {
        if line.contains("\t") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == Self.headings.count else {
                throw bad("it has not five fields between tabs")
            }
            return fields.map(String.init)
        }
        guard let starts else { throw bad("it has no tabs, and no heading gives its columns") }
        let characters = Array(line)
        var fields: [String] = []
        for (column, start) in starts.enumerated() {
            let end = column + 1 < starts.count ? starts[column + 1] : characters.count
            guard start < characters.count else {
                fields.append("")
                continue
            }
            // A cell that runs into the next column would be read as two wrong ones.
            guard start == 0 || characters[start - 1] == " " else {
                throw bad("its columns are not under their headings")
            }
            let cell = characters[start..<min(end, characters.count)]
            let text = String(cell.reversed().drop { $0 == " " }.reversed())
            guard text.first != " ", column + 1 == starts.count || !text.hasSuffix("…") else {
                throw bad("a cell is cut short or moved; use a pipe: flatpak permissions | cat")
            }
            fields.append(text)
        }
        return fields
    }

    private mutating func draft(_ fields: [String], _ line: Int) throws(LedgerError) -> Draft? {
        let (table, object, app) = (fields[0], fields[1], fields[2])
        guard !table.isEmpty, !object.isEmpty else { throw bad("it names no table or no object") }
        guard !fields[3].isEmpty else {
            batch.skipped.add(line, "asked before and nothing stored: neither a grant nor a denial")
            return nil
        }
        guard let (status, extent) = Self.status(table: table, permissions: fields[3]) else {
            batch.skipped.add(line, "its permissions are no yes, no or ask")
            return nil
        }
        let resource = Self.resource(table: table, object: object)
        let place = options.place(ofClient: app.isEmpty ? Self.unsandboxed : app)
        guard keys.insert([place.install, resource]).inserted else {
            throw bad("an earlier line has the same table, object and application")
        }
        var draft = Draft.observed(options.subject, resource: resource, at: place, status)
        draft.payload.extent = extent
        // A “no” may be a time-out and a “yes” may be written without any question.
        draft.payload.authority = .unknown
        draft.payload.application = app.isEmpty ? nil : app
        draft.payload.source = "flatpak"
        try ImportedNames.validate(draft.payload)
        return draft
    }

    /// The resource an entry is about; one without a name of ours keeps its own.
    private static func resource(table: String, object: String) -> String {
        switch (table, object) {
        case ("devices", "camera"), ("devices", "microphone"): object
        case ("background", "background"), ("location", "location"), ("screenshot", "screenshot"),
            ("wallpaper", "wallpaper"):
            table
        case ("notifications", "notification"): "notifications"
        default: "flatpak:\(table):\(object)"
        }
    }

    private static func status(
        table: String, permissions: String
    ) -> (PermissionStatus, Extent?)? {
        if table == "location" {
            // What follows the accuracy is a monotonic time, without meaning after a restart.
            switch permissions.split(separator: ",").first {
            case "NONE": return (.denied, nil)
            case "COUNTRY", "CITY", "NEIGHBORHOOD", "STREET":
                return (.authorized, Extent(accuracy: .reduced))
            case "EXACT": return (.authorized, Extent(accuracy: .precise))
            default: break
            }
        }
        switch permissions {
        case "yes": return (.authorized, nil)
        case "no": return (.denied, nil)
        case "ask": return (.notDetermined, nil)
        default: return nil
        }
    }

    private func bad(_ reason: String) -> LedgerError { LedgerError(.malformed, reason) }
}

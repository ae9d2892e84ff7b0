/// Reads the `access` table of macOS's permission store, TCC.db, in its three shapes.
///
/// macOS 10.15 and before have `allowed` and `prompt_count`; 11 to 13 have `auth_value` and
/// `auth_reason`; 14 adds four columns. The columns tell, since version numbers are unreliable.
struct TCCStore {
    /// One row, whatever file it came from.
    struct Row: Sendable {
        var line: Int
        var cells: [String: ForeignDatabase.Cell]

        subscript(name: String) -> ForeignDatabase.Cell { cells[name] ?? .null }
    }

    /// The columns that are used, where they are there.
    private static let wanted = [
        "service", "client", "client_type", "auth_value", "auth_reason", "allowed", "prompt_count",
        "csreq", "indirect_object_identifier", "last_modified",
    ]

    private let options: ImportOptions
    private var batch = ImportBatch()
    private var keys: [Key: Int] = [:]

    private struct Key: Hashable {
        let place: Place
        let resource: String
    }

    init(_ options: ImportOptions) { self.options = options }

    /// Whether a table with these columns is the store's.
    static func isAccessTable(_ columns: [String]) -> Bool {
        let columns = Set(columns)
        let base: Set = ["service", "client", "client_type", "last_modified"]
        return base.isSubset(of: columns)
            && (columns.isSuperset(of: ["auth_value", "auth_reason"])
                || columns.isSuperset(of: ["allowed", "prompt_count"]))
    }

    /// Reads a database file, from a copy that includes its `-wal`.
    static func parse(
        database path: String, _ options: ImportOptions
    ) throws(LedgerError) -> ImportBatch {
        let database = try ForeignDatabase(copyOf: path)
        let columns = try database.columns(of: "access")
        guard isAccessTable(columns) else {
            throw LedgerError(
                .malformed, "\(path) is a database, but its “access” table is not that of a TCC.db."
            )
        }
        let used = wanted.filter { columns.contains($0) }
        var store = TCCStore(options)
        try database.rows(of: "access", used) { (number, cells) throws(LedgerError) in
            store.take(Row(line: number, cells: Dictionary(uniqueKeysWithValues: zip(used, cells))))
        }
        return store.batch
    }

    /// Reads rows that were written out as CSV under the names of the columns; a column `scope`
    /// may name the list, user or system.
    static func parse(
        csv source: ByteSource, _ options: ImportOptions
    ) throws(LedgerError) -> ImportBatch {
        var reader = CSVReader(source)
        guard let header = try reader.next(), isAccessTable(header.cells),
            Set(header.cells).count == header.cells.count
        else {
            throw LedgerError(
                .malformed, "\(source.name):1: not the column names of a TCC.db's “access” table.")
        }
        var store = TCCStore(options)
        while let record = try reader.next() {
            guard record.problem == nil, record.cells.count == header.cells.count else {
                store.batch.recordCount += 1
                store.batch.setAside.add(
                    record.line, record.problem ?? "it has not as many cells as the first line")
                continue
            }
            let cells = zip(header.cells, record.cells.map(Self.cell))
            store.take(Row(line: record.line, cells: Dictionary(uniqueKeysWithValues: cells)))
        }
        return store.batch
    }

    private static func cell(_ text: String) -> ForeignDatabase.Cell {
        if text.isEmpty { return .null }
        return Int64(text).map(ForeignDatabase.Cell.integer) ?? .text(text)
    }

    private mutating func take(_ row: Row) {
        batch.recordCount += 1
        do throws(LedgerError) {
            let draft = try draft(row)
            batch.states.append(ImportBatch.State(line: row.line, draft: draft))
        } catch {
            batch.setAside.add(row.line, error.message)
        }
    }

    private mutating func draft(_ row: Row) throws(LedgerError) -> Draft {
        guard let service = row["service"].text, !service.isEmpty else {
            throw bad("its “service” is not a text")
        }
        guard let client = row["client"].text, !client.isEmpty else {
            throw bad("its “client” is not a text")
        }
        guard let clientType = row["client_type"].integer, (0...1).contains(clientType) else {
            throw bad("its “client_type” is neither 0 nor 1")
        }
        let scope = try scope(row)
        var draft = try state(row)
        let object = try object(row)
        let resource = TCCMapping.resource(service) + (object.map { ":" + $0 } ?? "")
        let list = scope == .system ? "system" : nil
        let place = options.place(ofClient: client, in: list)
        guard keys.updateValue(row.line, forKey: Key(place: place, resource: resource)) == nil
        else { throw bad("an earlier row has the same client, service and object") }
        draft.payload.subject = options.subject
        draft.payload.resource = resource
        draft.payload.device = place.device
        draft.payload.install = place.install
        draft.payload.application = client
        draft.payload.source = "tcc:\(scope.rawValue)"
        draft.payload.signingIdentity = try identity(row["csreq"])
        try date(&draft, row)
        try ImportedNames.validate(draft.payload)
        return draft
    }

    private func scope(_ row: Row) throws(LedgerError) -> ImportOptions.TCCScope {
        guard case .text(let word) = row["scope"] else { return options.tccScope }
        guard let scope = ImportOptions.TCCScope(rawValue: word) else {
            throw bad("its “scope” is neither user nor system")
        }
        return scope
    }

    private func state(_ row: Row) throws(LedgerError) -> Draft {
        var draft = Draft(.settingsChanged, Payload())
        guard let value = row["auth_value"].integer else {
            // Before macOS 11: the store does not say who decided.
            guard let allowed = row["allowed"].integer, (0...1).contains(allowed) else {
                throw bad("it says neither allowed nor denied in a way that is known")
            }
            draft.payload.status = allowed == 1 ? .authorized : .denied
            draft.payload.authority = .unknown
            if let count = row["prompt_count"].integer {
                draft.payload.note = "TCC prompt count \(count)"
            }
            return draft
        }
        guard let reason = row["auth_reason"].integer else {
            throw bad("its “auth_reason” is not a number")
        }
        let authority = TCCMapping.authority(authReason: reason)
        guard let (status, extent) = TCCMapping.status(authValue: value, authority: authority)
        else { throw bad("its “auth_value” is none that is known") }
        draft.payload.status = status
        draft.payload.extent = extent
        draft.payload.authority = authority
        draft.payload.note = TCCMapping.reason(reason)
        return draft
    }

    /// The program that may be controlled, which makes another key of the same service and client.
    private func object(_ row: Row) throws(LedgerError) -> String? {
        switch row["indirect_object_identifier"] {
        case .null: return nil
        case .text("UNUSED"): return nil
        case .text(let object) where !object.isEmpty: return object
        default: throw bad("its “indirect_object_identifier” is not a text")
        }
    }

    /// The code requirement is bytes, and may be longer than a name may be.
    private func identity(_ cell: ForeignDatabase.Cell) throws(LedgerError) -> String? {
        switch cell {
        case .blob(let bytes) where !bytes.isEmpty:
            "csreq-sha256:" + Base32.encode(try Crypto.sha256(bytes).bytes)
        case .text(let hex):
            try Hex.decode(hex).map { (bytes) throws(LedgerError) in
                "csreq-sha256:" + Base32.encode(try Crypto.sha256(bytes).bytes)
            }
        default: nil
        }
    }

    private mutating func date(_ draft: inout Draft, _ row: Row) throws(LedgerError) {
        guard let seconds = row["last_modified"].integer else {
            throw bad("its “last_modified” is not a number")
        }
        let product = seconds.multipliedReportingOverflow(by: 1000)
        guard !product.overflow else { throw bad("its “last_modified” is beyond every calendar") }
        let time = ClaimedTime(
            product.partialValue, now: options.now, earliest: TCCMapping.earliest)
        draft.payload.occurredAt = time.milliseconds
        guard let doubt = time.doubt else { return }
        batch.doubtful.add(row.line, doubt)
        draft.payload.note = (draft.payload.note.map { $0 + "; " } ?? "") + "doubtful: " + doubt
    }

    private func bad(_ reason: String) -> LedgerError { LedgerError(.malformed, reason) }
}

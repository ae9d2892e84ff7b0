/// Reads records of an export and checks each against itself; what a checkpoint proves about
/// many of them together is for the importer.
struct ExportRecordParser {
    private let digester: Digester

    init() throws(LedgerError) { digester = try Digester() }

    /// Reads one record.
    ///
    /// - Parameter cells: the record's fields by name, in their form for CSV.
    /// - Returns: the record, whose bytes and readable fields agree.
    /// - Throws: `malformed` for what does not decode, `notVerified` for fields that contradict
    ///   the bytes. The message names the field and no value.
    func parse(_ cells: [String: String]) throws(LedgerError) -> ExportRecord {
        switch cells["record"] {
        case "ledger": try ledger(cells)
        case "event": try event(cells)
        case "checkpoint": try checkpoint(cells)
        default:
            throw LedgerError(
                .malformed, "its “record” is none of “ledger”, “event” and “checkpoint”")
        }
    }

    private func ledger(_ cells: [String: String]) throws(LedgerError) -> ExportRecord {
        guard cells["format"] == ExportRecord.format else {
            throw LedgerError(.malformed, "its “format” is not “\(ExportRecord.format)”")
        }
        guard cells["version"] == ExportRecord.version else {
            throw LedgerError(
                .newerSchema, "its “version” is not \(ExportRecord.version); use a newer ledgerd")
        }
        return .ledger(try required("ledger", cells) { LedgerID($0) })
    }

    private func event(_ cells: [String: String]) throws(LedgerError) -> ExportRecord {
        let bytes = try required("header", cells) { Crypto.decodeBase64($0) }
        let header = try EventHeader(bytes: bytes)
        let event = StoredEvent(header: header, body: try body(cells, header))
        let readable = ExportRecord.readable(event, digester)
        for (name, value) in readable {
            guard let cell = cells[name], !cell.isEmpty else { continue }
            guard sameBytes(cell, value.cell) else { throw contradiction(name) }
        }
        try refuseInvented(cells, beside: readable)
        return .event(event, author: try required("author", cells) { ReplicaID($0) })
    }

    private func body(
        _ cells: [String: String], _ header: EventHeader
    ) throws(LedgerError) -> StoredEvent.Body? {
        let hasPayload = !(cells["payload"] ?? "").isEmpty
        if !hasPayload && (cells["salt"] ?? "").isEmpty { return nil }
        let salt = try required("salt", cells) { Crypto.decodeBase64($0) }
        let isEmpty = !hasPayload && header.payloadLength == 0
        let payload = isEmpty ? [] : try required("payload", cells) { Crypto.decodeBase64($0) }
        let commitment = salt.withUnsafeBytes { saltBytes in
            payload.withUnsafeBytes { digester.digest(saltBytes, $0) }
        }
        guard salt.count == 16, payload.count == header.payloadLength,
            commitment == header.commitment
        else {
            throw LedgerError(
                .notVerified, "its “payload” and “salt” do not match the commitment in its header")
        }
        return StoredEvent.Body(salt: salt, payload: payload)
    }

    /// A readable field that the bytes do not have was added by someone.
    private func refuseInvented(
        _ cells: [String: String], beside readable: ExportRecord.Fields
    ) throws(LedgerError) {
        let known = Set(readable.map(\.name))
        for name in ExportRecord.columns where !known.contains(name) {
            guard !Self.byteFields.contains(name), let cell = cells[name], !cell.isEmpty else {
                continue
            }
            throw contradiction(name)
        }
    }

    private static let byteFields: Set = ["author", "header", "salt", "payload"]

    private func checkpoint(_ cells: [String: String]) throws(LedgerError) -> ExportRecord {
        let author = try required("author", cells) { ReplicaID($0) }
        let note = try required("checkpoint", cells) { $0 }
        let checkpoint = try Checkpoint(note: note, by: author)
        for (name, value) in ExportRecord.checkpoint(checkpoint, author: author).fields(digester) {
            guard let cell = cells[name], !cell.isEmpty, name != "checkpoint" else { continue }
            guard sameBytes(cell, value.cell) else { throw contradiction(name) }
        }
        return .checkpoint(checkpoint, author: author)
    }

    private func required<T>(
        _ name: String, _ cells: [String: String], _ read: (String) -> T?
    ) throws(LedgerError) -> T {
        guard let cell = cells[name], !cell.isEmpty else {
            throw LedgerError(.malformed, "it has no “\(name)”")
        }
        guard let value = read(cell) else {
            throw LedgerError(.malformed, "its “\(name)” does not decode")
        }
        return value
    }

    /// Swift's `==` on text would take two Unicode forms of a name for the same.
    private func sameBytes(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private func contradiction(_ name: String) -> LedgerError {
        LedgerError(.notVerified, "its “\(name)” contradicts the signed bytes beside it")
    }
}

/// One record of an export: a line of JSON Lines, or a row of CSV.
package enum ExportRecord: Sendable, Hashable {
    /// The first record: which ledger this is.
    case ledger(LedgerID)
    /// One event as it is stored.
    case event(StoredEvent, author: ReplicaID)
    /// A signed size and root; the events of its log since the checkpoint before are proven by it.
    case checkpoint(Checkpoint, author: ReplicaID)

    /// The name of the format, in the first record.
    package static let format = "consent-ledger-export"
    /// The version of the format, in the first record.
    package static let version = "1"

    /// An event of a history, as a record.
    package init(_ entry: HistoryEntry) {
        let event = entry.event
        let body =
            event.salt.isEmpty
            ? nil : StoredEvent.Body(salt: event.salt, payload: event.payloadBytes)
        self = .event(StoredEvent(header: event.header, body: body), author: entry.author)
    }

    /// A value beside a name: in JSON a text, a number or a list, in CSV a text.
    enum Value: Sendable, Hashable {
        case text(String)
        case number(UInt64)
        case list([String])

        /// As it stands in a cell; a list is written as JSON.
        var cell: String {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            case .list(let items): Self.cell(of: .array(items.map { .string($0) }))
            }
        }

        /// The same for a value that was read from JSON.
        static func cell(of value: JSONValue) -> String {
            switch value {
            case .string(let text): text
            case .number(let source): source
            case .null: ""
            default: String(decoding: value.encoded, as: UTF8.self)
            }
        }
    }

    typealias Fields = [(name: String, value: Value)]

    /// The columns of the CSV, in order; JSON has the same names and leaves out what is absent.
    package static let columns = [
        "record", "format", "version", "ledger", "time", "kind", "subject", "resource", "scope",
        "device", "install", "outcome", "status", "extent", "authority", "end", "occurredAt",
        "feature", "primer", "locale", "revision", "askedExtent", "oldStatus", "oldExtent",
        "windowStart", "windowEnd", "application", "applicationVersion", "signingIdentity",
        "surface", "buttons", "source", "note", "idempotencyKey", "wall", "unitKind", "unit",
        "answers", "content", "critical", "replaces", "id", "log", "sequence", "size", "author",
        "header", "salt", "payload", "checkpoint",
    ]

    func fields(_ digester: Digester) -> Fields {
        switch self {
        case .ledger(let id):
            [
                ("record", .text("ledger")), ("format", .text(Self.format)),
                ("version", .text(Self.version)), ("ledger", .text(id.description)),
            ]
        case .event(let event, let author):
            Self.readable(event, digester) + [
                ("author", .text(author.description)),
                ("header", .text(Crypto.base64(event.header.bytes))),
            ] + Self.body(event)
        case .checkpoint(let checkpoint, let author):
            [
                ("record", .text("checkpoint")), ("log", .text(checkpoint.log.description)),
                ("size", .number(checkpoint.size)), ("author", .text(author.description)),
                ("checkpoint", .text(checkpoint.note(by: author))),
            ]
        }
    }

    private static func body(_ event: StoredEvent) -> Fields {
        guard let body = event.body else { return [] }
        return [
            ("salt", .text(Crypto.base64(body.salt))),
            ("payload", .text(Crypto.base64(body.payload))),
        ]
    }
}

/// Turns records into lines.
package struct ExportRenderer {
    /// The two forms of an export.
    package enum Format: String, Sendable, CaseIterable {
        case jsonLines, csv
    }

    private let format: Format
    private let digester: Digester
    private var writer = JSONWriter()
    private let columnIndex = Dictionary(
        uniqueKeysWithValues: zip(ExportRecord.columns, ExportRecord.columns.indices))

    package init(_ format: Format) throws(LedgerError) {
        self.format = format
        digester = try Digester()
    }

    /// What stands in front of the first record: the names of the columns in CSV.
    package var opening: [UInt8] {
        format == .csv ? Array(CSV.line(ExportRecord.columns).utf8) : []
    }

    /// The record as one line, with its line break.
    package mutating func line(_ record: ExportRecord) -> [UInt8] {
        let fields = record.fields(digester)
        return format == .csv ? csvLine(fields) : jsonLine(fields)
    }

    private func csvLine(_ fields: ExportRecord.Fields) -> [UInt8] {
        var cells = [String](repeating: "", count: ExportRecord.columns.count)
        for (name, value) in fields {
            if let index = columnIndex[name] { cells[index] = value.cell }
        }
        return Array(CSV.line(cells).utf8)
    }

    private mutating func jsonLine(_ fields: ExportRecord.Fields) -> [UInt8] {
        writer.removeAll()
        writer.object { writer in
            for (name, value) in fields {
                switch value {
                case .text(let text): writer.field(name, text)
                case .number(let number): writer.field(name, number)
                case .list(let items):
                    writer.arrayField(name) { writer in
                        for item in items { writer.value(item) }
                    }
                }
            }
        }
        return writer.bytes + [0x0A]
    }
}

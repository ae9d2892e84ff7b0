extension Payload {
    /// The keys of the CBOR map; part of the format (`docs/FORMAT.md`, "Payload").
    enum Key {
        static let subject: UInt64 = 1
        static let device: UInt64 = 2
        static let install: UInt64 = 3
        static let resource: UInt64 = 4
        static let scope: UInt64 = 5
        static let outcome: UInt64 = 6
        static let status: UInt64 = 7
        static let extent: UInt64 = 8
        static let authority: UInt64 = 9
        static let answers: UInt64 = 10
        static let unit: UInt64 = 11
        static let revision: UInt64 = 12
        static let locale: UInt64 = 13
        static let feature: UInt64 = 14
        static let primer: UInt64 = 15
        static let askedExtent: UInt64 = 16
        static let application: UInt64 = 17
        static let applicationVersion: UInt64 = 18
        static let wall: UInt64 = 19
        static let oldStatus: UInt64 = 20
        static let oldExtent: UInt64 = 21
        static let windowStart: UInt64 = 22
        static let windowEnd: UInt64 = 23
        static let occurredAt: UInt64 = 24
        static let end: UInt64 = 25
        static let signingIdentity: UInt64 = 26
        static let surface: UInt64 = 27
        static let buttons: UInt64 = 28
        static let idempotencyKey: UInt64 = 29
        static let source: UInt64 = 30
        static let note: UInt64 = 31
        static let unitKind: UInt64 = 32
        static let unitContent: UInt64 = 33
    }

    /// The key of the subject, for who takes payloads apart without understanding them.
    package static let subjectKey = UInt8(Key.subject)

    /// The deterministic encoding.
    package var encoded: [UInt8] { encoded(after: []) }

    /// Reads a payload; fields this version does not know are skipped and reported.
    ///
    /// - Throws: `malformed` with the byte offset when the bytes are not canonical or a known
    ///   field holds what it may not.
    package init(encoded bytes: [UInt8], at start: Int = 0) throws(LedgerError) {
        self.init()
        try decode(bytes, at: start)
    }
}

extension Payload {
    static let buttonsMax = 16
}

extension Payload.Fields {
    private typealias Key = Payload.Key

    func encoded(after prefix: ArraySlice<UInt8>) -> [UInt8] {
        var fields = FieldWriter(after: prefix)
        fields.text(Key.subject, subject)
        fields.text(Key.device, device)
        fields.text(Key.install, install)
        fields.text(Key.resource, resource)
        fields.number(Key.scope, scope.map { UInt64($0.rawValue) })
        fields.number(Key.outcome, outcome.map { UInt64($0.rawValue) })
        fields.number(Key.status, status.map { UInt64($0.rawValue) })
        fields.number(Key.extent, extent?.code)
        fields.number(Key.authority, authority.map { UInt64($0.rawValue) })
        fields.bytes(Key.answers, answers?.raw)
        fields.bytes(Key.unit, unit)
        fields.text(Key.revision, revision?.description)
        fields.text(Key.locale, locale)
        fields.text(Key.feature, feature)
        fields.text(Key.primer, primer)
        fields.number(Key.askedExtent, askedExtent?.code)
        fields.text(Key.application, application)
        fields.text(Key.applicationVersion, applicationVersion)
        fields.signed(Key.wall, wall)
        fields.number(Key.oldStatus, oldStatus.map { UInt64($0.rawValue) })
        fields.number(Key.oldExtent, oldExtent?.code)
        fields.signed(Key.windowStart, windowStart)
        fields.signed(Key.windowEnd, windowEnd)
        fields.signed(Key.occurredAt, occurredAt)
        fields.signed(Key.end, end)
        fields.text(Key.signingIdentity, signingIdentity)
        fields.text(Key.surface, surface)
        fields.texts(Key.buttons, buttons)
        fields.text(Key.idempotencyKey, idempotencyKey)
        fields.text(Key.source, source)
        fields.text(Key.note, note)
        fields.number(Key.unitKind, unitKind.map { UInt64($0.rawValue) })
        fields.byteString(Key.unitContent, unitContent)
        return fields.finish()
    }

    mutating func decode(_ bytes: [UInt8], at start: Int) throws(LedgerError) {
        var reader = CBORReader(bytes, at: start)
        let count = try reader.mapCount()
        var previous: UInt64?
        for _ in 0..<count {
            let start = reader.offset
            let key = try reader.unsigned()
            if let previous, previous >= key {
                throw reader.malformed("map keys unsorted or doubled", at: start)
            }
            previous = key
            if try decodeText(key, &reader) { continue }
            if try decodeWord(key, &reader) { continue }
            if try decodeRest(key, &reader) { continue }
            _ = try reader.value()
            hasUnknownFields = true
        }
        try reader.end()
    }

    private mutating func decodeText(
        _ key: UInt64, _ reader: inout CBORReader
    ) throws(LedgerError) -> Bool {
        switch key {
        case Key.subject: subject = try reader.text()
        case Key.device: device = try reader.text()
        case Key.install: install = try reader.text()
        case Key.resource: resource = try reader.text()
        case Key.locale: locale = try reader.text()
        case Key.feature: feature = try reader.text()
        case Key.primer: primer = try reader.text()
        case Key.application: application = try reader.text()
        case Key.applicationVersion: applicationVersion = try reader.text()
        case Key.signingIdentity: signingIdentity = try reader.text()
        case Key.surface: surface = try reader.text()
        case Key.idempotencyKey: idempotencyKey = try reader.text()
        case Key.source: source = try reader.text()
        case Key.note: note = try reader.text()
        default: return false
        }
        return true
    }

    private mutating func decodeWord(
        _ key: UInt64, _ reader: inout CBORReader
    ) throws(LedgerError) -> Bool {
        switch key {
        case Key.scope: scope = try reader.word()
        case Key.outcome: outcome = try reader.word()
        case Key.status: status = try reader.word()
        case Key.oldStatus: oldStatus = try reader.word()
        case Key.authority: authority = try reader.word()
        case Key.unitKind: unitKind = try reader.word()
        case Key.extent: extent = try reader.extent()
        case Key.askedExtent: askedExtent = try reader.extent()
        case Key.oldExtent: oldExtent = try reader.extent()
        default: return false
        }
        return true
    }

    private mutating func decodeRest(
        _ key: UInt64, _ reader: inout CBORReader
    ) throws(LedgerError) -> Bool {
        switch key {
        case Key.answers: answers = EventID(raw: try reader.bytes32())
        case Key.unit: unit = try reader.bytes32()
        case Key.revision:
            let start = reader.offset
            let text = try reader.text()
            guard let value = Revision(text), value.description == text else {
                throw reader.malformed("not a revision in its shortest form", at: start)
            }
            revision = value
        case Key.wall: wall = try reader.signed()
        case Key.windowStart: windowStart = try reader.signed()
        case Key.windowEnd: windowEnd = try reader.signed()
        case Key.occurredAt: occurredAt = try reader.signed()
        case Key.end: end = try reader.signed()
        case Key.buttons:
            let start = reader.offset
            let count = try reader.arrayCount()
            guard count <= Payload.buttonsMax else { throw reader.malformed("too many", at: start) }
            var titles: [String] = []
            for _ in 0..<count { titles.append(try reader.text()) }
            buttons = titles
        case Key.unitContent: unitContent = try reader.byteString()
        default: return false
        }
        return true
    }
}

/// Writes the fields that are present and, at the end, how many they were.
struct FieldWriter {
    private var writer: CBORWriter
    private var count: UInt8 = 0
    private let start: Int

    /// Fields follow a prefix that is no part of the encoding.
    init(after prefix: ArraySlice<UInt8> = []) {
        start = prefix.count
        writer = CBORWriter(reserving: 240)
        writer.raw(prefix)
        writer.map(count: 0)
    }

    mutating func text(_ key: UInt64, _ value: String?) {
        guard let value else { return }
        begin(key)
        writer.text(value)
    }
    mutating func number(_ key: UInt64, _ value: UInt64?) {
        guard let value else { return }
        begin(key)
        writer.unsigned(value)
    }
    mutating func signed(_ key: UInt64, _ value: Int64?) {
        guard let value else { return }
        begin(key)
        writer.signed(value)
    }
    mutating func bytes(_ key: UInt64, _ value: Bytes32?) {
        guard let value else { return }
        begin(key)
        value.withBytes { writer.byteString($0) }
    }
    mutating func byteString(_ key: UInt64, _ value: [UInt8]?) {
        guard let value else { return }
        begin(key)
        writer.byteString(value)
    }
    mutating func texts(_ key: UInt64, _ values: [String]?) {
        guard let values else { return }
        begin(key)
        writer.array(count: values.count)
        for value in values { writer.text(value) }
    }
    mutating func value(_ key: UInt64, _ value: CBORValue?) {
        guard let value else { return }
        begin(key)
        value.encode(to: &writer)
    }

    mutating func finish() -> [UInt8] {
        writer.setMapCount(count, at: start)
        return writer.bytes
    }

    private mutating func begin(_ key: UInt64) {
        count += 1
        writer.unsigned(key)
    }
}

extension CBORReader {
    mutating func word<W: RawRepresentable<UInt8>>() throws(LedgerError) -> W {
        let start = offset
        guard let code = UInt8(exactly: try unsigned()), let word = W(rawValue: code) else {
            throw malformed("a word this version does not know", at: start)
        }
        return word
    }

    mutating func extent() throws(LedgerError) -> Extent {
        let start = offset
        guard let extent = Extent(code: try unsigned()) else {
            throw malformed("an extent this version does not know", at: start)
        }
        return extent
    }

    mutating func bytes32() throws(LedgerError) -> Bytes32 {
        let start = offset
        guard let bytes = Bytes32(try byteString()) else {
            throw malformed("32 bytes expected", at: start)
        }
        return bytes
    }

    mutating func bytes16() throws(LedgerError) -> Bytes16 {
        let start = offset
        guard let bytes = Bytes16(try byteString()) else {
            throw malformed("16 bytes expected", at: start)
        }
        return bytes
    }
}

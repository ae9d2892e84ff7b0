extension KeyState {
    /// The canonical bytes: the same on every replica that holds the same events.
    var canonicalBytes: [UInt8] {
        var writer = CBORWriter()
        encode(to: &writer)
        return writer.bytes
    }

    /// What is stored: the canonical bytes and, after them, what is local to this file.
    var storedBytes: [UInt8] {
        var writer = CBORWriter()
        encodeStored(to: &writer)
        return writer.bytes
    }

    /// Writes what is stored.
    func encodeStored(to writer: inout CBORWriter) {
        encode(to: &writer)
        writer.signed(sampleRow)
        for ask in opened {
            writer.signed(ask.row)
            switch ask.shown {
            case .current: writer.unsigned(0)
            case .unlisted: writer.unsigned(1)
            case .entries(let entries):
                writer.unsigned(UInt64(entries.count) + 2)
                for entry in entries { entry.encode(to: &writer) }
            }
        }
    }

    private func encode(to writer: inout CBORWriter) {
        writer.array(count: 10)
        writer.array(count: inForce.count)
        for entry in inForce { entry.encode(to: &writer) }
        writer.ids(awaited)
        writer.ids(openAsks)
        writer.ids(awaitedAsks)
        writer.signed(Int64(primersShown))
        writer.signed(Int64(promptsAsked))
        writer.array(count: asks.count)
        for ask in asks {
            writer.unsigned(ask.variant.code)
            for number in [ask.decided, ask.denied, ask.undecided] { writer.signed(Int64(number)) }
            writer.unsigned(ask.lastRefusal?.value ?? 0)
        }
        writer.array(count: continued.count)
        for unit in continued { unit.withBytes { writer.byteString($0) } }
        Self.encode(lastContinued, to: &writer)
        Self.encode(lastSkip, to: &writer)
    }

    private static func shown(_ reader: inout CBORReader) throws(LedgerError) -> Shown {
        let form = try reader.unsigned()
        guard form > 1 else { return form == 0 ? .current : .unlisted }
        guard form - 2 <= shownMax else {
            throw reader.malformed("a projected state this version does not know")
        }
        var entries: [InForce] = []
        for _ in 2..<form { entries.append(try InForce(&reader)) }
        return .entries(entries)
    }

    fileprivate static func encode(_ mark: Mark?, to writer: inout CBORWriter) {
        guard let mark else {
            writer.array(count: 0)
            return
        }
        writer.array(count: mark.end == nil ? 5 : 6)
        mark.id.raw.withBytes { writer.byteString($0) }
        writer.unsigned(mark.timestamp.value)
        writer.unsigned(UInt64(mark.outcome.rawValue))
        writer.text(mark.revision?.description ?? "")
        writer.text(mark.signingIdentity ?? "")
        if let end = mark.end { writer.signed(end) }
    }

    /// Reads what ``storedBytes`` wrote.
    init(storedBytes bytes: [UInt8]) throws(LedgerError) {
        var reader = CBORReader(bytes)
        _ = try reader.arrayCount()
        for _ in 0..<(try reader.arrayCount()) { inForce.append(try InForce(&reader)) }
        awaited = try reader.ids()
        openAsks = try reader.ids()
        awaitedAsks = try reader.ids()
        primersShown = Int(try reader.signed())
        promptsAsked = Int(try reader.signed())
        for _ in 0..<(try reader.arrayCount()) {
            var ask = Asks(variant: try reader.extent())
            ask.decided = Int(try reader.signed())
            ask.denied = Int(try reader.signed())
            ask.undecided = Int(try reader.signed())
            let refusal = try reader.unsigned()
            if refusal > 0 { ask.lastRefusal = Timestamp(value: refusal) }
            asks.append(ask)
        }
        for _ in 0..<(try reader.arrayCount()) { continued.append(try reader.bytes32()) }
        lastContinued = try Self.mark(&reader)
        lastSkip = try Self.mark(&reader)
        sampleRow = try reader.signed()
        for _ in openAsks {
            opened.append(Opened(row: try reader.signed(), shown: try Self.shown(&reader)))
        }
        try reader.end()
    }

    fileprivate static func mark(_ reader: inout CBORReader) throws(LedgerError) -> Mark? {
        let count = try reader.arrayCount()
        guard count > 0 else { return nil }
        var mark = Mark(
            id: EventID(raw: try reader.bytes32()),
            timestamp: Timestamp(value: try reader.unsigned()), outcome: try reader.word())
        mark.revision = Revision(try reader.text())
        let identity = try reader.text()
        mark.signingIdentity = identity.isEmpty ? nil : identity
        if count > 5 { mark.end = try reader.signed() }
        return mark
    }
}

extension KeyState.InForce {
    private enum Flag {
        static let isAct: UInt64 = 8
        static let isUndecodable: UInt64 = 16
        static let isDoubtful: UInt64 = 32
        static let hasEnd: UInt64 = 64
        static let hasRevision: UInt64 = 128
        static let hasIdentity: UInt64 = 256
    }

    fileprivate func encode(to writer: inout CBORWriter) {
        id.raw.withBytes { writer.byteString($0) }
        writer.unsigned(timestamp.value)
        var flags = UInt64(decision.status.rawValue)
        if decision.isAct { flags |= Flag.isAct }
        if decision.isUndecodable { flags |= Flag.isUndecodable }
        if decision.isDoubtful { flags |= Flag.isDoubtful }
        if decision.end != nil { flags |= Flag.hasEnd }
        if decision.revision != nil { flags |= Flag.hasRevision }
        if decision.signingIdentity != nil { flags |= Flag.hasIdentity }
        writer.unsigned(flags)
        writer.unsigned(decision.extent.code | UInt64(decision.authority.rawValue) << 6)
        if let end = decision.end { writer.signed(end) }
        if let revision = decision.revision { writer.text(revision.description) }
        if let identity = decision.signingIdentity { writer.text(identity) }
        if decision.isAct {
            writer.text(agreed?.description ?? "")
        } else {
            writer.array(count: earlierActs.count)
            for act in earlierActs { KeyState.encode(act, to: &writer) }
        }
    }

    fileprivate init(_ reader: inout CBORReader) throws(LedgerError) {
        id = EventID(raw: try reader.bytes32())
        timestamp = Timestamp(value: try reader.unsigned())
        let flags = try reader.unsigned()
        let packed = try reader.unsigned()
        let end = flags & Flag.hasEnd != 0 ? try reader.signed() : nil
        let revision = flags & Flag.hasRevision != 0 ? Revision(try reader.text()) : nil
        let identity = flags & Flag.hasIdentity != 0 ? try reader.text() : nil
        guard let status = PermissionStatus(rawValue: UInt8(flags & 7)),
            let extent = Extent(code: packed & 63),
            let authority = Authority(rawValue: UInt8(clamping: packed >> 6))
        else { throw reader.malformed("a projected state this version does not know") }
        decision = Fact.Decision(
            status: status, extent: extent, authority: authority, end: end, revision: revision,
            signingIdentity: identity, isAct: flags & Flag.isAct != 0,
            isUndecodable: flags & Flag.isUndecodable != 0,
            isDoubtful: flags & Flag.isDoubtful != 0)
        if decision.isAct {
            agreed = Revision(try reader.text())
        } else {
            agreed = nil
            for _ in 0..<(try reader.arrayCount()) {
                if let act = try KeyState.mark(&reader) { earlierActs.append(act) }
            }
        }
    }
}

extension CBORWriter {
    fileprivate mutating func ids(_ ids: [EventID]) {
        array(count: ids.count)
        for id in ids { id.raw.withBytes { byteString($0) } }
    }
}

extension CBORReader {
    fileprivate mutating func ids() throws(LedgerError) -> [EventID] {
        var ids: [EventID] = []
        for _ in 0..<(try arrayCount()) { ids.append(EventID(raw: try bytes32())) }
        return ids
    }
}

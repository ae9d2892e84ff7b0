extension Core {
    /// More rows of one subject than this are not collected and sorted but merged.
    private static let sortedRowsMax = 20_000

    /// Goes through the events that pass the filter; inside a snapshot.
    func history(
        _ filter: HistoryFilter, _ body: (HistoryEntry) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        let after = filter.afterPosition ?? 0
        var tag: SubjectTag?
        if let subject = filter.subject { tag = try tags.tag(subject) }
        let matcher = HistoryMatcher(filter, tag)
        if let tag {
            let found = try projector.eventRows(of: tag, after: after)
            if found.count <= Self.sortedRowsMax {
                return try collect(found, matcher, byTime: filter.afterPosition == nil, body)
            }
        }
        if filter.afterPosition != nil {
            guard after < rows.chains.maxRow else { return }
            return try store.forEachEvent(after + 1...rows.chains.maxRow) {
                (row, head, payload) throws(LedgerError) in
                if let tag, StoredRow.tagPrefix(head) != tag.raw.a { return true }
                let event = try rows.event(row, head, payload)
                guard matcher.matches(event), try !rows.isRepeated(event.id, row) else {
                    return true
                }
                return try body(try entry(row, event))
            }
        }
        var merge = try ChronologicalMerge(self, tagPrefix: tag?.raw.a)
        while let (row, event) = try merge.next() {
            guard matcher.matches(event), try !rows.isRepeated(event.id, row) else { continue }
            guard try body(try entry(row, event)) else { return }
        }
    }

    private func collect(
        _ found: [Int64], _ matcher: HistoryMatcher, byTime: Bool,
        _ body: (HistoryEntry) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        var entries: [HistoryEntry] = []
        entries.reserveCapacity(found.count)
        for row in found {
            guard let event = try rows.event(row), matcher.matches(event),
                try !rows.isRepeated(event.id, row)
            else { continue }
            entries.append(try entry(row, event))
        }
        // One replica's events come in the order of their times: nearly always there is nothing
        // to sort.
        if byTime, !zip(entries, entries.dropFirst()).allSatisfy({ Self.isBefore($0, $1) }) {
            entries.sort(by: Self.isBefore)
        }
        for entry in entries where try !body(entry) { return }
    }

    private static func isBefore(_ left: HistoryEntry, _ right: HistoryEntry) -> Bool {
        (left.event.header.timestamp, left.event.id)
            < (right.event.header.timestamp, right.event.id)
    }

    func entry(_ row: Int64, _ event: Event) throws(LedgerError) -> HistoryEntry {
        guard let (chain, _) = rows.chains.locate(row) else { throw store.damaged("row \(row)") }
        return HistoryEntry(
            event: event, position: row, author: rows.chains.chains[chain].author)
    }

    /// The events whose ids begin with these bits; compares the stored check before hashing.
    func events(
        where matches: (EventID) -> Bool, checkMask: UInt32, check: UInt32, limit: Int
    ) throws(LedgerError) -> [HistoryEntry] {
        var found: [HistoryEntry] = []
        guard rows.chains.maxRow > 0 else { return found }
        try store.forEachEvent(1...rows.chains.maxRow) { (row, head, body) throws(LedgerError) in
            guard StoredRow.check(head) & checkMask == check else { return true }
            let event = try rows.event(row, head, body)
            if matches(event.id), try !rows.isRepeated(event.id, row) {
                found.append(try entry(row, event))
            }
            return found.count < limit
        }
        return found
    }

    func event(_ id: EventID) throws(LedgerError) -> HistoryEntry? {
        let check = UInt32(truncatingIfNeeded: id.raw.a >> 32)
        return try events(where: { $0 == id }, checkMask: .max, check: check, limit: 1).first
    }

    func events(withPrefix prefix: String) throws(LedgerError) -> [HistoryEntry] {
        let prefix = prefix.lowercased()
        guard let bytes = Base32.decodePrefix(prefix) else {
            throw LedgerError(.invalid, "An event's id is base32: letters and the digits 2 to 7.")
        }
        let known = min(4, bytes.count)
        var check: UInt32 = 0
        for index in 0..<4 { check = check << 8 | UInt32(index < known ? bytes[index] : 0) }
        let mask: UInt32 = known == 0 ? 0 : .max << UInt32(32 - 8 * known)
        return try events(
            where: { $0.description.hasPrefix(prefix) }, checkMask: mask, check: check, limit: 8)
    }
}

/// The part of a filter that looks at one event.
struct HistoryMatcher {
    private let filter: HistoryFilter
    private let tag: SubjectTag?
    private let device: [UInt8]?
    private let resource: [UInt8]?
    private let feature: [UInt8]?

    init(_ filter: HistoryFilter, _ tag: SubjectTag?) {
        self.filter = filter
        self.tag = tag
        device = filter.device.map(Identifier.canonicalBytes)
        resource = filter.resource.map(Identifier.canonicalBytes)
        feature = filter.feature.map(Identifier.canonicalBytes)
    }

    func matches(_ event: Event) -> Bool {
        let milliseconds = event.header.timestamp.milliseconds
        if let since = filter.since, milliseconds < since { return false }
        if let before = filter.before, milliseconds >= before { return false }
        if !filter.kinds.isEmpty, !filter.kinds.contains(event.header.kind) { return false }
        // The header tells whom an event is about, even where its payload is not here.
        if let tag, event.header.subjectTag != tag { return false }
        guard device != nil || resource != nil || feature != nil else { return true }
        guard let payload = event.payload else { return false }
        return same(payload.device, device) && same(payload.resource, resource)
            && same(payload.feature, feature)
    }

    private func same(_ name: String?, _ wanted: [UInt8]?) -> Bool {
        guard let wanted else { return true }
        return name.map(Identifier.canonicalBytes) == wanted
    }
}

/// Merges the logs in the order of their timestamps, a bounded number of rows at a time.
struct ChronologicalMerge {
    private struct Cursor {
        let chain: Int
        var next: UInt64
        let end: UInt64
        var buffer: [(row: Int64, event: Event)] = []
    }

    private let core: Core
    private let tagPrefix: UInt64?
    private var cursors: [Cursor]
    private let rowsAtOnce: UInt64
    private static let bufferedRowsMax = 1024

    init(_ core: Core, tagPrefix: UInt64?) throws(LedgerError) {
        self.core = core
        self.tagPrefix = tagPrefix
        let chains = core.rows.chains
        // A chain that shares rows with another begins where its own rows do.
        cursors = chains.chains.indices.map { chain in
            let own = chains.chains[chain].pieces.first { !$0.isShared }
            return Cursor(
                chain: chain, next: own?.firstSequence ?? 0, end: chains.size(chain))
        }
        rowsAtOnce = UInt64(max(1, Self.bufferedRowsMax / max(1, cursors.count)))
        for index in cursors.indices { try fill(index) }
        cursors.removeAll { $0.buffer.isEmpty }
        cursors.sort { Self.isLater($0, $1) }
    }

    /// The event that comes next, or nil at the end.
    mutating func next() throws(LedgerError) -> (row: Int64, event: Event)? {
        guard let last = cursors.indices.last, let first = cursors[last].buffer.popLast() else {
            return nil
        }
        if cursors[last].buffer.isEmpty { try fill(last) }
        let moved = cursors.removeLast()
        if !moved.buffer.isEmpty {
            let place = cursors.firstIndex { Self.isLater(moved, $0) } ?? cursors.count
            cursors.insert(moved, at: place)
        }
        return first
    }

    /// Cursors stand with the earliest next event last.
    private static func isLater(_ left: Cursor, _ right: Cursor) -> Bool {
        guard let left = left.buffer.last?.event, let right = right.buffer.last?.event else {
            return false
        }
        return (left.header.timestamp, left.id) > (right.header.timestamp, right.id)
    }

    private mutating func fill(_ index: Int) throws(LedgerError) {
        var buffer: [(row: Int64, event: Event)] = []
        let core = core
        while buffer.isEmpty, cursors[index].next < cursors[index].end {
            let from = cursors[index].next
            let to = min(from + rowsAtOnce, cursors[index].end)
            for run in core.rows.chains.rows(cursors[index].chain, from..<to) {
                try core.store.forEachEvent(run) { (row, head, body) throws(LedgerError) in
                    if let tagPrefix, StoredRow.tagPrefix(head) != tagPrefix { return true }
                    buffer.append((row, try core.rows.event(row, head, body)))
                    return true
                }
            }
            cursors[index].next = to
        }
        cursors[index].buffer = buffer.reversed()
    }
}

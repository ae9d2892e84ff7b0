extension Core {
    /// Stores one verified event of another log and takes it in.
    func insert(
        _ event: StoredEvent, _ judged: inout IntervalJudge.Judged, _ chain: Int,
        _ tally: inout IngestTally
    ) throws(LedgerError) {
        let body = judged.isBodyGood ? event.body?.bytes : nil
        if body == nil, event.body != nil { tally.refusedPayloads += 1 }
        // The same event may be here already, on another branch.
        if rows.chains.hasBranches {
            try insertBeside(event.header, &judged, chain, body, &tally)
        } else {
            try store(event.header, &judged.fact, chain, body, &tally)
        }
    }

    /// Writes a row and folds it in.
    private func store(
        _ header: EventHeader, _ fact: inout Fact, _ chain: Int, _ body: [UInt8]?,
        _ tally: inout IngestTally
    ) throws(LedgerError) {
        let row = rows.chains.maxRow + 1
        var body = body
        // Of an erased subject nothing counts or is stored but what outlives the erasure.
        if !outlastsErasure(header, body) {
            fact = Fact(fact.id, header, .erased, row: row)
            body = []
        }
        fact.row = row
        StoredRow.encode(header, into: &scratch)
        StoredRow.prepare(&scratch, id: fact.id, hasBody: body?.isEmpty == false)
        try store.insertEvent(row: row, head: scratch, body: body)
        rows.chains.maxRow = row
        tally.newEvents += 1
        let isOwn = rows.chains.chains[chain].author == identity.replica
        if isOwn || header.kind.isAboutMembers || header.kind == .logOpened
            || header.kind == .catalogPublished
        {
            try noteContent(header.kind, body, row, isOwn: isOwn)
        }
        try rows.removeRepeated(&fact)
        try rows.limit(&fact)
        if case .erases = fact.role, !projector.isErased(fact.tag) { newlyErased.insert(fact.tag) }
        try projector.apply(fact)
    }

    /// Whether nothing is left out of an event since its subject was erased.
    private func outlastsErasure(_ header: EventHeader, _ body: [UInt8]?) -> Bool {
        guard header.subjectTag != .none, projector.isErased(header.subjectTag) else { return true }
        guard let body else { return ScannedBody.missing.isKeptWhenErased(header.kind) }
        return body.withUnsafeBytes {
            ScannedBody(header.kind, $0).isKeptWhenErased(header.kind)
        }
    }

    /// Takes note of what tables beside the log are about.
    private func noteContent(
        _ kind: EventKind, _ body: [UInt8]?, _ row: Int64, isOwn: Bool
    ) throws(LedgerError) {
        let content = body.map { Event.Content(kind, $0, at: StoredRow.saltLength) }
        if kind.isAboutMembers || kind == .logOpened {
            try noteMember(kind, content ?? .missing, row)
        }
        guard let content else { return }
        try noteUnit(kind, content, row)
        if isOwn { try noteCall(content, row) }
    }

    /// Stores an event of a log that has branches: what one branch lacks another may hold.
    private func insertBeside(
        _ header: EventHeader, _ judged: inout IntervalJudge.Judged, _ chain: Int,
        _ body: [UInt8]?, _ tally: inout IngestTally
    ) throws(LedgerError) {
        let others = try rows.others(judged.id, chain, header.sequence)
        if let body {
            try fill(others, header, body, &tally)
        } else {
            for other in others {
                guard let held = try rows.event(other)?.body, !held.isEmpty else { continue }
                judged.fact = held.withUnsafeBytes {
                    Fact(judged.id, header, ScannedBody(header.kind, $0), row: 0)
                }
                return try store(header, &judged.fact, chain, held, &tally)
            }
        }
        try store(header, &judged.fact, chain, body, &tally)
    }

    private func noteUnit(
        _ kind: EventKind, _ content: Event.Content, _ row: Int64
    ) throws(LedgerError) {
        guard case .payload(let payload) = content, kind == .catalogPublished,
            let unit = payload.unitContent
        else { return }
        try store.insertUnit(try CatalogUnit.digest(of: unit), row: row)
    }

    /// An own event that comes back brings the key of the call that made it.
    private func noteCall(_ content: Event.Content, _ row: Int64) throws(LedgerError) {
        guard case .payload(let payload) = content, let name = payload.idempotencyKey
        else { return }
        try store.insertReturnedCall(try tags.callKey(name), row: row)
    }

    /// Takes payloads of events that are here without them.
    func fillPayloads(
        _ events: ArraySlice<StoredEvent>, _ judged: [IntervalJudge.Judged], _ chain: Int,
        _ tally: inout IngestTally
    ) throws(LedgerError) {
        for (event, judged) in zip(events, judged) {
            guard let body = event.body, let row = rows.chains.row(chain, event.header.sequence),
                try store.isBodyMissing(row)
            else { continue }
            guard judged.isBodyGood else {
                tally.refusedPayloads += 1
                continue
            }
            let content = Event.Content(event.header.kind, body.bytes, at: StoredRow.saltLength)
            var same = [row]
            if rows.chains.hasBranches {
                same += try rows.others(judged.id, chain, event.header.sequence)
            }
            try fill(same.sorted(), event.header, body.bytes, &tally)
            try noteUnit(event.header.kind, content, row)
            if event.header.kind.isAboutMembers { tally.newMemberPayloads += 1 }
            if rows.chains.chains[chain].author == identity.replica { try noteCall(content, row) }
        }
    }

    /// Gives rows of one event, ascending, the body they lack; the first of them counts.
    private func fill(
        _ same: [Int64], _ header: EventHeader, _ body: [UInt8], _ tally: inout IngestTally
    ) throws(LedgerError) {
        let before = tally.newPayloads
        for row in same where try store.isBodyMissing(row) {
            let id = StoredRow.encode(header, into: &scratch, digester)
            StoredRow.prepare(&scratch, id: id, hasBody: true)
            try store.replaceEvent(row: row, head: scratch, body: body)
            tally.newPayloads += 1
        }
        guard tally.newPayloads > before else { return }
        if let first = same.first, let fact = try rows.fact(first) {
            try projector.reconsider(fact)
        }
    }
}

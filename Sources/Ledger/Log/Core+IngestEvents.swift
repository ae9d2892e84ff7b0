extension Core {
    /// Stores one verified event of another log and takes it in.
    func insert(
        _ event: StoredEvent, _ id: EventID, _ chain: Int, _ tally: inout IngestTally
    ) throws(LedgerError) {
        let row = rows.chains.maxRow + 1
        var body: [UInt8]?
        var content = Event.Content.missing
        if let given = event.body {
            let decoded = Event.Content(event.header.kind, given.payload)
            if isAcceptable(event.header, given), try isAboutTag(event.header, decoded) {
                body = given.salt + given.payload
                content = decoded
            } else {
                tally.refusedPayloads += 1
            }
        }
        // The same event may be here already, on another branch.
        let others = try rows.others(id, chain, event.header.sequence)
        if body == nil {
            for other in others where body == nil {
                guard let held = try rows.event(other), !held.body.isEmpty else { continue }
                (body, content) = (held.body, held.content)
            }
        } else if let body {
            try fill(others, event.header, body, &tally)
        }
        StoredRow.encode(event.header, into: &scratch)
        StoredRow.prepare(&scratch, id: id, hasBody: body != nil)
        try store.insertEvent(row: row, head: scratch, body: body)
        rows.chains.maxRow = row
        tally.newEvents += 1
        clock.observe(event.header.timestamp, wall: environment.wallClock())
        let whole = Event(
            id: id, header: event.header, body: body ?? [], content: content)
        try noteUnit(event.header, content, row)
        try noteCall(content, row, chain)
        try projector.apply(try rows.fact(whole, row))
    }

    private func noteUnit(
        _ header: EventHeader, _ content: Event.Content, _ row: Int64
    ) throws(LedgerError) {
        guard case .payload(let payload) = content, header.kind == .catalogPublished,
            let unit = payload.unitContent
        else { return }
        try store.insertUnit(try CatalogUnit.digest(of: unit), row: row)
    }

    /// An own event that comes back brings the key of the call that made it.
    private func noteCall(
        _ content: Event.Content, _ row: Int64, _ chain: Int
    ) throws(LedgerError) {
        guard rows.chains.chains[chain].author == identity.replica,
            case .payload(let payload) = content, let name = payload.idempotencyKey
        else { return }
        try store.insertReturnedCall(try tags.callKey(name), row: row)
    }

    /// Whether a payload is the one its header commits to.
    func isAcceptable(_ header: EventHeader, _ body: StoredEvent.Body) -> Bool {
        guard body.salt.count == StoredRow.saltLength, body.payload.count == header.payloadLength
        else { return false }
        let commitment = body.salt.withUnsafeBytes { salt in
            body.payload.withUnsafeBytes { digester.digest(salt, $0) }
        }
        return commitment == header.commitment
    }

    /// Whether a payload is about the subject that its header names by tag.
    func isAboutTag(_ header: EventHeader, _ content: Event.Content) throws(LedgerError) -> Bool {
        guard case .payload(let payload) = content else { return true }
        guard let subject = payload.subject else {
            // A kind this version does not know may name its subject another way.
            return header.subjectTag == .none || !header.kind.isKnown
        }
        return try tags.tag(subject) == header.subjectTag
    }

    /// Takes payloads of events that are here without them.
    func fillPayloads(
        _ events: ArraySlice<StoredEvent>, _ chain: Int, _ tally: inout IngestTally
    ) throws(LedgerError) {
        for event in events {
            guard let body = event.body, let row = rows.chains.row(chain, event.header.sequence),
                try store.isBodyMissing(row)
            else { continue }
            let content = Event.Content(event.header.kind, body.payload)
            guard isAcceptable(event.header, body), try isAboutTag(event.header, content) else {
                tally.refusedPayloads += 1
                continue
            }
            var same = [row]
            if rows.chains.hasBranches, let id = try rows.event(row)?.id {
                same += try rows.others(id, chain, event.header.sequence)
            }
            try fill(same.sorted(), event.header, body.salt + body.payload, &tally)
            try noteUnit(event.header, content, row)
            try noteCall(content, row, chain)
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

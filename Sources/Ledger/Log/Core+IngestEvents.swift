extension Core {
    /// Stores one verified event of another log and takes it in.
    func insert(
        _ event: StoredEvent, _ id: EventID, _ chain: Int, _ tally: inout IngestTally
    ) throws(LedgerError) {
        // The same event may be here already, on another branch.
        if rows.chains.hasBranches {
            return try insertBeside(event, id, chain, &tally)
        }
        let isHere = try acceptBody(of: event, &tally)
        try store(event.header, id, chain, isHere ? bodyScratch.bytes : nil, &tally)
    }

    /// Puts salt and payload together in ``bodyScratch`` and checks them against their header.
    private func acceptBody(
        of event: StoredEvent, _ tally: inout IngestTally
    ) throws(LedgerError) -> Bool {
        guard let given = event.body else { return false }
        bodyScratch.removeAll()
        bodyScratch.append(given.salt)
        bodyScratch.append(given.payload)
        let bytes = bodyScratch.bytes
        let header = event.header
        guard given.salt.count == StoredRow.saltLength,
            given.payload.count == header.payloadLength,
            digester.digest(bytes) == header.commitment,
            try tagCheck.isAbout(header, ScannedBody(header.kind, bytes))
        else {
            tally.refusedPayloads += 1
            return false
        }
        return true
    }

    /// Writes a row and folds it in.
    private func store(
        _ header: EventHeader, _ id: EventID, _ chain: Int, _ body: UnsafeRawBufferPointer?,
        _ tally: inout IngestTally
    ) throws(LedgerError) {
        let row = rows.chains.maxRow + 1
        let body = outlasting(header, body)
        StoredRow.encode(header, into: &scratch)
        StoredRow.prepare(&scratch, id: id, hasBody: body?.isEmpty == false)
        try store.insertEvent(row: row, head: scratch, bodyBytes: body)
        rows.chains.maxRow = row
        tally.newEvents += 1
        if header.kind == .catalogPublished, let body {
            try noteUnit(
                header, Event.Content(header.kind, [UInt8](body), at: StoredRow.saltLength), row)
        }
        if header.kind.isAboutMembers || header.kind == .logOpened {
            let content = body.map {
                Event.Content(header.kind, [UInt8]($0), at: StoredRow.saltLength)
            }
            try noteMember(header.kind, content ?? .missing, row)
        }
        if let body, rows.chains.chains[chain].author == identity.replica {
            try noteCall(
                Event.Content(header.kind, [UInt8](body), at: StoredRow.saltLength), row, chain)
        }
        var fact = Fact(id, header, ScannedBody(header.kind, body), row: row)
        try rows.removeRepeated(&fact)
        try rows.limit(&fact)
        if case .erases = fact.role, !projector.isErased(fact.tag) { newlyErased.insert(fact.tag) }
        try projector.apply(fact)
    }

    /// What is stored of a body: of an erased subject nothing but what outlives the erasure.
    private func outlasting(
        _ header: EventHeader, _ body: UnsafeRawBufferPointer?
    ) -> UnsafeRawBufferPointer? {
        guard projector.isErased(header.subjectTag), header.subjectTag != .none,
            !ScannedBody(header.kind, body).isKeptWhenErased(header.kind)
        else { return body }
        return UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Stores an event of a log that has branches: what one branch lacks another may hold.
    private func insertBeside(
        _ event: StoredEvent, _ id: EventID, _ chain: Int, _ tally: inout IngestTally
    ) throws(LedgerError) {
        let others = try rows.others(id, chain, event.header.sequence)
        if try acceptBody(of: event, &tally) {
            let body = [UInt8](bodyScratch.bytes)
            try fill(others, event.header, body, &tally)
            return try store(event.header, id, chain, bodyScratch.bytes, &tally)
        }
        for other in others {
            guard let held = try rows.event(other), !held.body.isEmpty else { continue }
            bodyScratch.removeAll()
            bodyScratch.append(held.body)
            return try store(event.header, id, chain, bodyScratch.bytes, &tally)
        }
        try store(event.header, id, chain, nil, &tally)
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
                || content.isKeptWhenErased(header.kind)
        }
        // Whom it erases must not stand in what is kept for good.
        guard header.kind != .erased else { return false }
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
            if event.header.kind.isAboutMembers { tally.newMemberPayloads += 1 }
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

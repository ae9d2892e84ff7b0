extension Core {
    /// Stores one verified event of another log and takes it in.
    func insert(
        _ event: StoredEvent, _ id: EventID, _ chain: Int, _ tally: inout IngestTally
    ) throws(LedgerError) {
        // The same event may be here already, on another branch.
        if rows.chains.hasBranches {
            return try insertBeside(event, id, chain, &tally)
        }
        let body = try acceptedBody(of: event, &tally)
        try store(event.header, id, chain, body, &tally)
    }

    /// Salt and payload in ``bodyScratch``, and what they say.
    private struct HeldBody {
        let bytes: UnsafeRawBufferPointer
        let scanned: ScannedBody

        init(_ kind: EventKind, _ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
            scanned = ScannedBody(kind, bytes)
        }
    }

    /// Puts salt and payload into ``bodyScratch``; nil when they are not what the header commits to.
    private func acceptedBody(
        of event: StoredEvent, _ tally: inout IngestTally
    ) throws(LedgerError) -> HeldBody? {
        guard let given = event.body else { return nil }
        bodyScratch.removeAll()
        bodyScratch.append(given.bytes)
        let bytes = bodyScratch.bytes
        let header = event.header
        if given.hasWholeSalt, given.payloadLength == header.payloadLength,
            digester.digest(bytes) == header.commitment
        {
            let body = HeldBody(header.kind, bytes)
            if try tagCheck.isAbout(header, body.scanned) { return body }
        }
        tally.refusedPayloads += 1
        return nil
    }

    /// Writes a row and folds it in.
    private func store(
        _ header: EventHeader, _ id: EventID, _ chain: Int, _ body: HeldBody?,
        _ tally: inout IngestTally
    ) throws(LedgerError) {
        let row = rows.chains.maxRow + 1
        let body = outlasting(header, body)
        StoredRow.encode(header, into: &scratch)
        StoredRow.prepare(&scratch, id: id, hasBody: body?.bytes.isEmpty == false)
        try store.insertEvent(row: row, head: scratch, bodyBytes: body?.bytes)
        rows.chains.maxRow = row
        tally.newEvents += 1
        let isOwn = rows.chains.chains[chain].author == identity.replica
        if isOwn || header.kind.isAboutMembers || header.kind == .logOpened
            || header.kind == .catalogPublished
        {
            try noteContent(header.kind, body, row, isOwn: isOwn)
        }
        var fact = Fact(id, header, body?.scanned ?? .missing, row: row)
        try rows.removeRepeated(&fact)
        try rows.limit(&fact)
        if case .erases = fact.role, !projector.isErased(fact.tag) { newlyErased.insert(fact.tag) }
        try projector.apply(fact)
    }

    /// Takes note of what tables beside the log are about.
    private func noteContent(
        _ kind: EventKind, _ body: HeldBody?, _ row: Int64, isOwn: Bool
    ) throws(LedgerError) {
        let content = body.map {
            Event.Content(kind, [UInt8]($0.bytes), at: StoredRow.saltLength)
        }
        if kind.isAboutMembers || kind == .logOpened {
            try noteMember(kind, content ?? .missing, row)
        }
        guard let content else { return }
        try noteUnit(kind, content, row)
        if isOwn { try noteCall(content, row) }
    }

    /// What is stored of a body: of an erased subject nothing but what outlives the erasure.
    private func outlasting(_ header: EventHeader, _ body: HeldBody?) -> HeldBody? {
        guard projector.isErased(header.subjectTag), header.subjectTag != .none,
            !(body?.scanned ?? .missing).isKeptWhenErased(header.kind)
        else { return body }
        return HeldBody(header.kind, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Stores an event of a log that has branches: what one branch lacks another may hold.
    private func insertBeside(
        _ event: StoredEvent, _ id: EventID, _ chain: Int, _ tally: inout IngestTally
    ) throws(LedgerError) {
        let others = try rows.others(id, chain, event.header.sequence)
        if let body = try acceptedBody(of: event, &tally) {
            try fill(others, event.header, [UInt8](body.bytes), &tally)
            return try store(event.header, id, chain, body, &tally)
        }
        for other in others {
            guard let held = try rows.event(other), !held.body.isEmpty else { continue }
            bodyScratch.removeAll()
            bodyScratch.append(held.body)
            let body = HeldBody(event.header.kind, bodyScratch.bytes)
            return try store(event.header, id, chain, body, &tally)
        }
        try store(event.header, id, chain, nil, &tally)
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

    /// Whether a payload is the one its header commits to.
    func isAcceptable(_ header: EventHeader, _ body: StoredEvent.Body) -> Bool {
        guard body.hasWholeSalt, body.payloadLength == header.payloadLength else { return false }
        return body.bytes.withUnsafeBytes { digester.digest($0) } == header.commitment
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

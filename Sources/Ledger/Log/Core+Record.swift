extension Core {
    /// Writes one event into the own log and takes it in, inside the open write transaction.
    func record(
        _ draft: Draft, _ target: Target?, replaces: [EventID]
    ) throws(LedgerError) -> Event {
        let wall = environment.wallClock()
        let timestamp = clock.tick(wall: wall)
        floor = max(floor, wall)
        var payload = draft.payload
        let differing = timestamp.milliseconds == wall ? nil : wall
        // A payload is shared with the draft until it changes.
        if payload.wall != differing { payload.wall = differing }
        // The newest own event would no longer tell it after opening again.
        if floor > wall { try store.setMeta(.floor, floor) }
        let (event, row) = try write(
            payload.encoded(after:), kind: draft.kind, isCritical: draft.isCritical,
            tag: target?.key.tag ?? .none, replaces: replaces, timestamp: timestamp,
            content: .payload(payload))
        var fact = Fact(event.id, event.header, payload, row: row, key: target?.key)
        try rows.limit(&fact)
        if let target, target.entry == nil {
            projector.pass(fact)
        } else {
            try projector.apply(fact, to: target?.entry)
        }
        return event
    }

    /// Writes the first event of the own log.
    func record(_ opening: LogOpening) throws(LedgerError) -> Event {
        let timestamp = clock.tick(wall: environment.wallClock())
        let (event, row) = try write(
            { $0 + opening.encoded }, kind: .logOpened, isCritical: false, tag: .none, replaces: [],
            timestamp: timestamp, content: .opening(opening))
        try noteMember(event.header.kind, event.content, row)
        try rows.readMembers()
        try projector.apply(Fact(event, row: row))
        return event
    }

    /// Writes an admission into the own log.
    func record(_ admission: MemberAdmission) throws(LedgerError) -> Event {
        try record(.memberAdmitted, admission.encoded, .admission(admission))
    }

    /// Writes a removal into the own log.
    func record(_ removal: MemberRemoval) throws(LedgerError) -> Event {
        try record(.memberRemoved, removal.encoded, .removal(removal))
    }

    private func record(
        _ kind: EventKind, _ payload: [UInt8], _ content: Event.Content
    ) throws(LedgerError) -> Event {
        let (event, row) = try write(
            { $0 + payload }, kind: kind, isCritical: false, tag: .none, replaces: [],
            timestamp: clock.tick(wall: environment.wallClock()), content: content)
        try noteMember(kind, content, row)
        try projector.apply(Fact(event, row: row))
        return event
    }

    /// Writes that a subject is erased, or that it was erased here too.
    func recordErasure(
        of tag: SubjectTag, confirming earlier: EventID? = nil
    ) throws(LedgerError) -> Event {
        let wall = environment.wallClock()
        let timestamp = clock.tick(wall: wall)
        floor = max(floor, wall)
        var payload = Payload()
        payload.answers = earlier
        payload.wall = timestamp.milliseconds == wall ? nil : wall
        let (event, row) = try write(
            payload.encoded(after:), kind: .erased, isCritical: false, tag: tag, replaces: [],
            timestamp: timestamp, content: .payload(payload))
        try projector.apply(Fact(event, row: row))
        return event
    }

    private func write(
        _ encode: (ArraySlice<UInt8>) -> [UInt8], kind: EventKind, isCritical: Bool,
        tag: SubjectTag,
        replaces: [EventID], timestamp: Timestamp, content: Event.Content
    ) throws(LedgerError) -> (event: Event, row: Int64) {
        // Whoever records settled it before; a log that is in doubt must not grow by any way.
        try settleDoubt()
        guard var writer else {
            throw LedgerError(
                .readOnly,
                "The replica's key is not here; put it back beside the database to write.")
        }
        self.writer = nil  // One owner while it changes: a second would copy the salts.
        defer { self.writer = writer }
        let body = encode(try writer.salt(environment.random))
        let payloadLength = body.count - StoredRow.saltLength
        guard payloadLength <= EventHeader.payloadLengthMax else {
            throw LedgerError(.limit, "The event's content exceeds 64 KiB; say less in it.")
        }
        let header = EventHeader(
            log: writer.log, sequence: writer.frontier.size, timestamp: timestamp, kind: kind,
            isCritical: isCritical, replaces: replaces, subjectTag: tag,
            payloadLength: payloadLength, commitment: digester.digest(body))
        let row = rows.chains.maxRow + 1
        try continuePiece(&writer, row: row)
        let id = StoredRow.encode(header, into: &scratch, digester)
        StoredRow.prepare(&scratch, id: id, hasBody: true)
        try store.insertEvent(row: row, head: scratch, body: body)
        rows.chains.maxRow = row
        writer.frontier.append(id.raw, digester)
        writer.unsignedBytes += header.encodedLength + body.count
        if let subtree = writer.frontier.completedSubtree {
            let place = writer.frontier.size / MerkleTree.storedSubtreeSize - 1
            try store.insertSubtree(chain: writer.chain, place: place, root: subtree)
        }
        if writer.mustSign { try sign(&writer) }
        return (Event(id: id, header: header, body: body, content: content), row)
    }

    /// Notes where the own chain goes on after rows of other logs.
    private func continuePiece(_ writer: inout LogWriter, row: Int64) throws(LedgerError) {
        if writer.chain == 0 {
            writer.chain = try store.insertChain(log: writer.log, author: writer.replica)
            rows.chains.add(
                EventStore.ChainRow(
                    number: writer.chain, log: writer.log, author: writer.replica))
        } else if let index = rows.chains.index(number: writer.chain),
            rows.chains.endsWith(index)
        {
            return
        }
        let piece = EventStore.PieceRow(
            chain: writer.chain, firstSequence: writer.frontier.size, firstRow: row,
            isShared: false)
        try store.insertPiece(piece)
        rows.chains.add(piece)
    }

    /// Signs the tail of the own log.
    func sign(_ writer: inout LogWriter) throws(LedgerError) {
        let root = writer.frontier.root(digester)
        let checkpoint = try Checkpoint.sign(
            log: writer.log, size: writer.frontier.size, root: root, with: writer.keys.signing)
        try store.insertCheckpoint(
            StoredCheckpoint(
                size: checkpoint.size, root: root, signature: checkpoint.signature,
                frontier: writer.frontier),
            chain: writer.chain)
        writer.signedSize = checkpoint.size
        writer.unsignedBytes = 0
    }

    /// Brings the right edge of the own tree up to the newest row, which another process may
    /// have written.
    func loadFrontier() throws(LedgerError) {
        guard var writer else { return }
        guard let index = rows.chains.indices(of: writer.log).first else { return }
        writer.chain = rows.chains.chains[index].number
        let size = rows.chains.size(index)
        guard writer.frontier.size < size else { return }
        if let newest = try store.checkpoint(chain: writer.chain, atMost: size),
            newest.size > writer.frontier.size
        {
            writer.frontier = newest.frontier
            writer.signedSize = newest.size
        }
        let rest = writer.frontier.size..<size
        for leaf in try rows.leaves(chain: index, rest) {
            writer.frontier.append(leaf, digester)
        }
        // Whoever wrote them, the next checkpoint has to come in time for all.
        writer.unsignedBytes = 0
        for run in rows.chains.rows(index, writer.signedSize..<size) {
            writer.unsignedBytes += try store.byteCount(run)
        }
        self.writer = writer
    }
}

extension Core {
    /// Erases a subject in the open write transaction; what was erased before stays as it is.
    func erase(_ tag: SubjectTag) throws(LedgerError) {
        guard !projector.isErased(tag) else { return }
        try loadFrontier()
        _ = try recordErasure(of: tag)
        try eraseBodies(of: [tag])
    }

    /// Drops salts and payloads of subjects; headers, tree and proofs stay.
    func eraseBodies(of tags: Set<SubjectTag>) throws(LedgerError) {
        guard !tags.isEmpty else { return }
        try projector.flush(all: true)
        for tag in tags { try eraseBodies(of: tag) }
    }

    private func eraseBodies(of tag: SubjectTag) throws(LedgerError) {
        var kept: [Fact] = []
        var about: Set<Int64> = []
        for row in try projector.eventRows(of: tag, after: 0) {
            guard let event = try rows.event(row), event.header.subjectTag == tag else { continue }
            about.insert(row)
            if event.content.isKeptWhenErased(event.header.kind) {
                kept.append(try rows.fact(event, row))
            } else if event.content != .erased {
                StoredRow.encode(event.header, into: &scratch)
                StoredRow.prepare(&scratch, id: event.id, hasBody: false)
                try store.eraseBody(row: row, head: scratch)
            }
        }
        try store.deleteCalls(ofRows: about)
        // What is missing may have become erased.
        store.noteChange(of: nil)
        try projector.erase(tag, keeping: kept)
        try store.setMeta(.erasureCount, try store.metaInteger(.erasureCount) + 1)
    }

    /// Records a denial of an erased subject without anything about the person; refuses the rest.
    func appendBareDenial(_ draft: Draft, _ tag: SubjectTag) throws(LedgerError) -> Receipt {
        guard draft.kind == .answerGiven, draft.payload.outcome == .denied,
            let resource = draft.payload.resource
        else { throw .subjectErased }
        var bare = Draft(.answerGiven, .bareDenial(of: draft.payload))
        if bare.payload.scope == .device { bare.payload.scope = nil }
        let key = StateKey(
            tag: tag, resource: resource,
            place: bare.payload.scope == .person ? nil : .everywhere)
        let entry = try projector.entry(key)
        let inForce = entry.state.inForce.map(\.id).prefix(EventHeader.replacesMax)
        let target = Target(key: key, entry: entry)
        return Receipt(
            event: try record(bare, target, replaces: Array(inForce)), isNew: true)
    }

    /// Whether erased bytes may still stand in the files.
    var mustScrub: Bool {
        get throws(LedgerError) {
            try store.metaInteger(.scrubbedCount) < store.metaInteger(.erasureCount)
        }
    }

    /// Leaves no trace of erased bodies in the files, then confirms the erasures of others.
    ///
    /// - Returns: false while a reader still needs the old content.
    func finishErasures() throws(LedgerError) -> Bool {
        guard access == .readWrite else { return false }
        let count = try store.metaInteger(.erasureCount)
        if try mustScrub {
            guard try store.scrub() else { return false }
            try write { () throws(LedgerError) in
                // Another process may have erased more meanwhile.
                try store.setMeta(.scrubbedCount, count)
            }
        }
        try withSnapshot {}
        guard !unconfirmed.isEmpty else { return true }
        try write { () throws(LedgerError) in
            try loadFrontier()
            for (tag, earlier) in unconfirmed {
                _ = try recordErasure(of: tag, confirming: earlier)
            }
        }
        return true
    }

    /// Erased subjects that no own event says so of, each with the event to confirm, in order.
    private var unconfirmed: [(tag: SubjectTag, earlier: EventID)] {
        guard let replica = writer?.replica else { return [] }
        return projector.erasures.compactMap { (tag, erasures) in
            guard let first = erasures.first,
                !erasures.contains(where: { author(ofRow: $0.row) == replica })
            else { return nil }
            return (tag, first.id)
        }.sorted { $0.tag < $1.tag }
    }

    /// Where events stand whose content was erased here, ascending; inside a snapshot.
    func erasedSequences() throws(LedgerError) -> [LogID: [UInt64]] {
        var erased: [LogID: Set<UInt64>] = [:]
        for tag in projector.erasures.keys {
            for row in try projector.eventRows(of: tag, after: 0) {
                guard let event = try rows.event(row), event.header.subjectTag == tag,
                    event.content == .erased
                else { continue }
                erased[event.header.log, default: []].insert(event.header.sequence)
            }
        }
        return erased.mapValues { $0.sorted() }
    }

    func author(ofRow row: Int64) -> ReplicaID? {
        rows.chains.locate(row).map { rows.chains.chains[$0.chain].author }
    }

    /// What is known of the erasure of a subject; inside a snapshot.
    func erasure(of tag: SubjectTag) throws(LedgerError) -> Erasure? {
        guard let rows = projector.erasures[tag] else { return nil }
        var statements: [Erasure.Statement] = []
        for erasure in rows {
            guard let event = try self.rows.event(erasure.row),
                let author = author(ofRow: erasure.row)
            else { continue }
            statements.append(
                Erasure.Statement(
                    event: event.id, replica: author, timestamp: event.header.timestamp,
                    confirms: event.payload?.answers))
        }
        statements.sort { ($0.timestamp, $0.event) < ($1.timestamp, $1.event) }
        let said = Set(statements.map(\.replica))
        // A member without a log here may hold the content as well; the recovery key holds nothing.
        var all = Set(self.rows.chains.chains.map(\.author)).union(self.rows.members.graph.known)
        if let recoveryKey = self.rows.members.graph.roots?.recoveryKey { all.remove(recoveryKey) }
        return Erasure(
            tag: tag, statements: statements, outstanding: all.subtracting(said).sorted(),
            isScrubbedHere: try !mustScrub)
    }
}

extension LedgerError {
    static let subjectErased = LedgerError(
        .subjectErased,
        "This subject was erased; only a denial is recorded for it. Give a returning person a new "
            + "subject id.")
}

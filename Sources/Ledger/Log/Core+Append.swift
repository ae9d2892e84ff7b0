extension Core {
    /// Records drafts in the open write transaction.
    func append(_ drafts: [Draft]) throws(LedgerError) -> [Receipt] {
        try settleDoubt()
        try loadFrontier()
        var receipts: [Receipt] = []
        receipts.reserveCapacity(drafts.count)
        for draft in drafts { receipts.append(try append(draft)) }
        return receipts
    }

    private func append(_ draft: Draft) throws(LedgerError) -> Receipt {
        if let subject = draft.payload.subject {
            let tag = try tags.tag(subject)
            if projector.isErased(tag) { return try appendBareDenial(draft, tag) }
        }
        let call = try draft.payload.idempotencyKey.map { (name) throws(LedgerError) in
            (key: try tags.callKey(name), content: try contentDigest(draft))
        }
        if let call, let earlier = try store.call(call.key) {
            let isRepeated =
                earlier.content.isEmpty
                ? try repeats(draft, row: earlier.row) : earlier.content == call.content
            guard isRepeated else {
                throw LedgerError(
                    .conflict,
                    "This idempotency key was used before with other content; use a new key.")
            }
            return try receipt(ofRow: earlier.row)
        }
        var target: Target?
        var replaces: [EventID] = []
        if draft.payload.subject != nil {
            let found = try self.target(of: draft)
            target = found
            if let known = try alreadyRecorded(draft, found) {
                // The call is done: repeating it later, when something else holds, does nothing.
                if let call {
                    try store.insertCall(call.key, row: known.row, content: call.content)
                }
                return Receipt(event: known.event, isNew: false)
            }
            replaces = try edges(draft, found)
        }
        let event =
            draft.kind == .settingsChanged && draft.payload.oldStatus == nil
            ? try record(filled(draft, target), target, replaces: replaces)
            : try record(draft.validity == nil ? draft : ended(draft), target, replaces: replaces)
        let row = rows.chains.maxRow
        if let call { try store.insertCall(call.key, row: row, content: call.content) }
        if draft.kind == .catalogPublished, let content = draft.payload.unitContent {
            try store.insertUnit(try CatalogUnit.digest(of: content), row: row)
        }
        return Receipt(event: event, isNew: true)
    }

    /// Whether a call that came back from a peer says what the draft says; what was filled in when
    /// it was recorded was no part of it.
    private func repeats(_ draft: Draft, row: Int64) throws(LedgerError) -> Bool {
        guard let event = try rows.event(row), var payload = event.payload else { return false }
        if draft.kind == .settingsChanged, draft.payload.oldStatus == nil {
            payload.oldStatus = nil
            payload.oldExtent = nil
        }
        if draft.validity != nil, draft.payload.end == nil { payload.end = nil }
        return try contentDigest(Draft(event.header.kind, payload)) == contentDigest(draft)
    }

    /// The key a draft is about, and its state; nil where the draft rests on nothing and the state
    /// is not at hand.
    struct Target {
        let key: StateKey
        let entry: Projector.Entry?
    }

    private func target(of draft: Draft) throws(LedgerError) -> Target {
        let payload = draft.payload
        let tag = try tags.tag(payload.subject ?? "")
        let isPersonal = payload.scope == .person
        let device = isPersonal ? nil : payload.device
        let install = isPersonal ? nil : payload.install
        let resource = payload.resource ?? ""
        let digest = StateKey.digest(
            tag: tag, resource: resource, device: device, install: install, in: &keyScratch)
        if let entry = projector.cached(digest), let key = entry.key {
            return Target(key: key, entry: entry)
        }
        var place: Place?
        if let device, let install { place = Place(device: device, install: install) }
        let key = StateKey(tag: tag, resource: resource, place: place)
        let restsOnNothing =
            (draft.kind == .primerShown || draft.kind == .promptAsked) && draft.expect == nil
            && payload.answers == nil
        if restsOnNothing, !projector.isLoaded(tag) { return Target(key: key, entry: nil) }
        return Target(key: key, entry: try projector.entry(key))
    }

    private func receipt(ofRow row: Int64) throws(LedgerError) -> Receipt {
        guard let event = try rows.event(row) else { throw store.damaged("row \(row)") }
        return Receipt(event: event, isNew: false)
    }

    /// What a call says, without what differs when it is repeated.
    private func contentDigest(_ draft: Draft) throws(LedgerError) -> [UInt8] {
        var payload = draft.payload
        payload.wall = nil
        payload.windowStart = nil
        payload.windowEnd = nil
        let kind = [UInt8(draft.kind.code >> 8), UInt8(draft.kind.code & 0xFF)]
        return try tags.callContent(kind + payload.encoded)
    }

    /// The same answer to the same question, or a status that holds already, is recorded once.
    ///
    /// An answer that was overruled since is another act.
    private func alreadyRecorded(
        _ draft: Draft, _ target: Target
    ) throws(LedgerError) -> (event: Event, row: Int64)? {
        guard let entry = target.entry else { return nil }
        if draft.kind == .settingsChanged {
            guard entry.state.inForce.count == 1, let only = entry.state.inForce.first,
                !only.decision.isUndecodable, only.decision.status == draft.payload.status,
                only.decision.extent == draft.payload.extent ?? .full,
                only.decision.end == draft.payload.end, blocking(target).isEmpty,
                [nil, .unknown, only.decision.authority].contains(draft.payload.authority)
            else { return nil }
            return try recorded(only.id, target)
        }
        guard let ask = draft.payload.answers, !entry.state.openAsks.contains(sorted: ask) else {
            return nil
        }
        let content = try contentDigest(draft)
        let isDeciding = draft.payload.outcome?.isDeciding == true
        // What was filled in from the validity was no part of what the caller said.
        let isEndFilled = draft.validity != nil && draft.payload.end == nil
        for row in try projector.eventRows(of: target.key.tag, after: 0) {
            guard let event = try rows.event(row), var payload = event.payload,
                payload.answers == ask
            else { continue }
            if isDeciding, !entry.state.inForce.contains(where: { $0.id == event.id }) { continue }
            if isEndFilled { payload.end = nil }
            if try contentDigest(Draft(event.header.kind, payload)) == content {
                return (event, row)
            }
        }
        return nil
    }

    private func recorded(
        _ id: EventID, _ target: Target
    ) throws(LedgerError) -> (event: Event, row: Int64)? {
        for row in try projector.eventRows(of: target.key.tag, after: 0).reversed() {
            if let event = try rows.event(row), event.id == id { return (event, row) }
        }
        return nil
    }

    /// Undecodable events that may be about the target and that nothing of its key names.
    private func blocking(_ target: Target) -> [EventID] {
        guard let ids = projector.blockers[target.key.tag] else { return [] }
        return ids.filter { target.entry?.state.awaited.contains(sorted: $0) != true }
    }

    /// The deciding events that the draft replaces, ascending.
    private func edges(_ draft: Draft, _ target: Target) throws(LedgerError) -> [EventID] {
        let isDeciding =
            draft.kind == .settingsChanged
            || (draft.kind == .answerGiven && draft.payload.outcome?.isDeciding == true)
        guard isDeciding || draft.expect != nil, let entry = target.entry else { return [] }
        let blocking = blocking(target)
        var inForce = entry.state.inForce.map(\.id)
        if !blocking.isEmpty { inForce = (inForce + blocking).sorted() }
        if let expect = draft.expect, draft.payload.outcome != .denied, expect.sorted() != inForce {
            throw LedgerError(
                .expectation,
                "Other events are in force than were expected; read the status and ask again.")
        }
        guard isDeciding else { return [] }
        guard draft.kind == .answerGiven, let ask = draft.payload.answers else {
            return Self.limited(inForce)
        }
        return Self.limited(
            try shown(
                at: ask, target, inForce, isReadable: blocking.isEmpty,
                isDenial: draft.payload.outcome == .denied))
    }

    /// As many as a header can name: an act is recorded whatever others wrote, and what it does
    /// not replace stays in force beside it, where the most restrictive holds.
    private static func limited(_ ids: [EventID]) -> [EventID] {
        ids.count <= EventHeader.replacesMax ? ids : Array(ids.prefix(EventHeader.replacesMax))
    }

    /// What was in force here when the question opened: the person answered that, whatever
    /// arrived meanwhile.
    private func shown(
        at ask: EventID, _ target: Target, _ inForce: [EventID], isReadable: Bool, isDenial: Bool
    ) throws(LedgerError) -> [EventID] {
        if isReadable, projector.blockers[target.key.tag] == nil,
            let shown = target.entry?.state.shownIDs(at: ask)
        {
            return shown
        }
        var facts: [Fact] = []
        var blocking: [EventID] = []
        for row in try projector.eventRows(of: target.key.tag, after: 0) {
            guard let fact = try rows.fact(row) else { continue }
            if fact.id == ask {
                let known = KeyState.fold(facts)
                blocking.removeAll { known.awaited.contains(sorted: $0) }
                return (known.inForce.map(\.id) + blocking).sorted()
            }
            if case .blocks = fact.role { blocking.append(fact.id) }
            if fact.key == target.key { facts.append(fact) }
        }
        // The question is not known here, so nothing tells what was shown: a yes overrules nothing.
        return isDenial ? inForce : []
    }

    /// The grant with the end that its validity gives it.
    private func ended(_ draft: Draft) -> Draft {
        guard let validity = draft.validity, draft.payload.end == nil,
            draft.payload.outcome == .allowed
        else { return draft }
        var draft = draft
        let wall = environment.wallClock()
        draft.payload.end = validity.end(from: min(draft.payload.occurredAt ?? wall, wall))
        return draft
    }

    /// The observation with what was known before it.
    private func filled(_ draft: Draft, _ target: Target?) -> Draft {
        guard let target, let entry = target.entry else { return draft }
        var draft = draft
        let blocking = blocking(target)
        if blocking.isEmpty, entry.state.inForce.count < 2 {
            let only = entry.state.inForce.first?.decision
            draft.payload.oldStatus = only?.status ?? .notDetermined
            if let only, only.status.isGranting, only.extent != .full {
                draft.payload.oldExtent = only.extent
            }
            return draft
        }
        let reading = StatusReader.inForce(entry.state, blockers: blocking)
        draft.payload.oldStatus = reading.status
        if reading.extent != .full { draft.payload.oldExtent = reading.extent }
        return draft
    }
}

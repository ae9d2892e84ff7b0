extension Core {
    /// Records what the system reports differently, then decides.
    func decide(
        _ entry: FeatureEntry, _ feature: Catalog.Feature, _ catalog: Catalog,
        _ live: [SystemStatus?]
    ) throws(LedgerError) -> Decision {
        try observe(entry, feature, live)
        var resources: [GateResource] = []
        resources.reserveCapacity(feature.needs.count)
        for (need, live) in zip(feature.needs, live) {
            resources.append(try gateResource(need, entry, catalog, live))
        }
        // By now everything that is committed was taken in.
        guard !projector.isErased(try tags.tag(entry.subject)) else { throw .subjectErased }
        var input = GateInput(
            catalog: catalog, feature: feature, resources: resources, now: now)
        input.retry = entry.retry
        input.isAppActive = entry.isAppActive
        input.languages = entry.languages
        input.signingIdentity = entry.signingIdentity
        return Gate.decide(input)
    }

    // MARK: The live status

    private func observe(
        _ entry: FeatureEntry, _ feature: Catalog.Feature, _ live: [SystemStatus?]
    ) throws(LedgerError) {
        guard access == .readWrite else { return }
        for (need, live) in zip(feature.needs, live) {
            guard case .reported(let status, let reported)? = live else { continue }
            let extent = reported.told(with: status)
            let query = StatusQuery(entry.subject, resource: need.resource, at: entry.place)
            guard try differs(query, status, extent) else { continue }
            var draft = Draft.observed(
                entry.subject, resource: need.resource, at: entry.place, status)
            draft.payload.extent = extent == .full ? nil : extent
            draft.payload.feature = entry.feature
            draft.payload.signingIdentity = entry.signingIdentity
            try DraftRules.check(draft)
            try write { () throws(LedgerError) in
                // Another process may have recorded the same change since the comparison.
                guard try differs(query, status, extent) else { return }
                draft.payload.windowStart = try lastSeen(query)
                draft.payload.windowEnd = environment.wallClock()
                _ = try append([draft])
            }
            try? flushIfNeeded()
        }
    }

    private func differs(
        _ query: StatusQuery, _ status: PermissionStatus, _ extent: Extent
    ) throws(LedgerError) -> Bool {
        let (entry, tag) = try currentEntry(query)
        let told: (status: PermissionStatus, extent: Extent)
        if projector.blockers.isEmpty {
            let base = entry.readBase()
            told = (base.status.status, base.status.extent)
        } else {
            let reading = StatusReader.inForce(
                entry.state,
                blockers: (projector.blockers[tag] ?? []).filter {
                    !entry.state.awaited.contains(sorted: $0)
                })
            told = (reading.status, reading.extent)
        }
        guard told.status == status else { return true }
        // A report without an extent says nothing of it, least of all that it grew.
        return status.isGranting && extent != .full && told.extent.told(with: status) != extent
    }

    /// The time of the last event that told the old status.
    private func lastSeen(_ query: StatusQuery) throws(LedgerError) -> Int64? {
        try projector.entry(try key(query)).state.inForce.map(\.timestamp).max()?.milliseconds
    }

    /// The state with everything that is committed, as cheap as it can be had.
    private func currentEntry(
        _ query: StatusQuery
    ) throws(LedgerError) -> (entry: Projector.Entry, tag: SubjectTag) {
        let isInTransaction = store.database.isInTransaction
        if !isInTransaction, isCurrent {
            let (entry, tag) = try cachedEntry(query)
            if let entry { return (entry, tag) }
        }
        let key = try key(query)
        if isInTransaction { return (try projector.entry(key), key.tag) }
        return (
            try withSnapshot { () throws(LedgerError) in try projector.entry(key) }, key.tag
        )
    }

    /// The state of the person's own key, if any event is about it.
    private func personEntry(_ query: StatusQuery) throws(LedgerError) -> Projector.Entry? {
        if isCurrent {
            let (entry, tag) = try cachedEntry(query)
            if let entry { return entry.state.sampleRow > 0 ? entry : nil }
            if projector.isLoaded(tag) { return nil }
        }
        let key = try key(query)
        let entry = try withSnapshot { () throws(LedgerError) in try projector.known(key) }
        return entry?.state.sampleRow ?? 0 > 0 ? entry : nil
    }

    // MARK: What the gate looks at

    private func gateResource(
        _ need: Catalog.Need, _ entry: FeatureEntry, _ catalog: Catalog, _ live: SystemStatus?
    ) throws(LedgerError) -> GateResource {
        let resource = catalog.resource(need.resource)
        var query = StatusQuery(entry.subject, resource: need.resource, at: nil)
        query.platform = catalog.platform
        query.askedExtent = need.asksFor
        query.isAppActive = entry.isAppActive
        query.currentRevision = resource?.revision
        query.systemPermission = resource?.kind
        var facts = GateResource(live: live)
        // A key without any row has no say, unless something unreadable may be about it.
        var known = try personEntry(query)
        if resource?.scope == .person || known != nil || !projector.blockers.isEmpty {
            let (person, tag) = try currentEntry(query)
            known = person
            facts.person = GateStatus(status(person, tag, query, lastInstall: nil))
        }
        if resource?.scope != .person {
            query.place = entry.place
            let (device, tag) = try currentEntry(query)
            known = device
            facts.device = GateStatus(status(device, tag, query, lastInstall: nil))
        }
        guard let state = known?.state else { return facts }
        facts.primer = PrimerFacts(
            continuedUnits: state.continued, lastContinued: state.lastContinued?.timestamp,
            lastSkipped: state.lastSkip?.timestamp)
        if let act = state.lastAct {
            if act.outcome == .allowed { facts.grantIdentity = act.signingIdentity }
            if act.outcome == .denied { facts.deniedRevision = act.revision }
        }
        return facts
    }
}

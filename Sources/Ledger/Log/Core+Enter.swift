extension Core {
    /// What is known of a needed resource: of the person, where anything can be, and of the install.
    private struct NeedState {
        var person: Projector.Entry?
        var device: Projector.Entry?
    }

    /// Records what the system reports differently, then decides.
    func decide(
        _ entry: FeatureEntry, _ feature: Catalog.Feature, _ catalog: Catalog,
        _ live: [SystemStatus?]
    ) throws(LedgerError) -> Decision {
        let tag = try tags.tag(entry.subject)
        var states = try needStates(entry, feature, catalog, tag)
        if try observe(entry, feature, live, states, tag) {
            states = try needStates(entry, feature, catalog, tag)
        }
        // By now everything that is committed was taken in.
        guard !projector.isErased(tag) else { throw .subjectErased }
        var resources: [GateResource] = []
        resources.reserveCapacity(feature.needs.count)
        for index in feature.needs.indices {
            resources.append(
                gateResource(feature.needs[index], entry, catalog, live[index], states[index], tag))
        }
        var input = GateInput(
            catalog: catalog, feature: feature, resources: resources, now: now)
        input.retry = entry.retry
        input.isAppActive = entry.isAppActive
        input.languages = entry.languages
        input.signingIdentity = entry.signingIdentity
        return Gate.decide(input)
    }

    private func needStates(
        _ entry: FeatureEntry, _ feature: Catalog.Feature, _ catalog: Catalog, _ tag: SubjectTag
    ) throws(LedgerError) -> [NeedState] {
        var states: [NeedState] = []
        states.reserveCapacity(feature.needs.count)
        for need in feature.needs {
            var query = StatusQuery(entry.subject, resource: need.resource, at: nil)
            let isPersonal = catalog.resource(need.resource)?.scope == .person
            var state = NeedState()
            // A key without any row has no say, unless something unreadable may be about it.
            state.person = try personEntry(query, tag)
            if state.person == nil, isPersonal || !projector.blockers.isEmpty {
                state.person = try currentEntry(query, tag)
            }
            if !isPersonal {
                query.place = entry.place
                state.device = try currentEntry(query, tag)
            }
            states.append(state)
        }
        return states
    }

    // MARK: The live status

    /// Records what the system reports otherwise than it was known; false when there is nothing.
    private func observe(
        _ entry: FeatureEntry, _ feature: Catalog.Feature, _ live: [SystemStatus?],
        _ states: [NeedState], _ tag: SubjectTag
    ) throws(LedgerError) -> Bool {
        guard access == .readWrite else { return false }
        var isRecorded = false
        for index in feature.needs.indices {
            guard case .reported(let status, let reported)? = live[index] else { continue }
            let need = feature.needs[index]
            let extent = reported.told(with: status)
            let query = StatusQuery(entry.subject, resource: need.resource, at: entry.place)
            // The state is as it was looked up only as long as nothing was recorded.
            var known = isRecorded ? nil : states[index].device
            if known == nil { known = try currentEntry(query, tag) }
            guard let known, differs(known, tag, status, extent) else { continue }
            var draft = Draft.observed(
                entry.subject, resource: need.resource, at: entry.place, status)
            draft.payload.extent = extent == .full ? nil : extent
            draft.payload.feature = entry.feature
            draft.payload.signingIdentity = entry.signingIdentity
            try DraftRules.check(draft)
            try write { () throws(LedgerError) in
                // Another process may have recorded the same change since the comparison.
                let state = try projector.entry(try key(query))
                guard differs(state, tag, status, extent) else { return }
                draft.payload.windowStart = state.state.inForce.map(\.timestamp).max()?.milliseconds
                draft.payload.windowEnd = environment.wallClock()
                _ = try append([draft])
            }
            isRecorded = true
            try? flushIfNeeded()
        }
        return isRecorded
    }

    private func differs(
        _ entry: Projector.Entry, _ tag: SubjectTag, _ status: PermissionStatus, _ extent: Extent
    ) -> Bool {
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

    /// The state with everything that is committed, as cheap as it can be had.
    private func currentEntry(
        _ query: StatusQuery, _ tag: SubjectTag
    ) throws(LedgerError) -> Projector.Entry {
        if isCurrent, let entry = cachedEntry(query, tag) { return entry }
        let key = try key(query)
        return try withSnapshot { () throws(LedgerError) in try projector.entry(key) }
    }

    /// The state of the person's own key, if any event is about it.
    private func personEntry(
        _ query: StatusQuery, _ tag: SubjectTag
    ) throws(LedgerError) -> Projector.Entry? {
        if isCurrent {
            if let entry = cachedEntry(query, tag) {
                return entry.state.sampleRow > 0 ? entry : nil
            }
            if projector.isLoaded(tag) { return nil }
        }
        let key = try key(query)
        let entry = try withSnapshot { () throws(LedgerError) in try projector.known(key) }
        return entry?.state.sampleRow ?? 0 > 0 ? entry : nil
    }

    // MARK: What the gate looks at

    private func gateResource(
        _ need: Catalog.Need, _ entry: FeatureEntry, _ catalog: Catalog, _ live: SystemStatus?,
        _ known: NeedState, _ tag: SubjectTag
    ) -> GateResource {
        let resource = catalog.resource(need.resource)
        var query = StatusQuery(entry.subject, resource: need.resource, at: nil)
        query.platform = catalog.platform
        query.askedExtent = need.asksFor
        query.isAppActive = entry.isAppActive
        query.currentRevision = resource?.revision
        query.systemPermission = resource?.kind
        var facts = GateResource(live: live)
        if let person = known.person {
            facts.person = GateStatus(status(person, tag, query, lastInstall: nil))
        }
        if let device = known.device {
            query.place = entry.place
            facts.device = GateStatus(status(device, tag, query, lastInstall: nil))
        }
        guard let state = (known.device ?? known.person)?.state else { return facts }
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

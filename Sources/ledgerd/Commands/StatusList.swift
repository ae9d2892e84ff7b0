internal import Ledger

/// What all statuses of one call have in common.
struct StatusConditions {
    /// The query that a key is filled into.
    private(set) var base: StatusQuery
    /// The catalog's revisions.
    private let facts: CatalogFacts

    init(_ call: Invocation, _ ledger: Ledger, _ zone: TimeZoneRules) throws(Failure) {
        base = StatusQuery("", resource: "", at: nil)
        let asOf = try call.instantAfter("as-of", in: zone).map { $0 - 1 }
        let knownAt = try call.instantAfter("known-at", in: zone).map { $0 - 1 }
        if asOf != nil, knownAt != nil {
            throw call.usage("--as-of and --known-at exclude each other")
        }
        if let asOf { base.moment = .asOf(asOf) }
        if let knownAt { base.moment = .asKnownHere(knownAt) }
        base.platform = try call.parsed(
            "platform", as: "one of \(Platform.allCases.map(\.rawValue).joined(separator: ", "))"
        ) { Platform(rawValue: $0) }
        base.askedExtent = try call.parsed("asked", as: "an extent such as always") { Extent($0) }
        base.isAppActive = try call.yesOrNo("active")
        facts =
            call.flag("outdated") && call.value("catalog") == nil && call.host?.catalog == nil
            ? try CatalogFacts(publishedIn: ledger) : try CatalogFacts(call, ledger)
    }

    /// The catalog's revision of a resource.
    func revision(_ resource: String) -> Revision? { facts.resources[resource]?.revision }

    /// The one key that is asked for; nil when it is a list.
    func oneKey(_ call: Invocation) throws(Failure) -> StatusQuery? {
        guard let subject = call.value("subject"), let resource = call.value("resource"),
            !StatusList.isNarrowed(call)
        else { return nil }
        var query = base
        query.subject = subject
        query.resource = resource
        query.currentRevision = revision(resource)
        switch (call.value("device"), call.value("install")) {
        case (let device?, let install?): query.place = Place(device: device, install: install)
        case (nil, nil): query.place = nil
        default: return nil
        }
        return query
    }
}

/// Goes through all keys and shows those that the options let through.
struct StatusList {
    private static let narrowings = ["pending", "unanswered", "outdated", "conflicting"]

    private let call: Invocation
    private let conditions: StatusConditions
    private let expiringBefore: Int64?

    init(_ call: Invocation, _ conditions: StatusConditions) throws(Failure) {
        self.call = call
        self.conditions = conditions
        let within = try call.parsed("expiring", as: Duration.form, Duration.parse)
        expiringBefore = within.map { call.now &+ $0 }
    }

    static func isNarrowed(_ call: Invocation) -> Bool {
        narrowings.contains { call.flag($0) } || call.value("expiring") != nil
    }

    func run(_ ledger: Ledger, _ view: StatusView) throws(Failure) {
        var answered: Set<[UInt8]> = []
        var people: [[UInt8]: String] = [:]
        let tracksPeople = call.flag("unanswered") && call.value("resource") != nil
        var failure: Failure?
        try lifted { () throws(LedgerError) in
            try ledger.statuses(conditions.base) { (entry) throws(LedgerError) in
                if tracksPeople, let subject = entry.subject, isThis(entry.subject, "subject") {
                    let key = Identifier.canonicalBytes(subject)
                    people[key] = subject
                    if isThis(entry.resource, "resource") { answered.insert(key) }
                }
                let keyed = KeyedStatus(
                    subject: entry.subject, resource: entry.resource, place: entry.place,
                    status: entry.status, isOutdated: isOutdated(entry))
                guard passes(keyed) else { return call.printer.isOpen }
                do throws(Failure) {
                    try view.show(keyed, in: ledger)
                } catch {
                    failure = error
                }
                return call.printer.isOpen && failure == nil
            }
        }
        if let failure { throw failure }
        guard tracksPeople, let resource = call.value("resource") else { return }
        for (key, subject) in people.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where !answered.contains(key) {
            let never = KeyedStatus(
                subject: subject, resource: resource, place: nil, status: Status(),
                isOutdated: false)
            try view.show(never, in: ledger)
        }
    }

    private func isOutdated(_ entry: StatusEntry) -> Bool {
        guard entry.status.status.isGranting, let current = conditions.revision(entry.resource)
        else { return entry.status.isOutdated }
        // As for one key: the system grants without words, a person's consent without them is old.
        return entry.status.revision.map { $0 < current } ?? (entry.place == nil)
    }

    private func passes(_ entry: KeyedStatus) -> Bool {
        guard isThis(entry.subject, "subject"), isThis(entry.resource, "resource"),
            isThis(entry.place?.device, "device"), isThis(entry.place?.install, "install")
        else { return false }
        let status = entry.status
        if call.flag("pending"), !status.isPending { return false }
        if call.flag("unanswered"), !isUnanswered(status) { return false }
        if call.flag("outdated"), !entry.isOutdated { return false }
        if call.flag("conflicting"), !status.isConflicting { return false }
        if let expiringBefore {
            guard let end = status.end, status.status.isGranting else { return false }
            return end <= expiringBefore
        }
        return true
    }

    /// Shown or asked, and neither an act nor an observation ever decided it.
    private func isUnanswered(_ status: Status) -> Bool {
        status.lastAct == nil && status.reason == .nothingRecorded
    }

    private func isThis(_ name: String?, _ option: String) -> Bool {
        guard let wanted = call.value(option) else { return true }
        return name.map { Identifier.same($0, wanted) } ?? false
    }
}

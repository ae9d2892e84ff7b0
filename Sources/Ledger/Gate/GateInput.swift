/// Everything that a decision depends on; nothing else is looked at.
package struct GateInput: Sendable {
    package var catalog: Catalog
    package var feature: Catalog.Feature
    /// One for each of the feature's needs, in their order.
    package var resources: [GateResource]
    /// The person asked for it just now, with a tap.
    package var retry = false
    /// Whether the app is active; nil when not known.
    package var isAppActive: Bool?
    /// BCP 47 ranges, the best first.
    package var languages: [String] = []
    /// Unix milliseconds by which waiting times are judged.
    package var now: Int64
    /// The identity the app is signed with now.
    package var signingIdentity: String?

    package init(
        catalog: Catalog, feature: Catalog.Feature, resources: [GateResource], now: Int64
    ) {
        self.catalog = catalog
        self.feature = feature
        self.resources = resources
        self.now = now
    }
}

/// What is known of one resource that a feature needs.
package struct GateResource: Sendable {
    /// The status on this install, after the live status was compared and recorded.
    ///
    /// Nil for a person-scoped resource. Its ``Status/canAsk`` is about ``Catalog/Need/asksFor``.
    package var device: GateStatus?
    /// The status of the person, if anything is known of it.
    package var person: GateStatus?
    /// What the system says; nil when nobody asked it.
    package var live: SystemStatus?
    package var primer = PrimerFacts()
    /// The identity the app was signed with when the person last allowed it on this install.
    package var grantIdentity: String?
    /// The revision of the words to which the person last said no, where the last act was one.
    package var deniedRevision: Revision?

    package init(device: Status? = nil, person: Status? = nil, live: SystemStatus? = nil) {
        self.device = device.map { GateStatus($0) }
        self.person = person.map { GateStatus($0) }
        self.live = live
    }
}

/// What the rules need of a ``Status``; small, since it is copied at every entry.
package struct GateStatus: Sendable {
    let status: PermissionStatus
    let extent: Extent
    let isByPerson: Bool
    let canAsk: Status.Askability
    let isExpired: Bool
    let isOutdated: Bool
    let isPending: Bool
    let isConsented: Bool
    let wasAsked: Bool
    let lastAct: Timestamp?
    let evidence: [EventID]

    package init(_ full: borrowing Status) {
        status = full.status
        extent = full.extent
        isByPerson = full.authority.mayAct
        canAsk = full.canAsk
        isExpired = full.isExpired
        isOutdated = full.isOutdated
        isPending = full.isPending
        isConsented = full.isConsented
        wasAsked = full.promptsAsked > 0
        lastAct = full.lastAct?.timestamp
        evidence = full.evidence
    }

    static let unknown = GateStatus(Status())
}

/// What became of the primers of a resource on this install.
package struct PrimerFacts: Sendable, Hashable {
    /// The units whose way on was taken.
    package var continuedUnits: [Bytes32]
    /// When that happened last.
    package var lastContinued: Timestamp?
    /// When one was last declined or closed.
    package var lastSkipped: Timestamp?

    package init(
        continuedUnits: [Bytes32] = [], lastContinued: Timestamp? = nil,
        lastSkipped: Timestamp? = nil
    ) {
        self.continuedUnits = continuedUnits
        self.lastContinued = lastContinued
        self.lastSkipped = lastSkipped
    }

    /// When a primer was skipped and not continued since.
    var skipped: Timestamp? {
        guard let lastSkipped else { return nil }
        guard let lastContinued, lastContinued > lastSkipped else { return lastSkipped }
        return nil
    }
}

/// One asking of "may this feature run now?".
///
/// ```swift
/// var entry = FeatureEntry("scan-receipt", subject: "me", at: phone)
/// entry.languages = ["de", "en"]
/// let decision = try ledger.enter(entry, catalog: catalog) { live($0) }
/// ```
public struct FeatureEntry: Sendable, Hashable {
    /// The feature, as the catalog names it.
    public var feature: String
    /// The person.
    public var subject: String
    /// The install on which it is entered.
    public var place: Place
    /// Whether the person asked for it just now, with a tap.
    public var retry = false
    /// Whether the app is active; nil when not known.
    public var isAppActive: Bool?
    /// BCP 47 tags of the languages the person reads, the best first.
    public var languages: [String] = []
    /// The identity the app is signed with now.
    public var signingIdentity: String?

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - feature: the feature, as the catalog names it.
    ///   - subject: the person.
    ///   - place: the install on which it is entered.
    public init(_ feature: String, subject: String, at place: Place) {
        self.feature = feature
        self.subject = subject
        self.place = place
    }
}

extension Ledger {
    /// Decides whether a feature may run now; call it each time the feature opens.
    ///
    /// Each needed device-scoped resource's live status is asked through `probe`, on the caller's
    /// thread and outside the lock, so that it may use the ledger.
    /// Where it differs from what is recorded, one `settingsChanged` is recorded first, compared
    /// once more inside the write transaction. Nothing is cached across entries that a change in
    /// Settings could make stale.
    ///
    /// Where nothing changed and the keys were read before, it reads memory alone; each change it
    /// records costs one fsync. A ledger opened for reading records none.
    ///
    /// ```swift
    /// let entry = FeatureEntry("scan-receipt", subject: "me", at: phone)
    /// let decision = try ledger.enter(entry, catalog: catalog) { _ in .reported(.authorized) }
    /// let action: Decision.Action = decision.action
    /// ```
    ///
    /// - Parameters:
    ///   - entry: who enters what, and where.
    ///   - catalog: the app's own catalog.
    ///   - probe: the live status of a resource; nil when the system cannot be asked.
    /// - Returns: what to do now, and why.
    /// - Throws: `invalid` for a feature that the catalog does not name or a name against the
    ///   rules, what `probe` throws, or as ``append(_:)-(Draft)``.
    public func enter(
        _ entry: FeatureEntry, catalog: Catalog,
        probe: (Catalog.Resource) throws(LedgerError) -> SystemStatus? = { _ in nil }
    ) throws(LedgerError) -> Decision {
        guard let feature = catalog.feature(entry.feature) else {
            let hint = NearestName.hint(entry.feature, among: catalog.features.map(\.id))
            throw LedgerError(.invalid, "The catalog has no such feature\(hint).")
        }
        var live: [SystemStatus?] = []
        for need in feature.needs {
            guard let resource = catalog.resource(need.resource), resource.scope == .device else {
                live.append(nil)
                continue
            }
            live.append(try probe(resource))
        }
        return try withCore { (core) throws(LedgerError) in
            try core.decide(entry, feature, catalog, live)
        }
    }
}

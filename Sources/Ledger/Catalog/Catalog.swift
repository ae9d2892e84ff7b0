/// What an app declares: resources, the words it asks with, and features.
///
/// `docs/CATALOG.md` describes the file.
///
/// ```swift
/// let catalog = try Catalog(json: bytes, file: "catalog.json")
/// for finding in catalog.lint(against: nil) { print(finding) }
/// ```
public struct Catalog: Sendable, Hashable {
    /// The platform whose rules of asking hold.
    public let platform: Platform
    /// The BCP 47 tag of the language to take when no other fits.
    public let language: String
    /// What access is asked for.
    public let resources: [Resource]
    /// The explanation screens.
    public let primers: [Primer]
    /// What a person may want to do.
    public let features: [Feature]
    /// Everything that is published on its own: resources, primers by language, features.
    public let units: [CatalogUnit]

    private let index: Index

    private struct Index: Sendable, Hashable {
        var resources: [String: Int] = [:]
        var primers: [String: Int] = [:]
        var features: [String: Int] = [:]
        /// For each resource, the first primer that explains it.
        var primerOfResource: [Int?] = []
        /// For each primer, the place of its first unit.
        var firstUnitOfPrimer: [Int] = []
    }

    package init(
        platform: Platform, language: String, resources: [Resource], primers: [Primer],
        features: [Feature]
    ) throws(LedgerError) {
        self.platform = platform
        self.language = language
        self.resources = resources
        self.primers = primers
        self.features = features
        var index = Index()
        var units: [CatalogUnit] = []
        for (position, resource) in resources.enumerated() {
            index.resources[resource.id] = position
            index.primerOfResource.append(
                primers.firstIndex { $0.resources.contains(resource.id) })
            units.append(try CatalogUnit(resource))
        }
        for (position, primer) in primers.enumerated() {
            index.primers[primer.id] = position
            index.firstUnitOfPrimer.append(units.count)
            for text in primer.texts { units.append(try CatalogUnit(primer, in: text.language)) }
        }
        for (position, feature) in features.enumerated() { index.features[feature.id] = position }
        if !features.isEmpty { units.append(try CatalogUnit(features, platform: platform)) }
        self.units = units
        self.index = index
    }

    /// The resource with this id.
    public func resource(_ id: String) -> Resource? {
        index.resources[id].map { resources[$0] }
    }

    /// The primer with this id.
    public func primer(_ id: String) -> Primer? { index.primers[id].map { primers[$0] } }

    /// The feature with this id.
    public func feature(_ id: String) -> Feature? { index.features[id].map { features[$0] } }

    /// The first primer that explains a resource.
    public func primer(forResource id: String) -> Primer? {
        index.resources[id].flatMap { index.primerOfResource[$0] }.map { primers[$0] }
    }

    /// The unit that holds a resource's words.
    public func unit(forResource id: String) -> CatalogUnit? {
        index.resources[id].map { units[$0] }
    }

    /// The unit that holds a primer's words in exactly one language.
    public func unit(forPrimer id: String, language: String) -> CatalogUnit? {
        units(forPrimer: id).first { unit in
            unit.language.map { LanguageTag.same($0, language) } ?? false
        }
    }

    /// The units of a primer, one a language.
    public func units(forPrimer id: String) -> ArraySlice<CatalogUnit> {
        guard let position = index.primers[id] else { return [] }
        let first = index.firstUnitOfPrimer[position]
        return units[first..<first + primers[position].texts.count]
    }
}

/// What an app declares: resources, the words it asks with, and features.
///
/// `docs/CATALOG.md` describes the file.
///
/// ```swift
/// let catalog = try Catalog(readFrom: file)
/// let findings: [LintFinding] = catalog.lint(against: nil)
/// let primer: Catalog.Primer? = catalog.primer(forResource: "camera")
/// let feature: Catalog.Feature? = catalog.feature("suggest-shop")
/// ```
public struct Catalog: Sendable, Hashable {
    /// Shared, so that handing a catalog on at each entry costs one reference.
    private let parts: Parts

    private final class Parts: Sendable {
        let platform: Platform
        let language: String
        let resources: [Resource]
        let primers: [Primer]
        let features: [Feature]
        let units: [CatalogUnit]
        let index: Index

        init(
            _ platform: Platform, _ language: String, _ resources: [Resource],
            _ primers: [Primer], _ features: [Feature], _ units: [CatalogUnit], _ index: Index
        ) {
            self.platform = platform
            self.language = language
            self.resources = resources
            self.primers = primers
            self.features = features
            self.units = units
            self.index = index
        }
    }

    private struct Index: Sendable {
        var resources: [String: Int] = [:]
        var primers: [String: Int] = [:]
        var features: [String: Int] = [:]
        /// For each resource, the first primer that explains it.
        var primerOfResource: [Int?] = []
        /// For each primer, the place of its first unit.
        var firstUnitOfPrimer: [Int] = []
    }

    /// The platform whose rules of asking hold.
    public var platform: Platform { parts.platform }
    /// The BCP 47 tag of the language to take when no other fits.
    public var language: String { parts.language }
    /// What access is asked for.
    public var resources: [Resource] { parts.resources }
    /// The explanation screens.
    public var primers: [Primer] { parts.primers }
    /// What a person may want to do.
    public var features: [Feature] { parts.features }
    /// Everything that is published on its own: resources, primers by language, features.
    public var units: [CatalogUnit] { parts.units }

    private var index: Index { parts.index }

    /// Equal when everything declared is.
    public static func == (left: Catalog, right: Catalog) -> Bool {
        left.parts === right.parts
            || (left.platform == right.platform && left.language == right.language
                && left.resources == right.resources && left.primers == right.primers
                && left.features == right.features)
    }

    /// Feeds what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(platform)
        hasher.combine(language)
        hasher.combine(resources)
        hasher.combine(primers)
        hasher.combine(features)
    }

    package init(
        platform: Platform, language: String, resources: [Resource], primers: [Primer],
        features: [Feature]
    ) throws(LedgerError) {
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
        parts = Parts(platform, language, resources, primers, features, units, index)
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

/// A part of a catalog as it is published: one resource with its words, one primer in one
/// language, or all features.
///
/// The content is deterministic CBOR (RFC 8949 section 4.2.1) with text keys, the keys of the
/// catalog file; events name it by its digest.
///
/// ```swift
/// for unit: CatalogUnit in catalog.units {
///     var payload = Payload()
///     payload.unitKind = unit.kind
///     payload.unitContent = unit.content
///     try ledger.append(Draft(.catalogPublished, payload))
/// }
/// ```
public struct CatalogUnit: Sendable, Hashable {
    /// Which part.
    public let kind: CatalogUnitKind
    /// The canonical bytes.
    public let content: [UInt8]
    /// SHA-256("consent-ledger/unit/1" ‖ content).
    public let digest: Bytes32
    /// The id of the resource or primer; nil for the features.
    public let id: String?
    /// The language of a primer's words.
    public let language: String?

    /// The most bytes of content: a payload of 64 KiB holds it with what else is said.
    package static let contentBytesMax = 60_000
    private static let domain = Array("consent-ledger/unit/1".utf8)

    /// The digest of a unit's content.
    ///
    /// - Parameter content: the canonical bytes.
    /// - Returns: SHA-256("consent-ledger/unit/1" ‖ content).
    /// - Throws: `crypto`.
    public static func digest(of content: [UInt8]) throws(LedgerError) -> Bytes32 {
        try Crypto.sha256(domain + content)
    }

    init(_ resource: Catalog.Resource) throws(LedgerError) {
        try self.init(
            .resource, id: resource.id, language: nil,
            .fields([
                ("id", .text(resource.id)),
                ("scope", .text(resource.scope.description)),
                ("revision", .text(resource.revision.description)),
                ("kind", resource.kind == resource.id ? nil : .text(resource.kind)),
                ("purpose", resource.purpose.entries.isEmpty ? nil : .texts(resource.purpose)),
                (
                    "variants",
                    resource.variants.isEmpty
                        ? nil : .array(resource.variants.map { .text($0.description) })
                ),
                ("validity", resource.validity.map { .text($0.description) }),
                ("alternative", resource.alternative.map(CBORValue.alternative)),
            ]))
    }

    init(_ primer: Catalog.Primer, in language: String) throws(LedgerError) {
        guard let text = primer.texts.first(where: { $0.language == language }) else {
            throw LedgerError(.invalid, "The primer has no words in that language; add them.")
        }
        try self.init(
            .primer, id: primer.id, language: language,
            .fields([
                ("id", .text(primer.id)),
                ("language", .text(language)),
                ("resources", .array(primer.resources.map { .text($0) })),
                ("systemImage", primer.systemImage.map { .text($0) }),
                ("tint", primer.tint.map { .text($0) }),
                ("title", .text(text.title)),
                ("message", .text(text.message)),
                (
                    "benefits",
                    text.benefits.isEmpty ? nil : .array(text.benefits.map(CBORValue.benefit))
                ),
                ("continueTitle", .text(text.continueTitle)),
                ("skipTitle", text.skipTitle.map { .text($0) } ?? .null),
            ]))
    }

    init(_ features: [Catalog.Feature], platform: Platform) throws(LedgerError) {
        try self.init(
            .features, id: nil, language: nil,
            .fields([
                ("platform", .text(platform.rawValue)),
                ("features", .array(features.map(CBORValue.feature))),
            ]))
    }

    private init(
        _ kind: CatalogUnitKind, id: String?, language: String?, _ value: CBORValue
    ) throws(LedgerError) {
        var writer = CBORWriter(reserving: 1024)
        value.encode(to: &writer)
        guard writer.bytes.count <= Self.contentBytesMax else {
            let name = [id, language].compactMap(\.self).joined(separator: " in ")
            throw LedgerError(
                .limit,
                "The \(kind) unit \(name) of the catalog has \(writer.bytes.count) bytes; "
                    + "shorten its texts to \(Self.contentBytesMax).")
        }
        self.kind = kind
        self.id = id
        self.language = language
        content = writer.bytes
        digest = try Self.digest(of: writer.bytes)
    }
}

extension CBORValue {
    /// A map with text keys in canonical order, without the absent values.
    static func fields(_ pairs: [(key: String, value: CBORValue?)]) -> CBORValue {
        let present = pairs.compactMap { pair in
            pair.value.map { Pair(key: .text(pair.key), value: $0) }
        }
        // Encoded text begins with its length, so that shorter keys come first.
        return .map(
            present.sorted { left, right in
                guard case .text(let left) = left.key, case .text(let right) = right.key else {
                    return false
                }
                return left.utf8.count == right.utf8.count
                    ? left.utf8.lexicographicallyPrecedes(right.utf8)
                    : left.utf8.count < right.utf8.count
            })
    }

    fileprivate static func texts(_ text: LocalizedText) -> CBORValue {
        .fields(text.entries.map { ($0.language, .text($0.text)) })
    }

    fileprivate static func alternative(_ alternative: Catalog.Alternative) -> CBORValue {
        .fields([
            ("kind", .text(alternative.kind.rawValue)), ("title", .texts(alternative.title)),
        ])
    }

    fileprivate static func benefit(_ benefit: Catalog.Benefit) -> CBORValue {
        .fields([
            ("systemImage", benefit.systemImage.map { .text($0) }),
            ("title", .text(benefit.title)),
            ("text", benefit.text.map { .text($0) }),
        ])
    }

    fileprivate static func feature(_ feature: Catalog.Feature) -> CBORValue {
        .fields([
            ("id", .text(feature.id)),
            ("needs", .array(feature.needs.map(need))),
            ("asks", .text(feature.asks.rawValue)),
            ("alternative", feature.alternative.map(alternative)),
        ])
    }

    private static func need(_ need: Catalog.Need) -> CBORValue {
        .fields([
            ("resource", .text(need.resource)),
            ("extent", .text(need.extent.description)),
            ("asksFor", need.asksFor == need.extent ? nil : .text(need.asksFor.description)),
            ("because", need.because.map { .text($0) }),
        ])
    }
}

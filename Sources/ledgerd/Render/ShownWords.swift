internal import Ledger

/// The words of a published catalog unit, as they were shown.
struct ShownWords: Sendable, Equatable {
    private let content: [UInt8]

    /// Takes a unit; nil for bytes that are none.
    ///
    /// - Parameter unit: the unit's canonical bytes.
    init?(unit: [UInt8]) {
        guard (try? CatalogUnit.json(unit)) != nil else { return nil }
        content = unit
    }

    /// For people, safe for a terminal.
    var lines: [String] { ((try? CatalogUnit.lines(content)) ?? []).map(PrintableText.make) }

    /// The unit with the keys of a catalog file.
    var json: JSONValue { (try? CatalogUnit.json(content)) ?? .null }
}

internal import Ledger

/// Where the catalog comes from: a file, or what was published into the ledger.
enum CatalogOptions {
    static let file = OptionSpec.value(
        "catalog", "FILE", kind: .file, "The catalog; else the one published in the ledger.")
}

/// The revisions of the catalog's resources.
struct CatalogRevisions {
    init(_ call: Invocation, _ ledger: Ledger) throws(Failure) {}
    subscript(resource: String) -> Revision? { nil }
}

/// Fills in what the catalog knows and a draft leaves out.
struct CatalogFiller {
    init(_ call: Invocation, _ ledger: Ledger) throws(Failure) {}
    mutating func fill(_ draft: inout Draft) throws(Failure) {}
}

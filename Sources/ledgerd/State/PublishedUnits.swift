internal import Ledger

/// A unit as it was published.
struct PublishedUnit {
    let kind: CatalogUnitKind
    let content: [UInt8]
    let time: Timestamp
    let event: EventID
}

/// The catalog units in a ledger, in the order of publication.
enum PublishedUnits {
    /// Publishes what of a catalog was not published yet, all or nothing.
    ///
    /// - Parameters:
    ///   - catalog: the catalog.
    ///   - ledger: where to.
    /// - Returns: how many units are new.
    /// - Throws: what the ledger throws.
    static func publish(_ catalog: Catalog, into ledger: Ledger) throws(Failure) -> Int {
        try lifted { () throws(LedgerError) in
            var drafts: [Draft] = []
            for unit in catalog.units where try ledger.catalogUnit(unit.digest) == nil {
                var payload = Payload()
                payload.unitKind = unit.kind
                payload.unitContent = unit.content
                payload.idempotencyKey = "unit/\(Base32.encode(unit.digest.bytes))"
                drafts.append(Draft(.catalogPublished, payload))
            }
            return drafts.isEmpty ? 0 : try ledger.append(drafts).count { $0.isNew }
        }
    }

    static func all(in ledger: Ledger) throws(Failure) -> [PublishedUnit] {
        var units: [PublishedUnit] = []
        var filter = HistoryFilter()
        filter.kinds = [.catalogPublished]
        try lifted { () throws(LedgerError) in
            try ledger.history(filter) { (entry) throws(LedgerError) in
                if let payload = entry.event.payload, let kind = payload.unitKind,
                    let content = payload.unitContent
                {
                    units.append(
                        PublishedUnit(
                            kind: kind, content: content, time: entry.event.header.timestamp,
                            event: entry.event.id))
                }
                return true
            }
        }
        return units
    }
}

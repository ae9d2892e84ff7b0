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

/// Compares real uses with what the ledger says was allowed at the time.
struct UseComparison {
    let ledger: Ledger
    let options: ImportOptions

    /// The uses at whose begin or end the ledger says denied or restricted.
    ///
    /// A use through a picker needs no permission and is never named; a time of which the ledger
    /// knows nothing is no denial.
    func usedWhileDenied(_ uses: [ResourceUse]) throws(LedgerError) -> [UseWhileDenied] {
        var found: [UseWhileDenied] = []
        for use in uses where !use.isOutOfProcess {
            for moment in [use.begin, use.end].compactMap(\.self) {
                guard let denial = try denial(use, moment) else { continue }
                found.append(denial)
                break
            }
        }
        return found
    }

    private func denial(
        _ use: ResourceUse, _ moment: Int64
    ) throws(LedgerError) -> UseWhileDenied? {
        // A person's own denial holds for every place.
        for place in [options.place(ofClient: use.application), nil] {
            var query = StatusQuery(options.subject, resource: use.resource, at: place)
            query.moment = .asOf(moment)
            let status = try ledger.status(query)
            guard status.status <= .denied else { continue }
            return UseWhileDenied(
                use: use, moment: moment, status: status.status, evidence: status.evidence)
        }
        return nil
    }
}

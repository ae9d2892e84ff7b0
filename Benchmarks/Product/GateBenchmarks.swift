import Ledger

/// Entering features.
enum GateBenchmarks {
    /// Whole decisions of one-resource features for random people, the live status being the one
    /// that is recorded: the everyday case, in which nothing has to be written.
    static func enter(_ directory: String, _ count: Int) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        let names = Names()
        let catalog = try Catalog(json: Array(catalogText.utf8), file: "catalog.json")
        let recorded = try recordedStatuses(ledger, names)
        let last = try ledger.lastPosition()
        var seconds = 0.0
        var proceeding = 0
        for _ in 0..<2 {  // The first pass warms.
            var keys = SplitMix(state: 7)
            proceeding = 0
            let start = Measure.now()
            for _ in 0..<count {
                let drawn = keys.next()
                let subject = Int(drawn % UInt64(Names.subjectCount))
                let resource = Int(drawn >> 32 & 7)
                let entry = FeatureEntry(
                    Names.features[resource], subject: names.subjects[subject],
                    at: names.places[subject])
                let live = recorded[subject * 8 + resource]
                let decision = try ledger.enter(entry, catalog: catalog) { _ in live }
                if decision.action == .proceed { proceeding += 1 }
            }
            seconds = Measure.now() - start
        }
        Measure.report([
            "count": Double(count), "seconds": seconds, "proceeding": Double(proceeding),
            "written": Double(try ledger.lastPosition() - last),
        ])
    }

    private static func recordedStatuses(
        _ ledger: Ledger, _ names: Names
    ) throws(LedgerError) -> [SystemStatus] {
        var recorded: [SystemStatus] = []
        for subject in 0..<Names.subjectCount {
            for resource in Names.resources {
                let query = StatusQuery(
                    names.subjects[subject], resource: resource, at: names.places[subject])
                let status = try ledger.status(query)
                recorded.append(.reported(status.status, status.extent))
            }
        }
        return recorded
    }

    /// One feature for each resource, named like the first eight of the stream.
    private static var catalogText: String {
        let resources = Names.resources.map {
            """
            {"id": "\($0)", "scope": "device", "revision": "1",
             "purpose": {"en": "Needed for the thing that you opened."},
             "alternative": {"kind": "manual", "title": {"en": "Do it by hand"}}}
            """
        }
        let features = zip(Names.features, Names.resources).map { feature, resource in
            """
            {"id": "\(feature)", "needs": [{"resource": "\(resource)"}]}
            """
        }
        return """
            {"platform": "android", "language": "en",
             "resources": [\(resources.joined(separator: ","))],
             "features": [\(features.joined(separator: ","))]}
            """
    }
}

@testable import Ledger

/// One feature of one resource, and what is known of it, for the table of the gate's branches.
struct GateFixture: Sendable {
    var scope = Scope.device
    var platform = Platform.ios
    var resource = "camera"
    var extent = "full"
    var asks = "use"
    var hasPrimer = true
    var hasAlternative = true
    var askAgainAfter = "null"
    var facts = GateResource()
    var retry = false
    var isAppActive: Bool?
    var signingIdentity: String?
    var continued = false
    var now: Int64 = 1_000_000

    func catalog() throws -> Catalog {
        let primer = """
            {"id": "why", "resources": ["\(resource)"], "askAgainAfter": \(askAgainAfter), "texts": {
              "en": {"title": "Scan receipts", "message": "The camera reads the total."},
              "de": {"title": "Belege scannen", "message": "Die Kamera liest die Summe.",
                     "continueTitle": "Weiter", "skipTitle": "Jetzt nicht"}}}
            """
        let alternative =
            #", "alternative": {"kind": "manual", "title": {"en": "Type it", "de": "Tippen"}}"#
        let json = """
            {"platform": "\(platform)", "language": "en",
             "resources": [{"id": "\(resource)", "scope": "\(scope)", "revision": "2",
               "purpose": {"en": "The camera reads the total.", "de": "Die Kamera liest."}}],
             "primers": [\(hasPrimer ? primer : "")],
             "features": [{"id": "scan", "asks": "\(asks)",
               "needs": [{"resource": "\(resource)", "extent": "\(extent)"}]
               \(hasAlternative ? alternative : "")}]}
            """
        return try Catalog(json: Array(json.utf8), file: "gate.json")
    }

    func decide(languages: [String] = ["de-AT"]) throws -> Decision {
        let catalog = try catalog()
        var facts = facts
        if scope == .person {
            (facts.person, facts.device) = (facts.person ?? GateStatus(Status()), nil)
        }
        if continued {
            facts.primer.continuedUnits = catalog.units(forPrimer: "why").suffix(1).map(\.digest)
        }
        var input = GateInput(
            catalog: catalog, feature: catalog.features[0], resources: [facts], now: now)
        input.retry = retry
        input.isAppActive = isAppActive
        input.languages = languages
        input.signingIdentity = signingIdentity
        return Gate.decide(input)
    }
}

extension Status {
    static func make(
        _ status: PermissionStatus, extent: Extent = .full, authority: Authority = .person,
        canAsk: Askability = .yes, _ change: (inout Status) -> Void = { _ in }
    ) -> Status {
        var result = Status()
        result.status = status
        result.extent = extent
        result.authority = authority
        result.canAsk = canAsk
        change(&result)
        return result
    }

    static func act(_ outcome: Outcome, at milliseconds: Int64) -> Act {
        Act(
            event: EventID(raw: .zero), timestamp: Timestamp(milliseconds: milliseconds),
            outcome: outcome)
    }
}

extension GateStatus {
    static func make(
        _ status: PermissionStatus, extent: Extent = .full, authority: Authority = .person,
        canAsk: Status.Askability = .yes, _ change: (inout Status) -> Void = { _ in }
    ) -> GateStatus {
        GateStatus(
            Status.make(status, extent: extent, authority: authority, canAsk: canAsk, change))
    }
}

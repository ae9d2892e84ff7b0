import Ledger
import TestSupport
import Testing

/// Catalog and gate; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfAsking {
    private let file = SourceTree.root + "/Examples/sample/catalog.json"
    private let test: TestLedger
    private var ledger: Ledger { test.ledger }

    init() throws { test = try TestLedger() }

    @Test func `a catalog is read once and linted before it ships`() throws {
        let catalog = try Catalog(readFrom: file)
        let findings: [LintFinding] = catalog.lint(against: nil)
        let worst: LintFinding.Severity = .error
        let errors = findings.filter { $0.severity == worst }
        #expect(errors.isEmpty)

        let bare = #"{"id": "camera", "scope": "device", "revision": "1"}"#
        let json = #"{"platform": "ios", "language": "en", "resources": [\#(bare)]}"#
        let unexplained = try Catalog(json: Array(json.utf8), file: "catalog.json")
        let first = try #require(unexplained.lint(against: nil).first)
        #expect(first.severity == worst && first.place.contains("camera") && !first.fix.isEmpty)
    }

    /// What a page of settings says about a resource.
    private func settings(_ resource: Catalog.Resource, _ languages: [String]) -> [String] {
        let purpose: LocalizedText = resource.purpose
        let words: LocalizedText.Entry? = purpose.best(for: languages, fallback: "en")
        let alternative: Catalog.Alternative? = resource.alternative
        let kind: Catalog.Alternative.Kind? = alternative?.kind
        return [words?.text, kind == .manual ? alternative?.title["en"] : nil].compactMap(\.self)
    }

    @Test func `a resource says in each language why it is asked for`() throws {
        let catalog = try Catalog(readFrom: file)
        let camera = try #require(catalog.resource("camera"))
        #expect(
            settings(camera, ["de-AT", "en"]) == [
                "Die Kamera liest Summe und Datum von Ihren Belegen.", "Enter the receipt by hand",
            ])
    }

    @Test func `a primer has its words and benefits in each language`() throws {
        let catalog = try Catalog(readFrom: file)
        let primer: Catalog.Primer? = catalog.primer(forResource: "camera")
        let text: Catalog.PrimerText? = primer?.texts.first { $0.language == "de" }
        let benefits: [Catalog.Benefit] = text?.benefits ?? []
        #expect(text?.title == "Belege scannen" && text?.skipTitle == nil)
        #expect(benefits.map(\.title) == ["Schneller", "Privat"])
    }

    @Test func `a feature says what it needs and when it may ask`() throws {
        let catalog = try Catalog(readFrom: file)
        let feature: Catalog.Feature? = catalog.feature("suggest-shop")
        let needs: [Catalog.Need] = feature?.needs ?? []
        let asks: Catalog.Feature.Moment? = feature?.asks
        #expect(needs.map(\.extent) == [Extent(time: .whenInUse, accuracy: .reduced)])
        #expect(asks == .request)
    }

    @Test func `the words people are shown are published, each once, and found by digest`() throws {
        let catalog = try Catalog(readFrom: file)
        for unit: CatalogUnit in catalog.units {
            var payload = Payload()
            payload.unitKind = unit.kind
            payload.unitContent = unit.content
            try ledger.append(Draft(.catalogPublished, payload))
        }
        let unit = try #require(catalog.unit(forPrimer: "why-camera", language: "de"))
        let content = try #require(try ledger.catalogUnit(unit.digest))
        let lines = try CatalogUnit.lines(content)
        #expect(unit.kind == CatalogUnitKind.primer && lines.contains("title: Belege scannen"))
    }

    /// What the running system says; nil where it cannot be asked.
    func live(_ resource: Catalog.Resource) -> SystemStatus? {
        switch resource.kind {
        case "camera": .reported(.notDetermined)
        case "location": .serviceOff("Location Services")
        default: nil
        }
    }

    /// What a screen about a decision says, line by line.
    private func lines(_ screen: Decision.Screen) -> [String] {
        let primer: Decision.PrimerWords? = screen.primer
        let purpose: Decision.PurposeWords? = screen.purpose
        let alternative: Decision.AlternativeWords? = screen.alternative
        return [primer?.text.title, purpose?.text, alternative?.title].compactMap(\.self)
    }

    @Test func `a feature asks the gate each time it opens and does the one thing it says`() throws
    {
        let catalog = try Catalog(readFrom: file)
        var entry = FeatureEntry("scan-receipt", subject: "me", at: phone)
        entry.languages = ["de", "en"]
        let decision = try ledger.enter(entry, catalog: catalog) { live($0) }
        let action: Decision.Action = decision.action
        let reason: Decision.Reason = decision.reason
        #expect(action == .showPrimer && reason == .undetermined)
        #expect(
            decision.screen.map { lines($0) } == [
                "Belege scannen", "Die Kamera liest Summe und Datum von Ihren Belegen.",
                "Beleg von Hand eingeben",
            ])
    }

    @Test func `what the system switched off is offered another way`() throws {
        let catalog = try Catalog(readFrom: file)
        let entry = FeatureEntry("suggest-shop", subject: "me", at: phone)
        let decision = try ledger.enter(entry, catalog: catalog) { live($0) }
        #expect(decision.action == .useAlternative && decision.reason == .serviceOff)
        #expect(decision.screen?.switchOff == "Location Services")
    }

    @Test func `a person-scoped purpose needs no system to be asked`() throws {
        let catalog = try Catalog(readFrom: file)
        let entry = FeatureEntry("newsletter", subject: "me", at: phone)
        let before = try ledger.enter(entry, catalog: catalog)
        var agreed = Draft.allowed("me", resource: "marketing-email", at: nil)
        agreed.payload.scope = .person
        agreed.payload.revision = catalog.resource("marketing-email")?.revision
        try ledger.append(agreed)
        let after = try ledger.enter(entry, catalog: catalog)
        #expect(before.action == .askSystem && after.action == .proceed)
    }
}

import Ledger
import TestSupport
import Testing

@Suite struct CatalogTests {
    @Test func `The documented example is read whole`() throws {
        let catalog = try CatalogFixture.decode(CatalogFixture.documented().json)
        #expect(catalog.platform == .ios)
        #expect(catalog.resources.map(\.id) == ["camera", "shop-location", "marketing-email"])
        let location = try #require(catalog.resource("shop-location"))
        #expect(location.kind == "location")
        #expect(location.revision == Revision("1.2"))
        #expect(location.variants.count == 3)
        #expect(location.alternative?.kind == .picker)
        #expect(catalog.resource("marketing-email")?.validity?.months == 24)
        #expect(catalog.resource("marketing-email")?.scope == .person)
        let primer = try #require(catalog.primer(forResource: "camera"))
        #expect(primer.id == "why-camera")
        #expect(primer.askAgainAfter == Period(days: 30))
        #expect(primer.texts.map(\.continueTitle) == ["Continue", "Weiter"])
        #expect(primer.texts.allSatisfy { $0.skipTitle == nil && $0.benefits.count == 2 })
        let feature = try #require(catalog.feature("suggest-shop"))
        #expect(feature.asks == .request)
        #expect(feature.needs[0].extent == Extent(time: .whenInUse, accuracy: .reduced))
        #expect(feature.needs[0].asksFor == feature.needs[0].extent)
        #expect(catalog.feature("scan-receipt")?.needs[0].extent == .full)
    }

    @Test func `The documented example breaks no rule`() throws {
        let catalog = try CatalogFixture.decode(CatalogFixture.documented().json)
        #expect(catalog.lint(against: catalog) == [])
    }

    @Test func `A primer's buttons have defaults, and null is no button`() throws {
        let catalog = try CatalogFixture.decode(
            """
            {"platform": "android", "language": "en",
             "resources": [{"id": "camera", "scope": "device", "revision": "1"}],
             "primers": [{"id": "a", "resources": ["camera"], "askAgainAfter": null, "texts": {
               "en": {"title": "T", "message": "M"},
               "fr": {"title": "T", "message": "M", "skipTitle": null}}}]}
            """)
        let primer = try #require(catalog.primer("a"))
        #expect(primer.texts[0].continueTitle == "Continue")
        #expect(primer.texts[0].skipTitle == "Not Now")
        #expect(primer.texts[1].skipTitle == nil)
        #expect(primer.askAgainAfter == nil)
    }

    /// A small catalog with one line changed.
    private static func broken(_ line: Int, _ text: String) -> String {
        var lines = [
            #"{"platform": "ios", "language": "en","#,
            #" "resources": [{"id": "camera","#,
            #"   "scope": "device", "revision": "1","#,
            #"   "purpose": {"en": "Reads receipts."}}],"#,
            #" "primers": [{"id": "why", "resources": ["camera"],"#,
            #"   "texts": {"en": {"title": "T", "message": "M"}}}],"#,
            #" "features": [{"id": "scan","#,
            #"   "needs": [{"resource": "camera"}]}]}"#,
        ]
        lines[line - 1] = text
        return lines.joined(separator: "\n")
    }

    @Test(arguments: [
        (2, #" "resorces": [{"id": "camera","#, ":2:2: resorces:", "did you mean “resources”"),
        (3, #""scope": "devise", "revision": "1","#, ":3:1: resources[0].scope:", "“device”"),
        (3, #""scope": "device", "revision": 1.10,"#, ":3:20: resources[0].revision:", "quotes"),
        (3, #""revision": "1","#, ":2:17: resources[0]:", "“scope” is missing"),
        (3, #""scope": "device", "scope": "device","#, ":3:20:", "“scope” is given twice"),
        (4, #""purpse": {"en": "R"}}],"#, ":4:1: resources[0].purpse:", "“purpose”"),
        (4, #""purpose": {"en_GB": "R"}}],"#, ":4:13: resources[0].purpose.en_GB:", "BCP 47"),
        (4, #""purpose": {"en": " "}}],"#, ":4:13: resources[0].purpose.en:", "empty"),
        (4, #""purpose": {"en": "R", "EN": "R"}}],"#, "purpose.EN:", "twice"),
        (4, #""variants": ["sometimes"]}],"#, "resources[0].variants[0]:", "whenInUse"),
        (4, #""validity": "6 months"}],"#, ":4:1: resources[0].validity:", "P6M"),
        (4, #""validity": 0}],"#, ":4:1: resources[0].validity:", "P6M"),
        (
            4, #""kind": "x"}, {"id": "camera", "scope": "device", "revision": "1"}],"#,
            "resources[1]:",
            "same id"
        ),
        (
            5, #" "primers": [{"id": "why", "resources": ["camra"],"#, "primers[0].resources[0]:",
            "“camera”"
        ),
        (
            5, #" "primers": [{"id": "why", "resources": ["camera"], "tint": "red","#, "tint:",
            "colour"
        ),
        (5, #" "primers": [{"id": "", "resources": ["camera"],"#, "primers[0].id:", "empty"),
        (5, #" "primers": [{"id": "a\u0000b", "resources": [],"#, "primers[0].id:", "remove it."),
        (
            6, #"   "texts": {"en": {"title": "T"}}}],"#, "primers[0].texts.en:",
            "“message” is missing"
        ),
        (6, #"   "texts": {}}],"#, "primers[0].texts:", "missing"),
        (6, #"   "texts": {"en": {"title": null, "message": "M"}}}],"#, "texts.en.title:", "null"),
        (7, #" "features": [{"id": "scan", "asks": "lunch","#, "features[0].asks:", "“launch”"),
        (8, #"   "needs": [{"resource": "microphone"}]}]}"#, "needs[0].resource:", "no resource"),
        (8, #"   "need": []}]}"#, "features[0].need:", "“needs”"),
        (8, #"   "needs": {}}]}"#, "features[0].needs:", "a list expected"),
    ])
    func `A mistake is named with its place and what is meant`(
        line: Int, text: String, place: String, hint: String
    ) {
        let error = #expect(throws: LedgerError.self) {
            try CatalogFixture.decode(Self.broken(line, text))
        }
        #expect(error?.code == .malformed)
        #expect(error?.message.hasPrefix("catalog.json:") == true)
        #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix("..") == false, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        (["de-AT", "en"], "de"), (["de_AT.UTF-8"], "de"), (["fr", "en-US"], "en"),
        (["zh-Hant-TW-x-private"], "zh-Hant"), (["zh-TW"], "en"), (["PT-br"], "pt-BR"), ([], "en"),
        (["*"], "en"), (["pt"], "en"), (["zh-Hant-x"], "zh-Hant"),
    ])
    func `The best language is looked up by shortening what is wanted`(
        wanted: [String], expected: String
    ) {
        let tags = ["fi", "de", "en", "pt-BR", "zh-Hant"]
        let index = LanguageTag.lookup(wanted, among: tags, fallback: "en-GB")
        #expect(index.map { tags[$0] } == expected)
    }

    @Test func `Without the default language any is taken`() {
        #expect(LanguageTag.lookup(["fr"], among: ["fi", "sv"], fallback: "en") == 0)
        #expect(LanguageTag.lookup(["fr"], among: [], fallback: "en") == nil)
    }

    @Test(arguments: [
        ("resorces", "resources"), ("Purpose", "purpose"), ("pourpose", "purpose"),
        ("prupose", "purpose"), ("reviison", "revision"), ("xyz", nil), ("", nil),
    ])
    func `The nearest name is offered when it is near enough`(name: String, expected: String?) {
        #expect(
            NearestName.find(name, among: ["resources", "purpose", "revision", "id"]) == expected)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `Random changes to a catalog never trap`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let source = try Array(CatalogFixture.documented().json.utf8)
        for _ in 0..<40 {
            var bytes = source
            for _ in 0..<3 {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[index] = source.randomElement(using: &random) ?? 0
                } else {
                    let end = min(bytes.count, index + Int.random(in: 1..<40, using: &random))
                    bytes.removeSubrange(index..<end)
                }
            }
            guard let catalog = try? Catalog(json: bytes, file: "fuzz") else { continue }
            #expect(catalog.units.isEmpty == catalog.resources.isEmpty, "seed \(seed)")
            _ = catalog.lint(against: nil)
        }
    }
}

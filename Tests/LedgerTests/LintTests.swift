import Ledger
import Testing

@Suite struct LintTests {
    /// A catalog that breaks no rule; the cases below change a word of it.
    private static let clean = """
        {"platform": "ios", "language": "en",
         "resources": [
          {"id": "camera", "scope": "device", "revision": "1.9", "validity": "P1Y",
           "variants": ["full"], "purpose": {"en": "The camera reads the total from receipts.",
             "de": "Die Kamera liest die Summe von Belegen."},
           "alternative": {"kind": "manual", "title": {"en": "Type it", "de": "Eintippen"}}},
          {"id": "photos", "scope": "device", "revision": "1",
           "purpose": {"en": "Saved receipts are read from the pictures you choose.",
             "de": "Gespeicherte Belege werden aus den gewählten Bildern gelesen."},
           "alternative": {"kind": "picker", "title": {"en": "Choose", "de": "Auswählen"}}}],
         "primers": [{"id": "why", "resources": ["camera"], "texts": {
           "en": {"title": "Scan", "message": "M", "continueTitle": "Next", "skipTitle": null},
           "de": {"title": "Scan", "message": "M", "continueTitle": "Weiter", "skipTitle": null}}}],
         "features": [{"id": "scan", "asks": "use", "needs": [
           {"resource": "camera"}, {"resource": "photos", "extent": "selected"}]}]}
        """

    private static func lint(
        _ changes: [(String, String)], published: [(String, String)]? = nil
    ) throws -> [LintFinding] {
        func catalog(_ changes: [(String, String)]) throws -> Catalog {
            var json = clean
            for (old, new) in changes {
                try #require(json.contains(old), "nothing to change: \(old)")
                json = json.replacing(old, with: new)
            }
            return try CatalogFixture.decode(json)
        }
        return try catalog(changes).lint(against: try published.map(catalog))
    }

    private static func hits(
        _ rule: String, _ changes: [(String, String)], published: [(String, String)]? = nil
    ) throws -> [String] {
        try lint(changes, published: published).filter { $0.id == rule }.map(\.place)
    }

    private static let android = (#""platform": "ios""#, #""platform": "android""#)
    private static let english = #""en": "The camera reads the total from receipts.""#

    @Test func `A clean catalog has no findings`() throws {
        #expect(try Self.lint([], published: []) == [])
    }

    @Test func `Each finding says what, where, whence and what to do, errors first`() throws {
        let findings = try Self.lint([
            (#""asks": "use""#, #""asks": "launch""#),
            (#""skipTitle": null"#, #""skipTitle": "No""#),
        ])
        #expect(findings.map(\.id) == ["primer-skip", "primer-skip", "asks-at-launch"])
        #expect(findings.map(\.severity) == [.error, .error, .warning])
        #expect(findings.allSatisfy { !$0.fix.isEmpty && !$0.message.isEmpty })
        #expect(findings.allSatisfy { $0.guideline.contains("Human Interface Guidelines") })
        #expect(findings[0].place == "primers[why].texts.en.skipTitle")
    }

    @Test func `A resource without a purpose is found`() throws {
        #expect(try Self.hits("purpose-missing", []) == [])
        let purpose = #","# + "\n" + #"   "purpose""#
        let places = try Self.hits(
            "purpose-missing",
            [
                (
                    #""purpose": {"en": "Saved receipts are read from the pictures you choose.","#,
                    "\"purpose\": {"
                ),
                (#""de": "Gespeicherte Belege werden aus den gewählten Bildern gelesen.""#, ""),
            ])
        #expect(places == ["resources[photos].purpose"], "\(purpose)")
    }

    @Test(arguments: [
        ("We need access to your camera.", true), ("Camera access is required to work.", true),
        ("The app needs your camera for a better experience.", true), ("Camera.", true),
        ("TODO: say why the camera reads receipts.", true),
        ("$(PRODUCT_NAME) reads the total from receipts.", true),
        ("The camera reads the total from receipts", true),
        ("Turn on camera access.", true),
        ("The camera reads the total.", false),
        ("The app records at night to detect snoring.", false),
    ])
    func `A purpose that does not say what for is found`(text: String, isVague: Bool) throws {
        let places = try Self.hits("purpose-vague", [(Self.english, "\"en\": \"\(text)\"")])
        #expect(places == (isVague ? ["resources[camera].purpose.en"] : []))
    }

    @Test(arguments: [("ja", "カメラで領収書の合計を読み取ります。", false), ("ja", "カメラ。", true)])
    func `A purpose in another script is judged by its length`(
        language: String, text: String, isVague: Bool
    ) throws {
        let places = try Self.hits(
            "purpose-vague", [(Self.english, "\"\(language)\": \"\(text)\"")])
        #expect(places.isEmpty == !isVague)
    }

    @Test(arguments: [
        ("ios", "\"Not Now\"", "device", 2), ("macos", "\"Later\"", "device", 2),
        ("ios", "null", "device", 0), ("android", "\"Not Now\"", "device", 0),
        ("ios", "\"Not Now\"", "person", 0),
    ])
    func `A way around the system's question is found where Apple forbids it`(
        platform: String, skip: String, scope: String, count: Int
    ) throws {
        let places = try Self.hits(
            "primer-skip",
            [
                (Self.android.0, "\"platform\": \"\(platform)\""),
                (#""skipTitle": null"#, "\"skipTitle\": \(skip)"),
                (
                    #""scope": "device", "revision": "1.9""#,
                    "\"scope\": \"\(scope)\", \"revision\": \"1.9\""
                ),
            ])
        #expect(places.count == count)
    }

    @Test func `A skip before tracking is named as such`() throws {
        let findings = try Self.lint([
            (#""id": "camera""#, #""id": "camera", "kind": "tracking""#),
            (#""skipTitle": null"#, #""skipTitle": "No""#),
        ])
        #expect(findings.first?.message.contains("tracking") == true)
    }

    @Test(arguments: [
        ("ios", "Allow", true), ("ios", "Allow Access", true), ("ios", "Erlauben", true),
        ("ios", "Next", false), ("ios", "Shallow", false), ("android", "Allow", false),
    ])
    func `A button named like the system's is found`(
        platform: String, title: String, isFound: Bool
    ) throws {
        let places = try Self.hits(
            "primer-allow",
            [
                (Self.android.0, "\"platform\": \"\(platform)\""),
                (#""continueTitle": "Next""#, "\"continueTitle\": \"\(title)\""),
            ])
        #expect(places == (isFound ? ["primers[why].texts.en.continueTitle"] : []))
    }

    @Test func `An explanation without a way out is found on Android`() throws {
        #expect(try Self.hits("primer-no-cancel", [Self.android]).count == 2)
        #expect(try Self.hits("primer-no-cancel", []) == [])
        let skip = (#""skipTitle": null"#, #""skipTitle": "No thanks""#)
        #expect(try Self.hits("primer-no-cancel", [Self.android, skip]) == [])
    }

    @Test(arguments: [
        (#"{"resource": "camera"}, "#, "", "resources[camera]"),
        (
            #"{"resource": "camera"}"#,
            #"{"resource": "camera", "extent": "whenInUse", "asksFor": "full"}"#,
            "features[scan].needs[camera].asksFor"
        ),
        (#"["camera"]"#, #"["camera", "microphone"]"#, "features[scan].needs[camera]"),
        (#"["camera"]"#, #"["camera", "photos"]"#, nil),
        (
            #"{"resource": "camera"}"#,
            #"{"resource": "camera", "extent": "whenInUse", "asksFor": "full", "because": "Films."}"#,
            nil
        ),
    ])
    func `What is asked for and not needed is found`(
        old: String, new: String, place: String?
    ) throws {
        let microphone = (
            #""resources": [\#n"#,
            #""resources": [\#n{"id": "microphone", "scope": "person", "revision": "1"},"#
        )
        let places = try Self.hits("resource-not-needed", [microphone, (old, new)])
        #expect(places == [place].compactMap(\.self))
    }

    @Test(arguments: [("launch", true), ("use", false), ("request", false), ("never", false)])
    func `Asking at launch is found`(moment: String, isFound: Bool) throws {
        let places = try Self.hits(
            "asks-at-launch", [(#""asks": "use""#, "\"asks\": \"\(moment)\"")])
        #expect(places == (isFound ? ["features[scan].asks"] : []))
    }

    @Test(arguments: [
        (#""extent": "selected""#, true, #""extent": "all""#),
        (#""extent": "selected""#, true, #""extent": "full""#),
        (#""extent": "selected""#, false, #""extent": "selected""#),
        (#""extent": "selected""#, false, #""because": "Backs up all pictures.""#),
        (#""id": "photos""#, false, #""id": "photos", "kind": "motion""#),
    ])
    func `Full access where a picker exists is found`(
        old: String, isFound: Bool, new: String
    ) throws {
        let places = try Self.hits("picker-suffices", [(old, new)])
        #expect(places == (isFound ? ["features[scan].needs[photos]"] : []))
    }

    @Test func `A feature without a way on after a denial is found`() throws {
        let none = (
            #""alternative": {"kind": "picker", "title": {"en": "Choose", "de": "Auswählen"}}"#,
            #""validity": 9"#
        )
        let own = (
            #""asks": "use""#,
            #""alternative": {"kind": "manual", "title": {"en": "T", "de": "T"}}"#
        )
        #expect(try Self.hits("no-alternative", []) == [])
        #expect(try Self.hits("no-alternative", [none]) == ["features[scan].needs[photos]"])
        #expect(try Self.hits("no-alternative", [none, own]) == [])
    }

    @Test(arguments: [
        (
            #""title": {"en": "Type it", "de": "Eintippen"}"#, #""title": {"en": "Type it"}"#,
            "resources[camera].alternative.title.de"
        ),
        (
            #""title": {"en": "Type it", "de": "Eintippen"}"#, #""title": {"de": "Eintippen"}"#,
            "resources[camera].alternative.title.en"
        ),
        (#""continueTitle": "Weiter", "#, "", "primers[why].texts.de.continueTitle"),
        (#""language": "en""#, #""language": "en-GB""#, nil),
    ])
    func `A missing translation is found`(old: String, new: String, place: String?) throws {
        #expect(try Self.hits("translation-missing", [(old, new)]) == [place].compactMap(\.self))
    }

    @Test(arguments: [
        (english, #""en": "The camera reads receipts and sells them.""#, true),
        (english, #""en": "The camera reads no total from receipts.""#, true),
        (english, #""en": "the camera reads the total from reciepts""#, false),
        (#""scope": "device", "revision": "1.9""#, #""scope": "person", "revision": "1.9""#, true),
        (#""variants": ["full"]"#, #""variants": ["full", "always"]"#, true),
        (#""validity": "P1Y""#, #""validity": "P13M""#, true),
        (#""validity": "P1Y""#, #""validity": "P11M""#, false),
        (#""id": "camera""#, #""id": "camera", "kind": "screen""#, true),
        (#""title": "Scan""#, #""title": "Scan receipts""#, false),
    ])
    func `A changed meaning needs a raised revision`(
        old: String, new: String, isFound: Bool
    ) throws {
        let places = try Self.hits("revision-not-raised", [(old, new)], published: [])
        #expect(places == (isFound ? ["resources[camera].revision"] : []))
        let raised = (#""revision": "1.9""#, #""revision": "1.10""#)
        // The raise comes first: a change of scope names the old revision.
        if !old.contains("1.9") {
            #expect(
                try Self.hits("revision-not-raised", [raised, (old, new)], published: []) == [])
        }
        #expect(try Self.hits("revision-not-raised", [(old, new)]) == [])
    }

    @Test(arguments: [("1.9", "1.10", true), ("1.9", "1.8", false), ("1.9", "1.9", false)])
    func `A lowered revision is found`(revision: String, published: String, isFound: Bool) throws {
        let places = try Self.hits(
            "revision-lowered", [], published: [("\"\(revision)\"", "\"\(published)\"")])
        #expect(places == (isFound ? ["resources[camera].revision"] : []))
    }

    @Test(arguments: [
        ("We share your data.", "We share your dates.", false),
        ("for 30 days", "for 90 days", false),
        ("We do not share", "We do now share", false), ("can share", "can't share", false),
        ("We recieve it", "We receive it", true), ("E-Mail,  weekly", "e-mail weekly.", true),
    ])
    func `In doubt a change is no typo`(old: String, new: String, isTypo: Bool) {
        #expect(TypoCheck.isTypo(from: old, to: new) == isTypo)
    }
}

import Ledger
import Testing

@Suite struct CatalogUnitTests {
    private func documented() throws -> Catalog {
        try CatalogFixture.decode(CatalogFixture.documented().json)
    }

    @Test func `Each resource, each primer's language and the features are a unit`() throws {
        let catalog = try documented()
        #expect(
            catalog.units.map { [$0.kind.description, $0.id ?? "", $0.language ?? ""] } == [
                ["resource", "camera", ""], ["resource", "shop-location", ""],
                ["resource", "marketing-email", ""], ["primer", "why-camera", "en"],
                ["primer", "why-camera", "de"], ["features", "", ""],
            ])
        #expect(catalog.unit(forResource: "shop-location") == catalog.units[1])
        #expect(catalog.unit(forPrimer: "why-camera", language: "DE") == catalog.units[4])
        #expect(catalog.unit(forPrimer: "why-camera", language: "fr") == nil)
    }

    @Test func `The digest is over the domain and the canonical content`() throws {
        let catalog = try CatalogFixture.decode(
            #"{"platform":"web","language":"en","resources":[{"id":"a","scope":"person","revision":"1.0"}]}"#
        )
        let unit = catalog.units[0]
        // {"id": "a", "scope": "person", "revision": "1"}
        let content: [UInt8] =
            [0xA3, 0x62] + Array("id".utf8) + [0x61] + Array("a".utf8) + [0x65]
            + Array("scope".utf8) + [0x66] + Array("person".utf8) + [0x68]
            + Array("revision".utf8) + [0x61] + Array("1".utf8)
        #expect(unit.content == content)
        #expect(unit.digest == (try Crypto.sha256(Array("consent-ledger/unit/1".utf8) + content)))
        for unit in try documented().units { _ = try CBORReader.decode(unit.content) }
    }

    @Test func `A unit changes with its words and with nothing else`() throws {
        let json = try CatalogFixture.documented().json
        let before = try documented()
        let after = try CatalogFixture.decode(
            json.replacing("Belege scannen", with: "Belege lesen").replacing("P30D", with: "P9D"))
        let changed = zip(before.units, after.units).filter { $0.0.digest != $0.1.digest }
        #expect(changed.map(\.0.language) == ["de"])
    }

    @Test func `The words are read back from a published unit`() throws {
        let unit = try #require(try documented().unit(forPrimer: "why-camera", language: "en"))
        #expect(
            try CatalogUnit.lines(unit.content) == [
                "id: why-camera", "language: en", "resources[0]: camera", "systemImage: camera",
                "tint: #0A84FF", "title: Scan your receipts",
                "message: Next, the system asks whether the camera may be used.",
                "benefits[0].systemImage: bolt", "benefits[0].title: Faster",
                "benefits[0].text: No typing of sums and dates.", "benefits[1].title: Private",
                "benefits[1].text: Pictures stay on this phone.", "continueTitle: Continue",
                "skipTitle: null",
            ])
    }

    @Test func `A unit of another version is shown as far as it goes`() throws {
        var writer = CBORWriter()
        writer.map(count: 2)
        writer.unsigned(7)
        writer.signed(-3)
        writer.text("new")
        writer.byteString([0xFF])
        #expect(try CatalogUnit.lines(writer.bytes) == ["7: -3", "new: 74"])
        #expect(throws: LedgerError.self) { try CatalogUnit.lines([0xA1]) }
    }

    @Test func `Published resources come back as they were`() throws {
        let catalog = try documented()
        let published = try Catalog(
            publishedResources: catalog.units.filter { $0.kind == .resource }.map(\.content),
            platform: .ios)
        #expect(published.resources.map(\.id) == catalog.resources.map(\.id))
        #expect(published.units[0] == catalog.units[0])
        #expect(catalog.lint(against: published) == [])
    }

    @Test func `A text too long for an event is refused`() {
        let long = String(repeating: "x", count: 70_000)
        let error = #expect(throws: LedgerError.self) {
            try CatalogFixture.decode(
                """
                {"platform":"web","language":"en","resources":[{"id":"a","scope":"person",
                "revision":"1","purpose":{"en":"\(long)"}}]}
                """)
        }
        #expect(error?.code == .limit)
    }
}

import TestSupport
import Testing

@testable import Ledger

@Suite struct GateScreenTests {
    @Test func `A primer comes in the person's language with the digest of what is shown`() throws {
        let fixture = GateFixture()
        let decision = try fixture.decide(languages: ["fr", "de-AT"])
        let primer = try #require(decision.screen?.primer)
        #expect(primer.text.title == "Belege scannen")
        #expect(primer.text.skipTitle == "Jetzt nicht")
        let unit = try fixture.catalog().unit(forPrimer: "why", language: "de")
        #expect(primer.unit == unit?.digest)
        #expect(decision.screen?.purpose?.language == "de")
        #expect(decision.screen?.alternative?.title == "Tippen")
        #expect(decision.asksFor == .full)
    }

    @Test func `Without a fitting language the catalog's own is taken`() throws {
        let decision = try GateFixture().decide(languages: ["ja"])
        #expect(decision.screen?.primer?.text.language == "en")
    }

    @Test func `The switch that is off is named`() throws {
        var fixture = GateFixture()
        fixture.facts = GateResource(device: Status(), live: .serviceOff("Location Services"))
        #expect(try fixture.decide().screen?.switchOff == "Location Services")
    }

    @Test func `A skipped primer says when it may come again`() throws {
        var fixture = GateFixture()
        fixture.askAgainAfter = "\"P1D\""
        fixture.facts.primer.lastSkipped = Timestamp(milliseconds: 999_000)
        #expect(try fixture.decide().screen?.askAgainAt == 999_000 + 86_400_000)
    }

    @Test func `A decision names the events it rests on, and needs no screen to proceed`() throws {
        let first = EventID(raw: Bytes32(a: 1, b: 0, c: 0, d: 0))
        let second = EventID(raw: Bytes32(a: 2, b: 0, c: 0, d: 0))
        var fixture = GateFixture()
        fixture.facts.device = .make(.authorized) { $0.evidence = [second] }
        fixture.facts.person = .make(.authorized) { $0.evidence = [first] }
        let decision = try fixture.decide()
        #expect(decision.evidence == [first, second])
        #expect(decision.screen == nil)
        #expect(decision.resource == nil)
    }

    private func decide(camera: Status?, microphone: Status?) throws -> Decision {
        let json = """
            {"platform": "ios", "language": "en",
             "resources": [{"id": "camera", "scope": "device", "revision": "1"},
                           {"id": "microphone", "scope": "device", "revision": "1"}],
             "features": [{"id": "film", "needs": [
               {"resource": "camera"}, {"resource": "microphone", "extent": "always"}]}]}
            """
        let catalog = try Catalog(json: Array(json.utf8), file: "two.json")
        let facts = [camera, microphone].compactMap(\.self).map { GateResource(device: $0) }
        return Gate.decide(
            GateInput(catalog: catalog, feature: catalog.features[0], resources: facts, now: 0))
    }

    @Test func `Of several resources the narrowest decides, the first of equals`() throws {
        let off = Status.make(.denied, canAsk: .no)
        let open = Status.make(.notDetermined)
        let on = Status.make(.authorized)
        let less = Status.make(.authorized, extent: Extent(time: .whenInUse), canAsk: .no)
        #expect(try decide(camera: on, microphone: on).action == .proceed)
        #expect(try decide(camera: open, microphone: open).resource == "camera")
        #expect(try decide(camera: on, microphone: open).resource == "microphone")
        #expect(try decide(camera: open, microphone: off).resource == "microphone")
        #expect(try decide(camera: open, microphone: off).action == .unavailable)
        #expect(try decide(camera: open, microphone: less).action == .askSystem)
        let reduced = try decide(camera: on, microphone: less)
        #expect(reduced.action == .proceed && reduced.isReduced)
        #expect(reduced.extent == Extent(time: .whenInUse))
    }

    @Test func `A need of which nothing is told is not granted`() throws {
        let decision = try decide(camera: .make(.authorized), microphone: nil)
        #expect(decision.action == .askSystem)
        #expect(decision.resource == "microphone")
    }
}

@Suite struct GateShortcutTests {
    private static func status(_ random: inout SplitMix) -> GateStatus? {
        guard UInt8.random(in: 0..<4, using: &random) > 0 else { return nil }
        let status = PermissionStatus.allCases.randomElement(using: &random) ?? .denied
        return .make(
            UInt8.random(in: 0..<3, using: &random) == 0 ? status : .authorized,
            extent: Extent(code: .random(in: 0..<4, using: &random)) ?? .full
        ) {
            $0.isExpired = UInt8.random(in: 0..<8, using: &random) == 0
            $0.isOutdated = UInt8.random(in: 0..<8, using: &random) == 0
            $0.isConsented = Bool.random(using: &random)
            $0.promptsAsked = Int.random(in: 0...1, using: &random)
        }
    }

    private static func live(_ random: inout SplitMix) -> SystemStatus? {
        switch UInt8.random(in: 0..<8, using: &random) {
        case 0: .unsupported
        case 1: .serviceOff("Switch")
        case 2: .unqueryable
        case 3, 4: nil
        default:
            .reported(
                PermissionStatus.allCases.randomElement(using: &random) ?? .denied,
                Extent(code: .random(in: 0..<4, using: &random)) ?? .full)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `The short way to proceed never differs from the rules`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var fixture = GateFixture()
        fixture.extent = ["full", "whenInUse", "always"][Int(seed % 3)]
        let catalog = try fixture.catalog()
        let need = catalog.features[0].needs[0].extent
        var shortcuts = 0
        for _ in 0..<500 {
            var facts = GateResource()
            facts.device = Self.status(&random)
            facts.person = Self.status(&random)
            facts.live = Self.live(&random)
            facts.grantIdentity = ["X", "Y", nil].randomElement(using: &random) ?? nil
            let identity = ["X", "Y", nil].randomElement(using: &random) ?? nil
            guard facts.isPlainlyGranted(need, identity: identity) else { continue }
            shortcuts += 1
            var input = GateInput(
                catalog: catalog, feature: catalog.features[0], resources: [facts], now: 0)
            input.signingIdentity = identity
            let verdict = ResourceRules(input, 0).verdict()
            #expect(verdict.way == .proceed && verdict.reason == .granted, "seed \(seed)")
        }
        #expect(shortcuts > 0, "seed \(seed)")
    }
}

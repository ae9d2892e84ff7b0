import Testing

@testable import Ledger

@Suite struct GateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fixture: GateFixture
        let action: Decision.Action
        let reason: Decision.Reason
        var isReduced = false
        var settings = false

        init(
            _ name: String, _ action: Decision.Action, _ reason: Decision.Reason,
            reduced: Bool = false, settings: Bool = false,
            _ change: (inout GateFixture) -> Void
        ) {
            testDescription = name
            var fixture = GateFixture()
            change(&fixture)
            self.fixture = fixture
            self.action = action
            self.reason = reason
            isReduced = reduced
            self.settings = settings
        }
    }

    private static let whenInUse = Extent(time: .whenInUse)

    static let absent: [Row] = [
        Row("unsupported", .useAlternative, .unsupported) {
            $0.facts = GateResource(device: .make(.authorized), live: .unsupported)
        },
        Row("unsupported without alternative", .unavailable, .unsupported) {
            $0.facts = GateResource(device: Status(), live: .unsupported)
            $0.hasAlternative = false
        },
        Row("service off", .useAlternative, .serviceOff, settings: true) {
            $0.facts = GateResource(device: .make(.authorized), live: .serviceOff("Location"))
        },
        Row("restricted live", .useAlternative, .restricted) {
            $0.facts = GateResource(device: .make(.authorized), live: .reported(.restricted))
            $0.retry = true
        },
        Row("restricted in the ledger", .useAlternative, .restricted) {
            $0.facts.device = .make(.restricted, canAsk: .no)
        },
        Row("restricted for the person", .useAlternative, .restricted) {
            $0.facts = GateResource(device: .make(.authorized), person: .make(.restricted))
        },
    ]

    static let denied: [Row] = [
        Row("denied", .useAlternative, .denied, settings: true) {
            $0.facts.device = .make(.denied, canAsk: .no)
        },
        Row("denied without alternative", .unavailable, .denied, settings: true) {
            $0.facts.device = .make(.denied, canAsk: .no)
            $0.hasAlternative = false
        },
        Row("denied though it can be asked", .useAlternative, .denied, settings: true) {
            $0.facts.device = .make(.denied, canAsk: .yes)
            $0.continued = true
        },
        Row("off, nobody knows by whom", .useAlternative, .switchedOff, settings: true) {
            $0.facts.device = .make(.denied, authority: .unknown, canAsk: .no)
        },
        Row("off on the live system only", .useAlternative, .switchedOff, settings: true) {
            $0.facts = GateResource(device: .make(.authorized), live: .reported(.denied))
        },
        Row("denied, wished for, cannot be asked", .offerSettings, .denied, settings: true) {
            $0.facts.device = .make(.denied, canAsk: .no)
            $0.retry = true
        },
        Row("denied, wished for, can be asked", .askSystem, .retried) {
            $0.facts.device = .make(.denied, canAsk: .yes)
            $0.retry = true
            $0.continued = true
        },
        Row("denied, wished for, primer never continued", .showPrimer, .retried) {
            $0.facts.device = .make(.denied, canAsk: .unknown)
            $0.retry = true
        },
        Row("denied, wished for, never asks", .offerSettings, .denied, settings: true) {
            $0.facts.device = .make(.denied, canAsk: .yes)
            $0.retry = true
            $0.asks = "never"
        },
        Row("denied an earlier revision", .showPrimer, .revisionRose) {
            $0.facts.device = .make(.denied) { $0.lastAct = Status.act(.denied, at: 500) }
            $0.facts.deniedRevision = Revision("1.9")
            $0.continued = true
        },
        Row("denied an earlier revision, continued since", .askSystem, .revisionRose) {
            $0.facts.device = .make(.denied) { $0.lastAct = Status.act(.denied, at: 500) }
            $0.facts.deniedRevision = Revision("1.9")
            $0.facts.primer.lastContinued = Timestamp(milliseconds: 600)
            $0.continued = true
        },
        Row("denied an earlier revision, skipped", .useAlternative, .primerSkipped) {
            $0.facts.device = .make(.denied)
            $0.facts.deniedRevision = Revision("1.9")
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
        },
        Row("denied an earlier revision, final", .useAlternative, .denied, settings: true) {
            $0.facts.device = .make(.denied, canAsk: .no)
            $0.facts.deniedRevision = Revision("1.9")
        },
        Row("denied this revision", .useAlternative, .denied, settings: true) {
            $0.facts.device = .make(.denied)
            $0.facts.deniedRevision = Revision("2.0")
        },
        Row("a form refused", .useAlternative, .denied) {
            $0.scope = .person
            $0.facts.person = .make(.denied)
        },
        Row("a form refused, wished for", .showPrimer, .retried) {
            $0.scope = .person
            $0.facts.person = .make(.denied)
            $0.retry = true
        },
        Row("withdrawn everywhere, on here", .useAlternative, .denied) {
            $0.facts = GateResource(
                device: .make(.authorized), person: .make(.denied), live: .reported(.authorized))
        },
        Row("withdrawn everywhere, on here, wished for", .showPrimer, .retried) {
            $0.facts = GateResource(device: .make(.authorized), person: .make(.denied))
            $0.retry = true
        },
        Row("withdrawn everywhere, off here, final", .offerSettings, .denied, settings: true) {
            $0.facts = GateResource(device: .make(.denied, canAsk: .no), person: .make(.denied))
            $0.retry = true
        },
    ]

    static let builds: [Row] = [
        Row("another build, refused", .useAlternative, .grantForAnotherBuild, settings: true) {
            $0.facts = GateResource(
                device: .make(.denied, authority: .unknown) { $0.isConsented = true },
                live: .reported(.denied))
            ($0.facts.grantIdentity, $0.signingIdentity) = ("X", "Y")
        },
        Row("another build, wished for", .offerSettings, .grantForAnotherBuild, settings: true) {
            $0.facts = GateResource(device: .make(.authorized))
            ($0.facts.grantIdentity, $0.signingIdentity, $0.retry) = ("X", "Y", true)
        },
        Row("another build, not known live", .useAlternative, .grantForAnotherBuild, settings: true)
        {
            $0.facts = GateResource(device: .make(.authorized), live: .unqueryable)
            ($0.facts.grantIdentity, $0.signingIdentity) = ("X", "Y")
        },
        Row(
            "another build, refused at an earlier entry", .useAlternative, .grantForAnotherBuild,
            settings: true
        ) {
            $0.facts = GateResource(
                device: .make(.denied, authority: .unknown) { $0.isConsented = true })
            ($0.facts.grantIdentity, $0.signingIdentity) = ("X", "Y")
        },
        Row("another build, the system accepts it", .proceed, .granted) {
            $0.facts = GateResource(device: .make(.authorized), live: .reported(.authorized))
            ($0.facts.grantIdentity, $0.signingIdentity) = ("X", "Y")
        },
        Row("the same build, refused", .useAlternative, .switchedOff, settings: true) {
            $0.facts = GateResource(
                device: .make(.denied, authority: .unknown) { $0.isConsented = true },
                live: .reported(.denied))
            ($0.facts.grantIdentity, $0.signingIdentity) = ("X", "X")
        },
    ]

    static let renewed: [Row] = [
        Row("a form ran out", .showPrimer, .expired) {
            $0.scope = .person
            $0.facts.person = .make(.notDetermined) {
                $0.isExpired = true
                $0.lastAct = Status.act(.allowed, at: 500)
            }
            $0.continued = true
            $0.facts.primer.lastContinued = Timestamp(milliseconds: 400)
        },
        Row("a form ran out, primer continued since", .askSystem, .expired) {
            $0.scope = .person
            $0.facts.person = .make(.notDetermined) {
                $0.isExpired = true
                $0.lastAct = Status.act(.allowed, at: 500)
            }
            $0.continued = true
            $0.facts.primer.lastContinued = Timestamp(milliseconds: 600)
        },
        Row("outdated though the system says granted", .showPrimer, .outdated) {
            $0.facts = GateResource(
                device: .make(.authorized) { $0.isOutdated = true }, live: .reported(.authorized))
        },
        Row("the person's consent is outdated, on here", .showPrimer, .outdated) {
            $0.facts = GateResource(
                device: .make(.authorized), person: .make(.authorized) { $0.isOutdated = true },
                live: .reported(.authorized))
        },
        Row("outdated, primer skipped", .useAlternative, .primerSkipped) {
            $0.facts.device = .make(.authorized) { $0.isOutdated = true }
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
        },
        Row("outdated, but a no comes first", .useAlternative, .denied, settings: true) {
            $0.facts = GateResource(
                device: .make(.denied), person: .make(.authorized) { $0.isOutdated = true })
        },
    ]

    static let granted: [Row] = [
        Row("granted", .proceed, .granted) { $0.facts.device = .make(.authorized) },
        Row("granted by a form", .proceed, .granted) {
            $0.scope = .person
            $0.facts.person = .make(.authorized)
        },
        Row("granted, confirmed live", .proceed, .granted) {
            $0.facts = GateResource(device: .make(.authorized), live: .reported(.authorized))
        },
        Row("provisional is enough", .proceed, .granted) { $0.facts.device = .make(.provisional) },
        Row("wider than needed", .proceed, .granted) {
            $0.extent = "whenInUse"
            $0.facts.device = .make(.authorized, extent: Extent(time: .always))
        },
        Row("granted although skipped once", .proceed, .granted) {
            $0.facts.device = .make(.authorized)
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
        },
        Row("less, cannot be asked", .proceed, .grantedLess, reduced: true, settings: true) {
            $0.extent = "always"
            $0.facts.device = .make(.authorized, extent: whenInUse, canAsk: .no)
        },
        Row("less, nothing tells", .proceed, .grantedLess, reduced: true, settings: true) {
            $0.extent = "always"
            $0.facts.device = .make(.authorized, extent: whenInUse, canAsk: .unknown)
        },
        Row("less, can be asked", .showPrimer, .grantedLess) {
            $0.extent = "always"
            $0.facts.device = .make(.authorized, extent: whenInUse)
        },
        Row("less, can be asked, continued", .askSystem, .grantedLess) {
            $0.extent = "always"
            $0.facts.device = .make(.authorized, extent: whenInUse)
            $0.continued = true
        },
        Row("less, question open", .proceed, .grantedLess, reduced: true, settings: true) {
            $0.extent = "always"
            $0.facts.device = .make(.authorized, extent: whenInUse) { $0.isPending = true }
        },
        Row("less, primer skipped", .proceed, .grantedLess, reduced: true, settings: true) {
            $0.extent = "always"
            $0.facts.device = .make(.authorized, extent: whenInUse)
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
        },
        Row("less, asks only on request", .proceed, .grantedLess, reduced: true, settings: true) {
            ($0.extent, $0.asks) = ("always", "request")
            $0.facts.device = .make(.authorized, extent: whenInUse)
        },
        Row("less, wished for, final", .offerSettings, .grantedLess, settings: true) {
            ($0.extent, $0.retry) = ("always", true)
            $0.facts.device = .make(.authorized, extent: whenInUse, canAsk: .no)
        },
        Row("some photos, all needed", .proceed, .grantedLess, reduced: true, settings: true) {
            $0.extent = "all"
            $0.facts.device = .make(.limited, canAsk: .no)
        },
        Row("less on the live system", .proceed, .grantedLess, reduced: true, settings: true) {
            $0.extent = "precise"
            $0.facts = GateResource(
                device: .make(.authorized, canAsk: .no),
                live: .reported(.authorized, Extent(accuracy: .reduced)))
        },
        Row("cannot be queried, was asked", .proceed, .unqueryable) {
            $0.facts = GateResource(
                device: .make(.notDetermined) { $0.promptsAsked = 1 }, live: .unqueryable)
        },
        Row("cannot be queried, never asked", .showPrimer, .undetermined) {
            $0.facts = GateResource(device: .make(.notDetermined), live: .unqueryable)
        },
    ]

    static let undetermined: [Row] = [
        Row("undetermined", .showPrimer, .undetermined) { $0.facts.device = .make(.notDetermined) },
        Row("undetermined, nothing known", .showPrimer, .undetermined) { _ in },
        Row("undetermined, continued", .askSystem, .undetermined) {
            $0.facts.device = .make(.notDetermined)
            $0.continued = true
        },
        Row("undetermined, an older primer continued", .showPrimer, .undetermined) {
            $0.facts.device = .make(.notDetermined)
            $0.facts.primer.continuedUnits = [.zero]
        },
        Row("undetermined, no primer", .askSystem, .undetermined) {
            $0.facts.device = .make(.notDetermined)
            $0.hasPrimer = false
        },
        Row("undetermined live", .showPrimer, .undetermined) {
            $0.facts = GateResource(device: .make(.authorized), live: .reported(.notDetermined))
        },
        Row("undetermined, cannot be asked", .useAlternative, .notAskable, settings: true) {
            $0.facts.device = .make(.notDetermined, canAsk: .no)
        },
        Row("tracking, app not active", .unavailable, .appNotActive) {
            ($0.resource, $0.isAppActive, $0.hasAlternative) = ("tracking", false, false)
            $0.facts.device = .make(.notDetermined, canAsk: .no)
        },
        Row("tracking, app active", .askSystem, .undetermined) {
            ($0.resource, $0.isAppActive, $0.continued) = ("tracking", true, true)
            $0.facts.device = .make(.notDetermined)
        },
        Row("camera, app not active", .showPrimer, .undetermined) {
            $0.isAppActive = false
            $0.facts.device = .make(.notDetermined)
        },
        Row("skipped", .useAlternative, .primerSkipped) {
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
        },
        Row("skipped, wished for", .showPrimer, .undetermined) {
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
            $0.retry = true
        },
        Row("skipped, continued since", .askSystem, .undetermined) {
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
            $0.facts.primer.lastContinued = Timestamp(milliseconds: 901)
            $0.continued = true
        },
        Row("skipped, a millisecond too early", .useAlternative, .primerSkipped) {
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
            ($0.askAgainAfter, $0.now) = ("30", 900 + 30 * 86_400_000 - 1)
        },
        Row("skipped, long enough ago", .showPrimer, .undetermined) {
            $0.facts.primer.lastSkipped = Timestamp(milliseconds: 900)
            ($0.askAgainAfter, $0.now) = ("30", 900 + 30 * 86_400_000)
        },
        Row("asks only on request", .useAlternative, .mustNotAsk) { $0.asks = "request" },
        Row("asks only on request, requested", .showPrimer, .undetermined) {
            ($0.asks, $0.retry) = ("request", true)
        },
        Row("never asks", .useAlternative, .mustNotAsk) { ($0.asks, $0.retry) = ("never", true) },
        Row("asks at launch", .showPrimer, .undetermined) { $0.asks = "launch" },
    ]

    @Test(arguments: absent + denied + builds + renewed + granted + undetermined)
    func `Each situation has one answer`(row: Row) throws {
        let decision = try row.fixture.decide()
        #expect(decision.action == row.action)
        #expect(decision.reason == row.reason)
        #expect(decision.isReduced == row.isReduced)
        #expect(decision.screen?.settingsWouldHelp ?? false == row.settings)
    }

    @Test func `Every reason and every action is in the table`() {
        let rows =
            Self.absent + Self.denied + Self.builds + Self.renewed + Self.granted
            + Self.undetermined
        #expect(Set(rows.map(\.reason)) == Set(Decision.Reason.allCases))
        #expect(Set(rows.map(\.action)) == Set(Decision.Action.allCases))
    }
}

import Ledger
import Testing

@Suite struct GateAskabilityTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let platform: Platform?
        let situation: Askability.Situation
        let expected: Status.Askability

        init(
            _ name: String, _ platform: Platform?, _ status: PermissionStatus,
            extent: Extent = .full, authority: Authority = .unknown, asks: [AskRecord] = [],
            wanted: Extent = .full, tracking: Bool = false, active: Bool? = nil,
            _ expected: Status.Askability
        ) {
            testDescription = name
            self.platform = platform
            situation = Askability.Situation(
                status: status, extent: extent, authority: authority, asks: asks, wanted: wanted,
                isTracking: tracking, isAppActive: active)
            self.expected = expected
        }
    }

    private static let whenInUse = Extent(time: .whenInUse)
    private static let always = Extent(time: .always)

    static let everywhere: [Row] = [
        Row("no platform", nil, .notDetermined, .unknown),
        Row("restricted without platform", nil, .restricted, .no),
        Row("restricted", .xdg, .restricted, .no),
        Row("denied by policy", .android, .denied, authority: .policy, .no),
        Row("granted in full", .android, .authorized, .no),
        Row("granted wider than wanted", .ios, .authorized, extent: always, wanted: whenInUse, .no),
    ]

    static let apple: [Row] = [
        Row("ios never asked", .ios, .notDetermined, .yes),
        Row("ios asked, no decision", .ios, .notDetermined, asks: [AskRecord(undecided: 3)], .yes),
        Row("ios denied", .ios, .denied, asks: [AskRecord(decided: 1, denied: 1)], .no),
        Row("ios denied, only observed", .ios, .denied, .no),
        Row("ios lapsed", .ios, .notDetermined, asks: [AskRecord(decided: 1)], .yes),
        Row(
            "ios always never asked", .ios, .authorized, extent: whenInUse,
            asks: [AskRecord(variant: whenInUse, decided: 1)], wanted: always, .yes),
        Row(
            "ios always asked", .ios, .authorized, extent: whenInUse,
            asks: [AskRecord(variant: always, decided: 1, denied: 1)], wanted: always, .no),
        Row(
            "ios always asked, no decision", .ios, .authorized, extent: whenInUse,
            asks: [AskRecord(variant: always, undecided: 1)], wanted: always, .yes),
        Row(
            "ios some photos, asked for all", .ios, .limited, extent: Extent(selection: .selected),
            asks: [AskRecord(decided: 1)], wanted: Extent(selection: .all), .no),
        Row("ios provisional", .ios, .provisional, .yes),
        Row("ios provisional, asked", .ios, .provisional, asks: [AskRecord(decided: 1)], .no),
        Row("ios tracking, active", .ios, .notDetermined, tracking: true, active: true, .yes),
        Row("ios tracking, inactive", .ios, .notDetermined, tracking: true, active: false, .no),
        Row("ios tracking, not known", .ios, .notDetermined, tracking: true, .unknown),
        Row("ios tracking, denied", .ios, .denied, tracking: true, active: true, .no),
        Row("ios inactive, not tracking", .ios, .notDetermined, active: false, .yes),
        Row("macos never asked", .macos, .notDetermined, .yes),
        Row("macos denied", .macos, .denied, .no),
        Row("macos wider", .macos, .authorized, extent: whenInUse, wanted: always, .unknown),
        Row(
            "macos wider, asked", .macos, .authorized, extent: whenInUse,
            asks: [AskRecord(decided: 1)], wanted: always, .no),
    ]

    static let others: [Row] = [
        Row("android never asked", .android, .notDetermined, .yes),
        Row("android dismissed", .android, .notDetermined, asks: [AskRecord(undecided: 2)], .yes),
        Row("android once", .android, .denied, asks: [AskRecord(decided: 1, denied: 1)], .yes),
        Row(
            "android once, then refused to ask", .android, .denied,
            asks: [AskRecord(decided: 1, denied: 1, undecided: 1, isRefused: true)], .no),
        Row(
            "android refused another variant", .android, .denied,
            asks: [
                AskRecord(decided: 1, denied: 1),
                AskRecord(variant: Extent(accuracy: .reduced), undecided: 1, isRefused: true),
            ], wanted: Extent(accuracy: .precise), .yes),
        Row(
            "android refused, then taken back unused", .android, .notDetermined,
            asks: [AskRecord(decided: 1, denied: 1, undecided: 1, isRefused: true)], .yes),
        Row(
            "android refused, a denial only observed", .android, .denied,
            asks: [AskRecord(undecided: 1, isRefused: true)], .unknown),
        Row("android twice", .android, .denied, asks: [AskRecord(decided: 2, denied: 2)], .no),
        Row(
            "android taken back unused", .android, .notDetermined,
            asks: [AskRecord(decided: 2, denied: 2)], .yes),
        Row("android denied, only observed", .android, .denied, .unknown),
        Row(
            "android precise", .android, .authorized, extent: Extent(accuracy: .reduced),
            asks: [AskRecord(variant: Extent(accuracy: .reduced), decided: 1)],
            wanted: Extent(accuracy: .precise), .yes),
        Row(
            "android precise, twice", .android, .authorized, extent: Extent(accuracy: .reduced),
            asks: [AskRecord(variant: Extent(accuracy: .precise), decided: 2, denied: 2)],
            wanted: Extent(accuracy: .precise), .no),
        Row("web prompt", .web, .notDetermined, .yes),
        Row("web dismissed", .web, .notDetermined, asks: [AskRecord(undecided: 1)], .unknown),
        Row("web denied", .web, .denied, .no),
        Row("xdg unset", .xdg, .notDetermined, asks: [AskRecord(undecided: 1)], .yes),
        Row("xdg no", .xdg, .denied, .no),
        Row(
            "xdg wider", .xdg, .authorized, extent: Extent(accuracy: .reduced),
            wanted: Extent(accuracy: .precise), .unknown),
    ]

    @Test(arguments: everywhere + apple + others)
    func `Whether the system can still ask follows the platform's rule`(row: Row) {
        #expect(Askability.rule(platform: row.platform, row.situation) == row.expected)
    }
}

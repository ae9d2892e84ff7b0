/// What asking for one variant of a resource came to on one install.
package struct AskRecord: Sendable, Hashable {
    /// The extent that was asked for; `full` when the question named none.
    package let variant: Extent
    /// How many questions were answered yes or no.
    package let decided: Int
    /// How many of those were answered no.
    package let denied: Int
    /// How many ended without a decision.
    package let undecided: Int
    /// Whether the system refused to put the question after what is in force.
    package let isRefused: Bool

    package init(
        variant: Extent = .full, decided: Int = 0, denied: Int = 0, undecided: Int = 0,
        isRefused: Bool = false
    ) {
        self.variant = variant
        self.decided = decided
        self.denied = denied
        self.undecided = undecided
        self.isRefused = isRefused
    }
}

/// Whether a platform's system would still put its question.
package enum Askability {
    /// What the rule looks at besides the platform.
    package struct Situation: Sendable, Hashable {
        /// The status in force, and how far it reaches.
        package var status: PermissionStatus
        package var extent: Extent
        package var authority: Authority
        /// What was asked on this install; other installs do not count.
        package var asks: [AskRecord]
        /// The extent the next question would ask for.
        package var wanted: Extent
        /// Whether the resource is permission to track.
        package var isTracking: Bool
        /// Nil when not known.
        package var isAppActive: Bool?

        package init(
            status: PermissionStatus, extent: Extent = .full, authority: Authority = .unknown,
            asks: [AskRecord] = [], wanted: Extent = .full, isTracking: Bool = false,
            isAppActive: Bool? = nil
        ) {
            self.status = status
            self.extent = extent
            self.authority = authority
            self.asks = asks
            self.wanted = wanted
            self.isTracking = isTracking
            self.isAppActive = isAppActive
        }

        /// How often a question that covers what is wanted was answered, and answered no.
        fileprivate var decided: Int { count(\.decided) }
        fileprivate var denied: Int { count(\.denied) }
        fileprivate var undecided: Int { count(\.undecided) }
        fileprivate var isRefused: Bool {
            asks.contains { $0.isRefused && $0.variant.covers(wanted) }
        }

        private func count(_ number: KeyPath<AskRecord, Int>) -> Int {
            asks.reduce(0) { $1.variant.covers(wanted) ? $0 &+ $1[keyPath: number] : $0 }
        }

        /// Granted without the person's answer, so that the question was not put yet.
        fileprivate var isGrantedUnasked: Bool { status == .provisional || status == .ephemeral }

        fileprivate var isUpgrade: Bool {
            status.isGranting && (isGrantedUnasked || !extent.covers(wanted))
        }
    }

    /// Applies the rule of a platform.
    ///
    /// - Parameters:
    ///   - platform: whose rule; nil when not known.
    ///   - situation: what holds on this install.
    /// - Returns: `unknown` wherever nothing tells.
    package static func rule(
        platform: Platform?, _ situation: Situation
    ) -> Status.Askability {
        // What a parent or a policy forbids, no system asks the person about.
        if situation.status == .restricted { return .no }
        if situation.status == .denied, situation.authority == .policy { return .no }
        guard let platform else { return .unknown }
        if situation.status.isGranting, !situation.isUpgrade { return .no }
        switch platform {
        case .ios: return ios(situation)
        case .android: return android(situation)
        case .macos: return macos(situation)
        case .web: return web(situation)
        case .xdg: return xdg(situation)
        }
    }

    /// One question per install and variant; tracking only while the app is active
    /// (Apple, ATTrackingManager.requestTrackingAuthorization).
    ///
    /// A system that says undetermined will ask, whatever was answered before: an “Allow Once”
    /// lapsed or the settings were reset.
    private static func ios(_ situation: Situation) -> Status.Askability {
        if situation.status == .denied { return .no }
        if situation.isUpgrade, situation.decided > 0 { return .no }
        guard situation.isTracking else { return .yes }
        switch situation.isAppActive {
        case true?: return .yes
        case false?: return .no
        case nil: return .unknown
        }
    }

    /// After two denials the dialog is not shown again
    /// (Android, Request runtime permissions, “Handle permission denial”).
    ///
    /// A denial that was only observed may be either of the two. A question that the system does
    /// not put after a denial is its way to say that the denial is final.
    private static func android(_ situation: Situation) -> Status.Askability {
        if situation.status == .notDetermined { return .yes }
        if situation.denied >= 2 { return .no }
        guard situation.status == .denied else { return .yes }
        if situation.denied == 0 { return .unknown }
        return situation.isRefused ? .no : .yes
    }

    /// One question, then Settings; whether a wider variant is asked for differs by resource.
    private static func macos(_ situation: Situation) -> Status.Askability {
        if situation.status == .notDetermined { return .yes }
        if situation.status == .denied || situation.decided > 0 { return .no }
        return .unknown
    }

    /// A denial is final until the person resets it; after dismissals browsers stop showing the
    /// question for a while, each by its own rule, and may still report that they would.
    private static func web(_ situation: Situation) -> Status.Askability {
        if situation.status == .denied { return .no }
        return situation.status == .notDetermined && situation.undecided == 0 ? .yes : .unknown
    }

    /// The permission store answers for the person once it holds a yes or a no.
    private static func xdg(_ situation: Situation) -> Status.Askability {
        switch situation.status {
        case .notDetermined: .yes
        case .denied: .no
        default: .unknown
        }
    }
}

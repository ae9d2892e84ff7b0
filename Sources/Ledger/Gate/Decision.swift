/// Whether a feature may run now, what to do instead, and why.
///
/// ```swift
/// let decision = try ledger.enter(entry, catalog: catalog) { live($0) }
/// let action: Decision.Action = decision.action
/// let reason: Decision.Reason = decision.reason
/// ```
public struct Decision: Sendable, Hashable {
    /// The one thing to do now.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// Run the feature; see ``Decision/isReduced``.
        case proceed
        /// Show the primer in ``Screen/primer``.
        case showPrimer
        /// Put the system's question, or show the app's own form.
        case askSystem
        /// Offer to open Settings: the person asked, and only Settings can change it.
        case offerSettings
        /// Offer the picker or the manual entry in ``Screen/alternative``.
        case useAlternative
        /// The feature cannot run and has no alternative.
        case unavailable
    }

    /// Why; the raw values are stable.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Everything needed is granted.
        case granted
        /// Something is granted, but less than needed.
        case grantedLess
        /// The system does not tell, and asking was tried.
        case unqueryable
        /// There is no such thing on this device.
        case unsupported
        /// A switch for the whole device is off.
        case serviceOff
        /// Someone else forbids it.
        case restricted
        /// The person, or a guardian, said no.
        case denied
        /// It is off, and nothing says that the person did it.
        case switchedOff
        /// The grant is for another build of the app, which the system does not accept for this.
        case grantForAnotherBuild
        /// The person said no to an earlier revision, whose meaning was another.
        case revisionRose
        /// The person asks for it after a no.
        case retried
        /// The grant has run out.
        case expired
        /// The meaning has changed since the person agreed.
        case outdated
        /// Nobody has decided.
        case undetermined
        /// The primer was declined or closed.
        case primerSkipped
        /// The feature asks only on the person's request, or never.
        case mustNotAsk
        /// The system would not show its question.
        case notAskable
        /// The system would show its question only while the app is active.
        case appNotActive
    }

    /// What to do.
    public let action: Action
    /// For ``Action/proceed``: the feature must make do with less than it needs.
    public internal(set) var isReduced = false
    /// Why.
    public let reason: Reason
    /// The feature.
    public let feature: String
    /// The resource that decided; nil when all are granted in full.
    public internal(set) var resource: String?
    /// What may be used of that resource, where it is granted.
    public internal(set) var extent: Extent?
    /// The extent to ask for, for ``Action/showPrimer`` and ``Action/askSystem``.
    public internal(set) var asksFor: Extent?
    /// The events it rests on.
    public internal(set) var evidence: [EventID] = []
    /// What to show; nil for ``Action/proceed`` in full.
    public internal(set) var screen: Screen? {
        get { if case .some(let screen) = boxedScreen { screen } else { nil } }
        set { boxedScreen = newValue.map(BoxedScreen.some) ?? .none }
    }

    /// Out of line: most decisions carry none, and are then cheap to hand on.
    private indirect enum BoxedScreen: Sendable, Hashable {
        case none
        case some(Screen)
    }
    private var boxedScreen = BoxedScreen.none

    init(_ action: Action, _ reason: Reason, feature: String) {
        self.action = action
        self.reason = reason
        self.feature = feature
    }

    /// What a screen about a decision shows.
    ///
    /// ```swift
    /// let primer: Decision.PrimerWords? = screen.primer
    /// let purpose: Decision.PurposeWords? = screen.purpose
    /// let alternative: Decision.AlternativeWords? = screen.alternative
    /// return [primer?.text.title, purpose?.text, alternative?.title].compactMap(\.self)
    /// ```
    public struct Screen: Sendable, Hashable {
        /// The primer; only for ``Action/showPrimer``.
        public internal(set) var primer: PrimerWords?
        /// The resource's purpose.
        public internal(set) var purpose: PurposeWords?
        /// The alternative, if there is one.
        public internal(set) var alternative: AlternativeWords?
        /// Whether a change in Settings could help; offer it only on the person's tap.
        public internal(set) var settingsWouldHelp = false
        /// The name of the switch that is off.
        public internal(set) var switchOff: String?
        /// When the primer may be shown again unasked, Unix milliseconds.
        public internal(set) var askAgainAt: Int64?
    }

    /// A primer in one language, with the digest that events about it carry.
    public struct PrimerWords: Sendable, Hashable {
        /// The primer's id.
        public let id: String
        /// The digest of the unit that is shown.
        public let unit: Bytes32
        /// The words.
        public let text: Catalog.PrimerText
        /// The name of a picture.
        public let systemImage: String?
        /// A colour, `#RRGGBB`.
        public let tint: String?
    }

    /// A resource's purpose in one language, with the digest that events about it carry.
    public struct PurposeWords: Sendable, Hashable {
        /// The digest of the resource's unit.
        public let unit: Bytes32
        /// The revision of its meaning.
        public let revision: Revision
        /// The BCP 47 tag.
        public let language: String
        /// The words.
        public let text: String
    }

    /// An alternative in one language.
    public struct AlternativeWords: Sendable, Hashable {
        /// Which kind.
        public let kind: Catalog.Alternative.Kind
        /// The BCP 47 tag.
        public let language: String
        /// What to call it.
        public let title: String
    }
}

extension Catalog {
    /// What access is asked for: a system permission, or a purpose of the app's own.
    ///
    /// ```swift
    /// let purpose: LocalizedText = resource.purpose
    /// let words: LocalizedText.Entry? = purpose.best(for: languages, fallback: "en")
    /// let alternative: Catalog.Alternative? = resource.alternative
    /// let kind: Catalog.Alternative.Kind? = alternative?.kind
    /// ```
    public struct Resource: Sendable, Hashable {
        /// Its name, as events carry it.
        public let id: String
        /// Where a decision about it holds.
        public let scope: Scope
        /// The revision of its meaning; raised only when the meaning changes.
        public let revision: Revision
        /// Which of the system's permissions it is (`camera`, `photos`, `tracking` …); by default
        /// its id.
        public let kind: String
        /// Why access is asked for.
        public let purpose: LocalizedText
        /// The extents that can be asked for; empty when there is only one.
        public let variants: [Extent]
        /// How long a grant holds; nil for good.
        public let validity: Period?
        /// What the person can do instead.
        public let alternative: Alternative?

        /// Whether it is permission to follow a person across other companies' apps and sites.
        public var isTracking: Bool { kind == "tracking" }
    }

    /// What a person can do who does not grant access.
    public struct Alternative: Sendable, Hashable {
        /// The kinds of alternatives.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A picker of the system, which needs no permission.
            case picker
            /// Entering it by hand.
            case manual
        }
        /// Which kind.
        public let kind: Kind
        /// What to call it on the screen.
        public let title: LocalizedText
    }

    /// A screen that explains why, shown before the system's question.
    ///
    /// ```swift
    /// let primer: Catalog.Primer? = catalog.primer(forResource: "camera")
    /// let text: Catalog.PrimerText? = primer?.texts.first { $0.language == "de" }
    /// let benefits: [Catalog.Benefit] = text?.benefits ?? []
    /// ```
    public struct Primer: Sendable, Hashable {
        /// Its name, as events carry it.
        public let id: String
        /// The resources it explains.
        public let resources: [String]
        /// The name of a picture.
        public let systemImage: String?
        /// A colour, `#RRGGBB`.
        public let tint: String?
        /// How long after it was declined or closed it may be shown unasked; nil never.
        public let askAgainAfter: Period?
        /// Its words, one entry a language.
        public let texts: [PrimerText]
    }

    /// The words of a primer in one language.
    public struct PrimerText: Sendable, Hashable {
        /// The BCP 47 tag.
        public let language: String
        /// The headline.
        public let title: String
        /// The explanation.
        public let message: String
        /// What the person gains.
        public let benefits: [Benefit]
        /// The title of the button that leads on.
        public let continueTitle: String
        /// The title of the button that skips; nil where the only way on must be the system's
        /// question.
        public let skipTitle: String?
    }

    /// One thing the person gains.
    public struct Benefit: Sendable, Hashable {
        /// The name of a picture.
        public let systemImage: String?
        /// What it is.
        public let title: String
        /// More about it.
        public let text: String?
    }

    /// What a person may want to do.
    ///
    /// ```swift
    /// let feature: Catalog.Feature? = catalog.feature("suggest-shop")
    /// let needs: [Catalog.Need] = feature?.needs ?? []
    /// let asks: Catalog.Feature.Moment? = feature?.asks
    /// ```
    public struct Feature: Sendable, Hashable {
        /// When a feature may ask for what it needs.
        public enum Moment: String, Sendable, Hashable, CaseIterable {
            /// When the person uses the feature.
            case use
            /// Only when the person asks for it.
            case request
            /// When the app starts.
            case launch
            /// Not at all: another place asks.
            case never
        }
        /// Its name, as events carry it.
        public let id: String
        /// The resources it needs, the one asked for first being first.
        public let needs: [Need]
        /// When it may ask.
        public let asks: Moment
        /// What the person can do instead; nil for the resource's own.
        public let alternative: Alternative?
    }

    /// A resource that a feature needs.
    public struct Need: Sendable, Hashable {
        /// The resource's id.
        public let resource: String
        /// The least that the feature can do its whole work with.
        public let extent: Extent
        /// What is asked for; by default what is needed.
        public let asksFor: Extent
        /// Why nothing less will do, for the reviewer of the catalog.
        public let because: String?
    }
}

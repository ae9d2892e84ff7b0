/// One thing in a catalog that a guideline speaks against.
///
/// ```swift
/// let findings: [LintFinding] = catalog.lint(against: nil)
/// let worst: LintFinding.Severity = .error
/// let errors = findings.filter { $0.severity == worst }
/// ```
public struct LintFinding: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// A store rejects it, the system refuses it, or a consent would not hold.
        case error
        /// A guideline speaks against it; there may be good reasons.
        case warning
    }

    /// The rule's stable name.
    public let id: String
    /// How bad it is.
    public let severity: Severity
    /// The part of the catalog: `primers[camera-why].texts.de.skipTitle`.
    public let place: String
    /// What is wrong.
    public let message: String
    /// The guideline it comes from.
    public let guideline: String
    /// What to do.
    public let fix: String

    /// Everything on one line.
    public var description: String {
        "\(severity.rawValue) \(id) at \(place): \(message) \(fix) (\(guideline))"
    }
}

extension Catalog {
    /// Looks for what the platform's guidelines speak against.
    ///
    /// - Parameter published: the catalog that is in force, to find a meaning that changed without
    ///   a raised revision; nil when there is none. See ``init(publishedResources:platform:)``.
    /// - Returns: the findings, errors first, then in the order of the rules.
    public func lint(against published: Catalog?) -> [LintFinding] {
        let input = LintInput(catalog: self, published: published)
        let findings = LintRule.all.flatMap { rule in
            rule.check(input).map { hit in
                LintFinding(
                    id: rule.id, severity: rule.severity, place: hit.place, message: hit.message,
                    guideline: rule.guideline.text(on: platform), fix: hit.fix)
            }
        }
        return findings.filter { $0.severity == .error }
            + findings.filter { $0.severity == .warning }
    }
}

/// What the rules look at.
struct LintInput {
    let catalog: Catalog
    let published: Catalog?

    var isApple: Bool { catalog.platform == .ios || catalog.platform == .macos }

    /// Whether the system itself asks after a primer: it explains a device-scoped resource.
    func leadsToSystem(_ primer: Catalog.Primer) -> Bool {
        primer.resources.contains { catalog.resource($0)?.scope == .device }
    }
}

/// One place where a rule is broken.
struct LintHit {
    let place: String
    let message: String
    let fix: String
}

/// One rule: a name, a source and a function.
struct LintRule: Sendable {
    let id: String
    let severity: LintFinding.Severity
    let guideline: Guideline
    let check: @Sendable (LintInput) -> [LintHit]

    static let all: [LintRule] = [
        LintRule(
            id: "purpose-missing", severity: .error, guideline: .purpose,
            check: LintRules.purposeMissing),
        LintRule(
            id: "purpose-vague", severity: .warning, guideline: .purpose,
            check: LintRules.purposeVague),
        LintRule(
            id: "primer-skip", severity: .error, guideline: .primer, check: LintRules.primerSkip),
        LintRule(
            id: "primer-allow", severity: .error, guideline: .primer, check: LintRules.primerAllow),
        LintRule(
            id: "primer-no-cancel", severity: .error, guideline: .android,
            check: LintRules.primerNoCancel),
        LintRule(
            id: "resource-not-needed", severity: .warning, guideline: .minimum,
            check: LintRules.resourceNotNeeded),
        LintRule(
            id: "asks-at-launch", severity: .warning, guideline: .inContext,
            check: LintRules.asksAtLaunch),
        LintRule(
            id: "picker-suffices", severity: .warning, guideline: .picker,
            check: LintRules.pickerSuffices),
        LintRule(
            id: "no-alternative", severity: .warning, guideline: .alternative,
            check: LintRules.noAlternative),
        LintRule(
            id: "translation-missing", severity: .warning, guideline: .language,
            check: LintRules.translationMissing),
        LintRule(
            id: "revision-not-raised", severity: .error, guideline: .revision,
            check: LintRules.revisionNotRaised),
        LintRule(
            id: "revision-lowered", severity: .error, guideline: .revision,
            check: LintRules.revisionLowered),
    ]
}

/// Where a rule comes from; the platforms say the same in different places.
enum Guideline: Sendable {
    case purpose, primer, android, minimum, inContext, picker, alternative, language, revision

    private static let requesting =
        "Android, Request runtime permissions, "
        + "https://developer.android.com/training/permissions/requesting"
    private static let privacy =
        "Apple Human Interface Guidelines, Privacy, "
        + "https://developer.apple.com/design/human-interface-guidelines/privacy"

    private static let practices =
        "Web permissions best practices, https://web.dev/articles/permissions-best-practices"

    func text(on platform: Platform) -> String {
        switch platform {
        case .ios, .macos: apple
        case .android: android
        case .web, .xdg: other
        }
    }

    private var apple: String {
        switch self {
        case .purpose: "App Review Guidelines 5.1.1(ii); \(Self.privacy)"
        case .primer, .inContext: Self.privacy
        case .minimum, .picker: "App Review Guidelines 5.1.1(iii), data minimization"
        case .alternative: "App Review Guidelines 5.1.1(iv), access"
        case .android, .language, .revision: other
        }
    }

    private var android: String {
        switch self {
        case .picker:
            "Android, Evaluate whether your app needs to declare permissions, "
                + "https://developer.android.com/training/permissions/evaluating"
        case .language, .revision: other
        default: Self.requesting
        }
    }

    private var other: String {
        switch self {
        case .purpose, .language: "GDPR Art. 7(2) and 12(1), clear and plain language"
        case .minimum, .picker: "GDPR Art. 5(1)(c), data minimisation"
        case .inContext, .alternative: Self.practices
        case .revision: "GDPR Art. 4(11), consent is informed and specific"
        case .primer, .android: Self.requesting
        }
    }
}

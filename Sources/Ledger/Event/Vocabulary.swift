/// What a system or a form grants, from the most to the least restrictive.
///
/// ```swift
/// let found: [PermissionStatus] = [.authorized, .limited, .denied]
/// let holds = found.min()
/// ```
public enum PermissionStatus: UInt8, Sendable, CaseIterable, Comparable, CustomStringConvertible {
    /// Someone else forbids it: a parent, a policy.
    case restricted
    /// The answer was no, or consent was withdrawn.
    case denied
    /// Nobody has decided.
    case notDetermined
    /// Granted quietly without asking (notifications).
    case provisional
    /// Granted for a session.
    case ephemeral
    /// Granted for a part, such as selected photos.
    case limited
    /// Granted.
    case authorized

    /// Whether anything may be used at all.
    public var isGranting: Bool { self >= .provisional }

    /// The status word.
    public var description: String { Self.words[Int(rawValue)] }

    private static let words = [
        "restricted", "denied", "notDetermined", "provisional", "ephemeral", "limited",
        "authorized",
    ]

    /// Reads the status word.
    ///
    /// - Parameter word: as printed by ``description``.
    public init?(_ word: String) {
        guard let index = Self.words.firstIndex(of: word) else { return nil }
        self.init(rawValue: UInt8(index))
    }

    /// Orders by restriction, the most restrictive first.
    public static func < (left: PermissionStatus, right: PermissionStatus) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// How far a grant reaches; an absent dimension is the widest.
///
/// ```swift
/// let granted = Extent(time: .whenInUse, accuracy: .reduced)
/// let need = Extent(time: .whenInUse, accuracy: .precise)
/// let both = granted.intersection(need)
/// ```
public struct Extent: Sendable, Hashable, CustomStringConvertible {
    /// When the resource may be used.
    public enum Time: UInt8, Sendable, CaseIterable { case whenInUse = 1, always }
    /// How exact a location is.
    public enum Accuracy: UInt8, Sendable, CaseIterable { case reduced = 1, precise }
    /// Which items are meant.
    public enum Selection: UInt8, Sendable, CaseIterable { case selected = 1, all }

    /// When; nil is the widest.
    public var time: Time?
    /// How exact; nil is the widest.
    public var accuracy: Accuracy?
    /// Which items; nil is the widest.
    public var selection: Selection?

    /// The widest extent.
    public static let full = Extent()

    /// Makes an extent.
    ///
    /// - Parameters:
    ///   - time: when the resource may be used.
    ///   - accuracy: how exact a location is.
    ///   - selection: which items are meant.
    public init(time: Time? = nil, accuracy: Accuracy? = nil, selection: Selection? = nil) {
        self.time = time
        self.accuracy = accuracy
        self.selection = selection
    }

    /// The code in a payload: two bits a dimension.
    package var code: UInt64 {
        UInt64(time?.rawValue ?? 0) | UInt64(accuracy?.rawValue ?? 0) << 2
            | UInt64(selection?.rawValue ?? 0) << 4
    }

    package init?(code: UInt64) {
        guard code < 64, code & 3 < 3, code >> 2 & 3 < 3, code >> 4 < 3 else { return nil }
        self.init(
            time: Time(rawValue: UInt8(code & 3)),
            accuracy: Accuracy(rawValue: UInt8(code >> 2 & 3)),
            selection: Selection(rawValue: UInt8(code >> 4)))
    }

    /// What both allow.
    ///
    /// - Parameter other: the other extent.
    /// - Returns: in each dimension the narrower of the two.
    public func intersection(_ other: Extent) -> Extent {
        Extent(
            time: narrower(time, other.time), accuracy: narrower(accuracy, other.accuracy),
            selection: narrower(selection, other.selection))
    }

    /// What is meant beside a status: limited access without more words is to selected items.
    package func told(with status: PermissionStatus) -> Extent {
        guard status == .limited, selection == nil else { return self }
        var extent = self
        extent.selection = .selected
        return extent
    }

    /// Whether everything in `need` is allowed here.
    ///
    /// - Parameter need: what is needed; a dimension that is absent there asks for nothing.
    /// - Returns: true when each dimension is at least as wide as needed.
    public func covers(_ need: Extent) -> Bool {
        rank(time) >= rank(need.time, absent: 0) && rank(accuracy) >= rank(need.accuracy, absent: 0)
            && rank(selection) >= rank(need.selection, absent: 0)
    }

    private func narrower<T: RawRepresentable<UInt8>>(_ left: T?, _ right: T?) -> T? {
        rank(left) <= rank(right) ? left : right
    }

    private func rank(_ value: (some RawRepresentable<UInt8>)?, absent: UInt8 = 3) -> UInt8 {
        value?.rawValue ?? absent
    }

    /// The words, joined by `+`; `full` when nothing is narrowed.
    public var description: String {
        let words = [
            time.map { "\($0)" }, accuracy.map { "\($0)" }, selection.map { "\($0)" },
        ].compactMap(\.self)
        return words.isEmpty ? "full" : words.joined(separator: "+")
    }

    /// Reads words joined by `+`, or `full`.
    ///
    /// - Parameter text: for example `whenInUse+reduced`.
    public init?(_ text: String) {
        self.init()
        if text == "full" { return }
        for word in text.split(separator: "+", omittingEmptySubsequences: false) {
            if let value = Time.allCases.first(where: { "\($0)" == word }), time == nil {
                time = value
            } else if let value = Accuracy.allCases.first(where: { "\($0)" == word }),
                accuracy == nil
            {
                accuracy = value
            } else if let value = Selection.allCases.first(where: { "\($0)" == word }),
                selection == nil
            {
                selection = value
            } else {
                return nil
            }
        }
    }
}

/// A closed vocabulary whose words are its case names.
///
/// ```swift
/// func titles<Vocabulary: Word>(of _: Vocabulary.Type) -> [String] {
///     Vocabulary.allCases.map { $0.description }
/// }
/// ```
public protocol Word: RawRepresentable<UInt8>, CaseIterable, Sendable, CustomStringConvertible {}

extension Word {
    /// Reads the word.
    ///
    /// - Parameter word: as printed by `description`.
    public init?(_ word: String) {
        guard let value = Self.allCases.first(where: { "\($0)" == word }) else { return nil }
        self = value
    }
}

/// Where a fact holds.
///
/// ```swift
/// var agreed = Draft.allowed("child", resource: "newsletter", at: nil)
/// agreed.payload.scope = .person
/// ```
public enum Scope: UInt8, Word {
    /// On one install of the app on one device.
    case device
    /// For the person everywhere.
    case person
    /// The word.
    public var description: String { self == .device ? "device" : "person" }
}

/// Who decided.
///
/// ```swift
/// agreed.payload.authority = .guardian
/// let decider: Authority = status.authority
/// ```
public enum Authority: UInt8, Word {
    /// The person.
    case person
    /// A parent or guardian.
    case guardian
    /// A device or organisation policy.
    case policy
    /// The operating system.
    case system
    /// Nobody: it was so from the start.
    case `default`
    /// Not known.
    case unknown

    /// Whether an act may come from here.
    public var mayAct: Bool { self == .person || self == .guardian }
    /// The word.
    public var description: String {
        ["person", "guardian", "policy", "system", "default", "unknown"][Int(rawValue)]
    }
}

/// What became of a primer, a prompt or a form.
///
/// ```swift
/// let outcome = Outcome.dismissed
/// var closed = Draft.answered("me", resource: "camera", at: phone, outcome)
/// ```
public enum Outcome: UInt8, Word {
    /// The primer's way on was taken.
    case continued
    /// The primer's skip was taken.
    case declined
    /// The primer was closed another way.
    case closed
    /// The prompt or form was answered yes.
    case allowed
    /// The prompt or form was answered no, or consent was withdrawn.
    case denied
    /// The prompt was closed without a choice.
    case dismissed
    /// The prompt ran out of time.
    case timedOut
    /// The prompt was not shown: the system refused to put it. On Android, recorded after a denial,
    /// it says that the denial is final.
    case notShown
    /// The prompt was cut off, for example by the end of the process.
    case interrupted

    /// Whether it changes a status.
    public var isDeciding: Bool { self == .allowed || self == .denied }
    /// Whether it answers a primer.
    public var answersPrimer: Bool { self == .continued || self == .declined || self == .closed }
    /// The word.
    public var description: String {
        [
            "continued", "declined", "closed", "allowed", "denied", "dismissed", "timedOut",
            "notShown", "interrupted",
        ][Int(rawValue)]
    }
}

/// What an event records.
///
/// Codes are part of the format; unknown ones are kept and forwarded.
///
/// ```swift
/// let kind = EventKind("answerGiven")
/// let later = EventKind(code: 300)
/// ```
public struct EventKind: Hashable, Sendable, CustomStringConvertible {
    /// The code in the header.
    public let code: UInt16

    /// Makes a kind from its code, known or not.
    ///
    /// - Parameter code: the code in the header.
    public init(code: UInt16) { self.code = code }

    /// The first event of every log.
    public static let logOpened = EventKind(code: 1)
    /// A primer was on the screen.
    public static let primerShown = EventKind(code: 2)
    /// The system, or a form, put its question.
    public static let promptAsked = EventKind(code: 3)
    /// What the person did with a primer, a prompt or a form.
    public static let answerGiven = EventKind(code: 4)
    /// The system reports something else than before.
    public static let settingsChanged = EventKind(code: 5)
    /// One unit of a catalog with its words.
    public static let catalogPublished = EventKind(code: 6)
    /// A replica was admitted.
    public static let memberAdmitted = EventKind(code: 7)
    /// A replica was removed.
    public static let memberRemoved = EventKind(code: 8)
    /// A subject was erased.
    public static let erased = EventKind(code: 9)

    /// Every kind this version knows, by code.
    public static let known: [EventKind] = [
        .logOpened, .primerShown, .promptAsked, .answerGiven, .settingsChanged, .catalogPublished,
        .memberAdmitted, .memberRemoved, .erased,
    ]

    private static let names = [
        "logOpened", "primerShown", "promptAsked", "answerGiven", "settingsChanged",
        "catalogPublished", "memberAdmitted", "memberRemoved", "erased",
    ]

    /// Whether this version knows what the kind means.
    public var isKnown: Bool { code >= 1 && code <= UInt16(Self.names.count) }

    /// Whether events of this kind tell who may write.
    var isAboutMembers: Bool { self == .memberAdmitted || self == .memberRemoved }

    /// The kind's name, or `unknown-N`.
    public var description: String {
        isKnown ? Self.names[Int(code) - 1] : "unknown-\(code)"
    }

    /// Reads a kind's name.
    ///
    /// - Parameter name: as printed by ``description``.
    public init?(_ name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        self.init(code: UInt16(index + 1))
    }
}

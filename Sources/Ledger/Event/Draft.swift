/// One installation of the app on one device.
///
/// ```swift
/// let phone = Place(device: "phone", install: "1")
/// try ledger.append(.allowed("me", resource: "camera", at: phone))
/// ```
public struct Place: Sendable, Hashable {
    /// The device's name or id.
    public let device: String
    /// The installation's id; make a new one after a reinstall or a reset.
    public let install: String

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - device: the device's name or id.
    ///   - install: the installation's id.
    public init(device: String, install: String) {
        self.device = device
        self.install = install
    }
}

/// An event before it is recorded: the ledger adds log, sequence, time, salt and edges.
///
/// ```swift
/// let asked = try ledger.append(.promptAsked("me", resource: "camera", at: phone))
/// var answer = Draft.allowed("me", resource: "camera", at: phone)
/// answer.payload.answers = asked.event.id
/// answer.expect = before.evidence
/// let receipt = try ledger.append(answer)
/// ```
public struct Draft: Sendable, Hashable {
    /// What it records.
    public var kind: EventKind
    /// What it says.
    public var payload: Payload
    /// Whether a reader that does not understand it must not grant on it.
    public var isCritical = false
    /// Fail unless exactly these events are in force for the key; nil asks nothing.
    ///
    /// A denial never fails.
    public var expect: [EventID]?
    /// How long a grant holds, as its catalog says; nil for good.
    ///
    /// Sets the end of an answer that allows and names none, counted from when it is recorded, or
    /// from when it happened where that was earlier.
    public var validity: Period?

    /// Makes a draft.
    ///
    /// - Parameters:
    ///   - kind: what it records.
    ///   - payload: what it says.
    public init(_ kind: EventKind, _ payload: Payload) {
        self.kind = kind
        self.payload = payload
    }

    private init(
        _ kind: EventKind, _ subject: String, _ resource: String, _ place: Place?,
        _ outcome: Outcome? = nil
    ) {
        var payload = Payload()
        payload.subject = subject
        payload.resource = resource
        payload.device = place?.device
        payload.install = place?.install
        payload.outcome = outcome
        self.init(kind, payload)
    }

    /// A primer was on the screen.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what it explains.
    ///   - place: where.
    /// - Returns: the draft; add `primer`, `unit` and `locale` for what was shown.
    public static func primerShown(_ subject: String, resource: String, at place: Place?) -> Draft {
        Draft(.primerShown, subject, resource, place)
    }

    /// The system, or a form, put its question.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what is asked for.
    ///   - place: where; nil for a person-scoped form.
    /// - Returns: the draft.
    public static func promptAsked(_ subject: String, resource: String, at place: Place?) -> Draft {
        Draft(.promptAsked, subject, resource, place)
    }

    /// The person answered yes to a prompt or form.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what was asked for.
    ///   - place: where; nil for a person-scoped form.
    /// - Returns: the draft.
    public static func allowed(_ subject: String, resource: String, at place: Place?) -> Draft {
        Draft(.answerGiven, subject, resource, place, .allowed)
    }

    /// The person answered no to a prompt or form, or withdrew.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what was asked for.
    ///   - place: where; nil for a person-scoped form.
    /// - Returns: the draft.
    public static func denied(_ subject: String, resource: String, at place: Place?) -> Draft {
        Draft(.answerGiven, subject, resource, place, .denied)
    }

    /// A primer, prompt or form ended, whatever way.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what it was about.
    ///   - place: where; nil for a person-scoped form.
    ///   - outcome: how it ended.
    /// - Returns: the draft; add `answers` for what it ended.
    public static func answered(
        _ subject: String, resource: String, at place: Place?, _ outcome: Outcome
    ) -> Draft {
        Draft(.answerGiven, subject, resource, place, outcome)
    }

    /// The system reports a status.
    ///
    /// - Parameters:
    ///   - subject: the person.
    ///   - resource: what it is about.
    ///   - place: where; nil for a person-scoped resource.
    ///   - status: what it reports.
    /// - Returns: the draft.
    public static func observed(
        _ subject: String, resource: String, at place: Place?, _ status: PermissionStatus
    ) -> Draft {
        var draft = Draft(.settingsChanged, subject, resource, place)
        draft.payload.status = status
        return draft
    }
}

/// What became of a draft.
///
/// ```swift
/// answer.payload.idempotencyKey = "form-17"
/// let first: Receipt = try ledger.append(answer)
/// let again: Receipt = try ledger.append(answer)
/// let isSame = again.event.id == first.event.id && !again.isNew
/// ```
public struct Receipt: Sendable, Hashable {
    /// The recorded event: the new one, or the one recorded earlier for the same call.
    public let event: Event
    /// False when the same content was recorded before and nothing was written.
    public let isNew: Bool
}

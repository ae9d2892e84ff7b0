/// The rules at the door that need no knowledge of what is recorded already.
enum DraftRules {
    private static let noteBytesMax = 16_384
    private static let buttonsMax = 16

    static func check(_ draft: Draft) throws(LedgerError) {
        let payload = draft.payload
        try checkNames(payload)
        switch draft.kind {
        case .primerShown, .promptAsked: try checkKey(payload)
        case .answerGiven:
            try checkKey(payload)
            try checkAnswer(payload)
        case .settingsChanged:
            try checkKey(payload)
            guard payload.status != nil else {
                throw LedgerError(.invalid, "An observation needs the status it reports; add one.")
            }
            guard payload.outcome == nil, payload.answers == nil else {
                throw LedgerError(
                    .invalid, "An observation is nobody's answer; leave outcome and answers out.")
            }
        case .catalogPublished:
            guard payload.unitKind != nil, payload.unitContent != nil else {
                throw LedgerError(.invalid, "A published unit needs its kind and content.")
            }
        default:
            throw LedgerError(
                .invalid, "Events of kind \(draft.kind) are not recorded this way.")
        }
        try checkTimes(draft)
    }

    private static func checkKey(_ payload: Payload) throws(LedgerError) {
        guard payload.subject != nil else {
            throw LedgerError(.invalid, "The subject is missing; say whom it is about.")
        }
        guard payload.resource != nil else {
            throw LedgerError(.invalid, "The resource is missing; say what it is about.")
        }
        guard payload.scope == .person || (payload.device != nil && payload.install != nil) else {
            throw LedgerError(
                .invalid,
                "A device-scoped event needs device and install; add them, or set the scope to "
                    + "person.")
        }
    }

    private static func checkAnswer(_ payload: Payload) throws(LedgerError) {
        guard let outcome = payload.outcome else {
            throw LedgerError(.invalid, "The outcome is missing; say how it was answered.")
        }
        guard outcome.isDeciding else {
            guard payload.status == nil, payload.end == nil else {
                throw LedgerError(
                    .invalid, "An answer that decides nothing carries no status and no end.")
            }
            return
        }
        guard payload.authority?.mayAct ?? true else {
            throw LedgerError(
                .invalid,
                "Only the person or a guardian allows or denies; record an observation instead.")
        }
        if outcome == .allowed {
            guard payload.status?.isGranting ?? true else {
                throw LedgerError(.invalid, "An answer that allows carries a granting status.")
            }
        } else {
            guard payload.end == nil else {
                throw LedgerError(.invalid, "A denial has no end; leave it out.")
            }
            guard payload.status == nil || payload.status == .denied else {
                throw LedgerError(.invalid, "An answer that denies carries no other status.")
            }
        }
    }

    private static func checkTimes(_ draft: Draft) throws(LedgerError) {
        let payload = draft.payload
        if draft.kind == .settingsChanged, payload.end != nil, payload.status?.isGranting != true {
            throw LedgerError(.invalid, "A denial has no end; leave it out.")
        }
        if let start = payload.windowStart, let end = payload.windowEnd, start > end {
            throw LedgerError(.invalid, "The window of the observation ends before it begins.")
        }
    }

    private static func checkNames(_ payload: Payload) throws(LedgerError) {
        try check(payload.subject, "subject")
        try check(payload.device, "device")
        try check(payload.install, "install")
        try check(payload.resource, "resource")
        try check(payload.feature, "feature")
        try check(payload.primer, "primer")
        try check(payload.locale, "locale")
        try check(payload.application, "application")
        try check(payload.applicationVersion, "application version")
        try check(payload.signingIdentity, "signing identity")
        try check(payload.surface, "surface")
        try check(payload.source, "source")
        try check(payload.idempotencyKey, "idempotency key")
        if let buttons = payload.buttons {
            guard buttons.count <= buttonsMax else {
                throw LedgerError(.limit, "More than \(buttonsMax) buttons; name fewer.")
            }
            for button in buttons { try check(button, "button") }
        }
        if let note = payload.note, note.utf8.count > noteBytesMax {
            throw LedgerError(.limit, "The note has more than \(noteBytesMax) bytes; shorten it.")
        }
    }

    private static func check(_ name: String?, _ field: String) throws(LedgerError) {
        if let name { try Identifier.validate(name, field: field) }
    }
}

internal import Ledger

/// What became of a draft, as commands report it.
struct Recorded: Sendable, Equatable {
    let id: EventID
    let isNew: Bool

    init(_ receipt: Receipt) {
        id = receipt.event.id
        isNew = receipt.isNew
    }

    /// An event that was recorded earlier.
    init(earlier event: Event) {
        id = event.id
        isNew = false
    }
}

/// One click is one record: the same answer to the same question again adds nothing.
enum RepeatedAnswer {
    /// Appends a draft, unless it repeats the answer in force to the question that it names.
    static func append(_ draft: Draft, to ledger: Ledger) throws(LedgerError) -> Recorded {
        guard draft.kind == .answerGiven, draft.payload.answers != nil,
            draft.payload.idempotencyKey == nil, let subject = draft.payload.subject,
            let resource = draft.payload.resource
        else { return Recorded(try ledger.append(draft)) }
        var place: Place?
        if let device = draft.payload.device, let install = draft.payload.install {
            place = Place(device: device, install: install)
        }
        let status = try ledger.status(StatusQuery(subject, resource: resource, at: place))
        for id in status.evidence {
            if let event = try ledger.event(id)?.event, repeats(draft, event) {
                return Recorded(earlier: event)
            }
        }
        var keyed = draft
        // Two that run at the same time see the same events in force and so make the same key.
        let inForce = status.evidence.flatMap(\.bytes)
        let digest = try Crypto.sha256(draft.payload.encoded + inForce)
        keyed.payload.idempotencyKey = "answer/" + Base32.encode(digest.bytes)
        return Recorded(try ledger.append(keyed))
    }

    private static func repeats(_ draft: Draft, _ event: Event) -> Bool {
        guard event.header.kind == .answerGiven, let payload = event.payload else { return false }
        let new = draft.payload
        return payload.answers == new.answers && payload.outcome == new.outcome
            && (new.status == nil || payload.status == new.status)
            && (new.extent == nil || payload.extent == new.extent)
            && (new.authority == nil || payload.authority == new.authority)
            && (new.end == nil || payload.end == new.end)
    }
}

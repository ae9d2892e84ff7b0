/// What one event contributes to the projection; every judgement about content is made here.
struct Fact: Sendable {
    /// A deciding event's contribution.
    struct Decision: Sendable, Hashable {
        var status: PermissionStatus
        var extent: Extent
        var authority: Authority
        var end: Int64?
        var revision: Revision?
        var signingIdentity: String?
        var isAct: Bool
        var isUndecodable = false
        var isDoubtful: Bool
    }

    enum Role: Sendable {
        case decides(Decision)
        case primerShown
        case promptAsked(variant: Extent)
        case primerAnswered(Outcome, unit: Bytes32?)
        case undecided(variant: Extent, isRefusal: Bool)
        /// Deciding, but not even its key can be read: it weighs on every key of its subject.
        case blocks
        /// Its subject was erased.
        case erases
        case nothing
    }

    let id: EventID
    var row: Int64
    let timestamp: Timestamp
    var replaces: [EventID]
    /// The event an answer names, and the variant it was asked for.
    var answers: EventID?
    var variant: Extent = .full
    let tag: SubjectTag
    var key: StateKey?
    var role: Role

    var keyDigest: KeyDigest? { key?.digest }
}

/// The fields of a payload that it is judged by.
struct FactFields {
    var scope: Scope?
    var outcome: Outcome?
    var status: PermissionStatus?
    var extent: Extent?
    var authority: Authority?
    var answers: EventID?
    var unit: Bytes32?
    var revision: Revision?
    var askedExtent: Extent?
    var wall: Int64?
    var end: Int64?
    var signingIdentity: String?
    var hasSource = false
    var hasUnknownFields = false

    init() {}

    init(_ payload: Payload) {
        let fields = payload.fields
        scope = fields.scope
        outcome = fields.outcome
        status = fields.status
        extent = fields.extent
        authority = fields.authority
        answers = fields.answers
        unit = fields.unit
        revision = fields.revision
        askedExtent = fields.askedExtent
        wall = fields.wall
        end = fields.end
        signingIdentity = fields.signingIdentity
        hasSource = fields.source != nil
        hasUnknownFields = fields.hasUnknownFields
    }
}

extension Fact {
    /// Judges a stored event.
    init(_ event: Event, row: Int64) {
        self.init(event.id, event.header, event.payload, row: row)
        if case .erases = role { return }
        switch event.content {
        case .payload, .erased: break
        case .opening, .admission, .removal: role = .nothing
        case .undecodable:
            key = LenientKey.read(event.payloadBytes, tag: tag)
            blockIfDeciding(event.header)
        case .missing: blockIfDeciding(event.header)
        }
    }

    /// Judges an event whose payload is at hand.
    ///
    /// - Parameters:
    ///   - id: the event's id.
    ///   - header: its header.
    ///   - payload: its payload; nil when it is not here or is about something else.
    ///   - row: where it is stored.
    ///   - known: the key, where the writer has it already.
    init(
        _ id: EventID, _ header: EventHeader, _ payload: Payload?, row: Int64,
        key known: StateKey? = nil
    ) {
        self.init(id, header, row: row)
        guard let payload, tag != .none, header.kind != .erased else { return }
        key = known ?? Self.key(payload, tag)
        judge(FactFields(payload), header)
    }

    /// Judges an event from its stored bytes, without making anything of them that is not judged.
    ///
    /// - Parameters:
    ///   - id: the event's id.
    ///   - header: its header.
    ///   - body: what is known of its content.
    ///   - row: where it is stored.
    init(_ id: EventID, _ header: EventHeader, _ body: ScannedBody, row: Int64) {
        self.init(id, header, row: row)
        if case .erases = role { return }
        switch body {
        case .payload(let scan):
            guard tag != .none else { return }
            key = Self.key(scan, tag)
            judge(scan.fields, header)
        case .other, .erased: break
        case .undecodable(let payload):
            key = LenientKey.read([UInt8](payload), tag: tag)
            blockIfDeciding(header)
        case .missing: blockIfDeciding(header)
        }
    }

    private init(_ id: EventID, _ header: EventHeader, row: Int64) {
        self.id = id
        self.row = row
        timestamp = header.timestamp
        replaces = header.replaces
        tag = header.subjectTag
        // It counts by its tag, whatever became of its payload.
        role = header.kind == .erased && tag != .none ? .erases : .nothing
    }

    private mutating func judge(_ fields: FactFields, _ header: EventHeader) {
        answers = fields.answers
        variant = fields.askedExtent ?? .full
        if header.isCritical && (!header.kind.isKnown || fields.hasUnknownFields) {
            blockIfDeciding(header)
            return
        }
        role = Self.role(header.kind, fields, isPersonScoped: key?.isPersonScoped ?? false)
        if case .decides(var decision) = role {
            decision.isDoubtful = Self.isDoubtful(header.timestamp, fields.wall)
            role = .decides(decision)
        }
        if key == nil, header.kind == .answerGiven || header.kind == .settingsChanged {
            blockIfDeciding(header)
        }
    }

    private static func key(_ payload: Payload, _ tag: SubjectTag) -> StateKey? {
        guard let resource = payload.resource else { return nil }
        if payload.scope == .person { return StateKey(tag: tag, resource: resource, place: nil) }
        if payload.isBareDenial {
            return StateKey(tag: tag, resource: resource, place: .everywhere)
        }
        guard let device = payload.device, let install = payload.install else { return nil }
        return StateKey(
            tag: tag, resource: resource, place: Place(device: device, install: install))
    }

    private static func key(_ scan: PayloadScan, _ tag: SubjectTag) -> StateKey? {
        guard let resource = scan.resource else { return nil }
        if scan.fields.scope == .person { return StateKey(tag: tag, resource: resource) }
        if scan.isBareDenial {
            let name = String(decoding: resource, as: UTF8.self)
            return StateKey(tag: tag, resource: name, place: .everywhere)
        }
        guard let device = scan.device, let install = scan.install else { return nil }
        return StateKey(tag: tag, resource: resource, device: device, install: install)
    }

    private static func role(
        _ kind: EventKind, _ payload: FactFields, isPersonScoped: Bool
    ) -> Role {
        switch kind {
        case .primerShown: return .primerShown
        case .promptAsked: return .promptAsked(variant: payload.askedExtent ?? .full)
        case .answerGiven: return answerRole(payload)
        case .settingsChanged:
            guard let status = payload.status else { return .blocks }
            // A person's consent is never made by an observation.
            if isPersonScoped, status.isGranting { return .nothing }
            return .decides(
                Decision(
                    status: status, extent: payload.extent ?? .full,
                    authority: observer(payload),
                    end: status.isGranting ? payload.end : nil, revision: nil,
                    signingIdentity: payload.signingIdentity, isAct: false, isDoubtful: false))
        default: return .nothing
        }
    }

    /// Who changed it, as far as it is known: that a person did is only a claim of an import.
    private static func observer(_ payload: FactFields) -> Authority {
        let authority = payload.authority ?? .unknown
        return payload.hasSource && authority.mayAct ? .unknown : authority
    }

    private static func answerRole(_ payload: FactFields) -> Role {
        guard let outcome = payload.outcome else { return .blocks }
        if outcome.answersPrimer { return .primerAnswered(outcome, unit: payload.unit) }
        guard outcome.isDeciding else {
            return .undecided(
                variant: payload.askedExtent ?? .full, isRefusal: outcome == .notShown)
        }
        // An act by anyone else than the person or a guardian is void.
        let authority = payload.authority ?? .person
        guard authority.mayAct else { return .nothing }
        let status = outcome == .denied ? .denied : payload.status ?? .authorized
        // An answer that allows and says otherwise contradicts itself: nothing is granted by it.
        guard outcome == .denied || status.isGranting else { return .decides(.unreadable) }
        return .decides(
            Decision(
                status: status,
                extent: outcome == .denied ? .full : payload.extent ?? .full,
                authority: authority, end: outcome == .denied ? nil : payload.end,
                revision: payload.revision, signingIdentity: payload.signingIdentity,
                isAct: true, isDoubtful: false))
    }

    private static func isDoubtful(_ timestamp: Timestamp, _ wall: Int64?) -> Bool {
        guard let wall else { return false }
        let (difference, overflow) = wall.subtractingReportingOverflow(timestamp.milliseconds)
        return overflow || difference.magnitude > UInt64(HybridClock.aheadMillisecondsMax)
    }

    /// What cannot be read counts against the grant it may have ended.
    private mutating func blockIfDeciding(_ header: EventHeader) {
        let decides =
            header.kind == .answerGiven || header.kind == .settingsChanged || header.isCritical
        guard decides, tag != .none else {
            role = .nothing
            return
        }
        guard key != nil else {
            role = .blocks
            return
        }
        role = .decides(.unreadable)
    }
}

extension Fact.Decision {
    /// What counts as not granted until a deciding event names it.
    fileprivate static let unreadable = Fact.Decision(
        status: .notDetermined, extent: .full, authority: .unknown, end: nil, revision: nil,
        signingIdentity: nil, isAct: false, isUndecodable: true, isDoubtful: false)
}

/// Reads the key of a payload that this version does not understand as a whole.
private enum LenientKey {
    static func read(_ bytes: [UInt8], tag: SubjectTag) -> StateKey? {
        guard let fields = try? FieldMap(bytes),
            case .text(let resource) = fields.value(Payload.Key.resource)
        else { return nil }
        switch fields.value(Payload.Key.scope) {
        case .unsigned(1): return StateKey(tag: tag, resource: resource, place: nil)
        case nil, .unsigned(0):
            guard case .text(let device) = fields.value(Payload.Key.device),
                case .text(let install) = fields.value(Payload.Key.install)
            else { return nil }
            return StateKey(
                tag: tag, resource: resource, place: Place(device: device, install: install))
        default: return nil
        }
    }
}

@testable import Ledger

/// One sample event with everything that its id is computed from.
struct VectorEvent {
    let name: String
    let header: EventHeader
    let salt: [UInt8]
    let payload: [UInt8]
    let id: EventID
    /// What the payload says, by the names of the format's field table; nil for none we know.
    let meaning: JSON?

    func json() -> JSON {
        var fields: [(String, JSON)] = [
            ("name", .text(name)),
            ("log", .hex(header.log.bytes)),
            ("sequence", .number(Int64(header.sequence))),
            ("milliseconds", .number(header.timestamp.milliseconds)),
            ("counter", .number(Int64(header.timestamp.counter))),
            ("kind", .number(Int64(header.kind.code))),
            ("kindName", .text(header.kind.description)),
            ("critical", .flag(header.isCritical)),
            ("replaces", .list(header.replaces.map { .hex($0.bytes) })),
            ("subjectTag", .hex(header.subjectTag.bytes)),
            ("salt", .hex(salt)),
        ]
        if let meaning { fields.append(("fields", meaning)) }
        return .object(
            fields + [
                ("payload", .hex(payload)),
                ("commitment", .hex(header.commitment.bytes)),
                ("header", .hex(header.bytes)),
                ("id", .hex(id.bytes)),
                ("idText", .text(id.description)),
            ])
    }
}

/// Builds the sample events, each in its log after the ones before it.
struct VectorEvents {
    let identity: VectorIdentity
    private(set) var events: [VectorEvent] = []
    private var sizes: [LogID: UInt64] = [:]

    init() throws {
        identity = try VectorIdentity()
        try addOpening()
        try addPhone()
        try addPerson()
        try addRest()
        try addContinuation()
        try addAdmissionWithKeys()
    }

    func events(of log: LogID) -> [VectorEvent] { events.filter { $0.header.log == log } }

    private mutating func add(
        _ name: String, _ kind: EventKind, _ payload: [UInt8], _ meaning: JSON?,
        subject: String? = nil, replaces: [EventID] = [], isCritical: Bool = false,
        log: Int = 0, counter: UInt64 = 0
    ) throws {
        let log = identity.logs[log]
        let sequence = sizes[log, default: 0]
        let salt = [UInt8](repeating: UInt8(events.count + 1), count: 16)
        let tag = try subject.map { try identity.tag($0) } ?? .none
        let milliseconds = 1_772_000_000_000 + 1000 * UInt64(events.count)
        let header = EventHeader(
            log: log, sequence: sequence, timestamp: Timestamp(value: milliseconds << 16 | counter),
            kind: kind, isCritical: isCritical, replaces: replaces.sorted(), subjectTag: tag,
            payloadLength: payload.count, commitment: try Crypto.sha256(salt + payload))
        let id = EventID(raw: try Crypto.sha256([0] + header.bytes))
        sizes[log] = sequence + 1
        events.append(
            VectorEvent(
                name: name, header: header, salt: salt, payload: payload, id: id, meaning: meaning))
    }

    private mutating func add(
        _ name: String, _ kind: EventKind, replaces: [EventID] = [], counter: UInt64 = 0,
        _ fill: (inout Payload) -> Void
    ) throws {
        var payload = Payload()
        fill(&payload)
        try add(
            name, kind, payload.encoded, payload.vectorFields, subject: payload.subject,
            replaces: replaces, counter: counter)
    }

    private mutating func addOpening() throws {
        let opening = LogOpening(
            replica: identity.replica, epoch: identity.epochs[0],
            sealingKey: identity.sealing.publicKey,
            founding: .init(recoveryKey: identity.recovery.publicKey, nonce: identity.nonce),
            continues: nil, reason: .new)
        try add(
            "the founder opens its first log", .logOpened, opening.encoded, opening.vectorFields)
    }

    private static func place(_ payload: inout Payload) {
        payload.subject = "me"
        payload.device = "phone"
        payload.install = "1"
        payload.resource = "camera"
        payload.scope = .device
    }

    private mutating func addPhone() throws {
        let unit = try VectorIdentity.unitDigest(VectorIdentity.unit)
        try add("a primer is shown", .primerShown) {
            Self.place(&$0)
            $0.unit = unit
            $0.revision = Revision("1.10")
            $0.locale = "de-AT"
            $0.feature = "scan-receipt"
            $0.primer = "camera-primer"
        }
        try add("the system asks", .promptAsked, counter: 1) {
            Self.place(&$0)
            $0.askedExtent = Extent(time: .whenInUse)
        }
        let question = events[2].id
        try add("the person allows", .answerGiven, counter: 65_535) {
            Self.place(&$0)
            $0.outcome = .allowed
            $0.status = .limited
            $0.extent = Extent(time: .whenInUse, accuracy: .reduced, selection: .selected)
            $0.authority = .person
            $0.answers = question
        }
        let grant = events[3].id
        try add("settings changed", .settingsChanged, replaces: [grant]) {
            Self.place(&$0)
            $0.status = .denied
            $0.authority = .unknown
            $0.oldStatus = .limited
            $0.oldExtent = Extent(selection: .all)
            $0.windowStart = 1_771_999_999_999
            $0.windowEnd = 1_772_000_000_000
            $0.wall = -1
        }
    }

    private mutating func addPerson() throws {
        try add("a guardian allows on paper", .answerGiven) {
            $0.subject = "caf\u{E9}"
            $0.resource = "marketing-email"
            $0.scope = .person
            $0.outcome = .allowed
            $0.authority = .guardian
            $0.end = 4_102_444_800_000
            $0.occurredAt = -1_000_000_000_000
            $0.application = "org.example.app"
            $0.applicationVersion = "4.2.0"
            $0.signingIdentity = "EXAMPLE123"
            $0.surface = "paper form"
            $0.buttons = ["Yes", "No"]
            $0.idempotencyKey = "form-17"
            $0.source = "scanner"
            $0.note = "\u{1F9D1}\u{200D}\u{1F4BB}"
        }
        let grants = [events[3].id, events[5].id]
        try add("the same person by another spelling", .answerGiven, replaces: grants) {
            $0.subject = "cafe\u{301}"
            $0.resource = "marketing-email"
            $0.scope = .person
            $0.outcome = .denied
        }
    }

    private mutating func addRest() throws {
        try add("a unit of a catalog", .catalogPublished) {
            $0.resource = "camera"
            $0.unitKind = .resource
            $0.unitContent = VectorIdentity.unit
        }
        let tablet = ReplicaID(raw: try SigningKey(seed: VectorIdentity.ramp(0x61, 32)).publicKey)
        let admission = MemberAdmission(
            replica: tablet, name: "tablet", overrules: [events[1].id, events[0].id])
        try add("a member", .memberAdmitted, admission.encoded, admission.vectorFields)
        let root = try Crypto.sha256([1])
        var fields = FieldWriter()
        fields.bytes(40, tablet.raw)
        let point: [CBORValue] = [
            .bytes(identity.logs[1].bytes), .unsigned(300), .bytes(root.bytes),
        ]
        fields.value(52, .array([.array(point)]))
        fields.number(53, 1)
        let sealed: [CBORValue] = [.bytes(identity.replica.bytes), .bytes([1, 2, 3])]
        fields.value(54, .array([.array(sealed)]))
        let bytes = fields.finish()
        let removal = try MemberRemoval(encoded: bytes)
        try add("a removal", .memberRemoved, bytes, removal.vectorFields)
        try add("an erasure", .erased, Payload().encoded, .object([]), subject: "me")
        try add(
            "a kind of a later version", EventKind(code: 300), [0xA1, 0x18, 0x63, 0x81, 0xF6], nil,
            subject: "me", isCritical: true)
        try add(
            "a field of a later version", .promptAsked,
            [0xA2, 0x01, 0x62, 0x6D, 0x65, 0x19, 0x01, 0x2C, 0xA2, 0x18, 0x64, 0xF5, 0x20, 0xF4],
            nil, subject: "me")
    }

    private mutating func addContinuation() throws {
        let known = events(of: identity.logs[0])
        var frontier = MerkleFrontier()
        let digester = try Digester()
        for event in known { frontier.append(event.id.raw, digester) }
        let opening = LogOpening(
            replica: identity.replica, epoch: identity.epochs[1],
            sealingKey: identity.sealing.publicKey, founding: nil,
            continues: .init(
                log: identity.logs[0], size: UInt64(known.count), root: frontier.root(digester)),
            reason: .restored)
        try add(
            "the founder goes on in a new log", .logOpened, opening.encoded, opening.vectorFields,
            log: 1)
    }

    /// Who came with a token gets all secrets of the folder; what is sealed is not looked into here.
    private mutating func addAdmissionWithKeys() throws {
        guard let removal = events.first(where: { $0.header.kind == .memberRemoved }) else {
            return
        }
        let desk = ReplicaID(raw: try SigningKey(seed: VectorIdentity.ramp(0x81, 32)).publicKey)
        let admission = MemberAdmission(
            replica: desk, name: "desk",
            folderKeys: [
                .init(generation: 1, removal: removal.id, bytes: VectorIdentity.ramp(1, 80)),
                .init(generation: 24, removal: events[0].id, bytes: VectorIdentity.ramp(81, 80)),
            ])
        try add(
            "a member that came with a token", .memberAdmitted, admission.encoded,
            admission.vectorFields, log: 1)
    }

    func json() -> JSON { .list(events.map { $0.json() }) }
}

import Ledger

/// splitmix64 (Steele, Lea, Flood 2014), the same as in the baselines.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The names that the stream draws from; made once, so that making them is not measured.
struct Names {
    static let subjectCount = 10_000
    static let resources = [
        "camera", "microphone", "location", "contacts", "photos", "notifications", "calendar",
        "motion",
    ]
    static let features = [
        "scanReceipt", "voiceMemo", "findNearby", "inviteFriend", "profilePhoto", "dailyReminder",
        "eventImport", "stepCounter", "videoCall", "liveCaption", "mapRoute", "syncContacts",
        "pickAttachment", "alerts", "schedule", "fallDetect", "arPreview", "dictation", "geoFence",
        "shareCard", "albumBackup", "quietHours", "meetingNotes", "workoutLog",
    ]
    static let versions = [
        "4.0.0", "4.0.1", "4.1.0", "4.1.1", "4.2.0", "4.2.3", "4.3.0", "5.0.0",
    ]
    static let locales = [
        "en-US", "de-DE", "fr-FR", "ja-JP", "pt-BR", "es-ES", "it-IT", "nl-NL",
    ]

    let subjects: [String]
    let places: [Place]
    let units: [Bytes32]
    let revisions: [Revision?]

    init() {
        subjects = (0..<Self.subjectCount).map { number in
            let digits = String(number)
            return "subj-" + String(repeating: "0", count: 6 - digits.count) + digits
        }
        places = (0..<UInt64(Self.subjectCount)).map { number in
            var owner = SplitMix(state: number)
            let device = String(owner.next(), radix: 16)
            let zeros = String(repeating: "0", count: 16 - device.count)
            return Place(device: zeros + device, install: "1")
        }
        var noise = SplitMix(state: 0xC0FFEE)
        units = (0..<Self.features.count * 4).compactMap { _ in
            let words = (0..<4).map { _ in noise.next() }
            return Bytes32(words.flatMap { word in (0..<8).map { UInt8(word >> ($0 * 8) & 0xFF) } })
        }
        revisions = (1...4).map { Revision(String($0)) }
    }
}

/// The seeded stream of events; draws the same subjects, resources, kinds and outcomes as the
/// baselines' in C.
struct EventStream {
    /// What one event is about, before it becomes a draft.
    struct Drawn {
        let subject: Int
        let resource: Int
        let kind: Int
        let outcome: Outcome
        let feature: Int
        let version: Int
        let application: Int

        var key: Int { subject * 8 + resource }
    }

    enum Outcome: UInt8 { case none, granted, denied, limited, revoked, undetermined }

    private static let answers: [Outcome] = [
        .granted, .granted, .granted, .denied, .denied, .limited, .granted, .denied,
    ]

    let names: Names
    private var choices: SplitMix
    private var standing = [Outcome](repeating: .none, count: Names.subjectCount * 8)
    private var openPrompts = [EventID?](repeating: nil, count: Names.subjectCount * 8)
    private(set) var digest: UInt64 = 0

    init(seed: UInt64, names: Names = Names()) {
        self.names = names
        choices = SplitMix(state: seed)
    }

    mutating func next() -> Drawn {
        let a = choices.next()
        let b = choices.next()
        let subject = Int((a >> 8) % UInt64(Names.subjectCount))
        let resource = Int(a >> 32 & 7)
        let kind = Int(a >> 36 & 3)
        let outcome = outcome(subject * 8 + resource, kind, b >> 8)
        let drawn =
            UInt64(subject) << 16 | UInt64(resource) << 8 | UInt64(kind) << 4
            | UInt64(outcome.rawValue)
        digest = (digest ^ drawn) &* 0x100_0000_01B3
        return Drawn(
            subject: subject, resource: resource, kind: kind, outcome: outcome,
            feature: Int((a >> 40) % 3) * 8 + resource, version: Int(b >> 4 & 3),
            application: Int(b >> 16 & 7))
    }

    /// Settings are observed when they changed: never to what holds already.
    private mutating func outcome(_ key: Int, _ kind: Int, _ drawn: UInt64) -> Outcome {
        guard kind >= 2 else { return kind == 0 ? .none : .undetermined }
        var outcome = Self.answers[Int(drawn & 7)]
        if kind == 3 {
            switch standing[key] {
            case .granted: outcome = .revoked
            case .denied: outcome = .granted
            default: outcome = drawn & 1 == 1 ? .revoked : .granted
            }
        }
        standing[key] = outcome == .revoked ? .denied : outcome
        return outcome
    }

    mutating func skip(_ count: Int) {
        for _ in 0..<count { _ = next() }
    }

    /// The next events as drafts, with what each was drawn from.
    mutating func drafts(_ count: Int) -> (drawn: [Drawn], drafts: [Draft]) {
        var drawn: [Drawn] = []
        var drafts: [Draft] = []
        for _ in 0..<count {
            let event = next()
            drawn.append(event)
            drafts.append(draft(event))
        }
        return (drawn, drafts)
    }

    private mutating func draft(_ event: Drawn) -> Draft {
        let subject = names.subjects[event.subject]
        let resource = Names.resources[event.resource]
        let place = names.places[event.subject]
        var draft: Draft
        switch event.kind {
        case 0: draft = .primerShown(subject, resource: resource, at: place)
        case 1: draft = .promptAsked(subject, resource: resource, at: place)
        case 2:
            let isDenied = event.outcome == .denied
            draft = .answered(subject, resource: resource, at: place, isDenied ? .denied : .allowed)
            if event.outcome == .limited { draft.payload.status = .limited }
            draft.payload.answers = openPrompts[event.key]
            openPrompts[event.key] = nil
        default:
            let status: PermissionStatus = event.outcome == .granted ? .authorized : .denied
            draft = .observed(subject, resource: resource, at: place, status)
        }
        draft.payload.feature = Names.features[event.feature]
        draft.payload.unit = names.units[event.feature * 4 + event.version]
        draft.payload.revision = names.revisions[event.version]
        draft.payload.applicationVersion = Names.versions[event.application]
        draft.payload.locale = Names.locales[event.subject & 7]
        return draft
    }

    /// Takes note of the prompts that were recorded, so that later answers can name them.
    mutating func note(_ receipts: [Receipt], of drawn: [Drawn]) {
        for (receipt, event) in zip(receipts, drawn) where event.kind == 1 {
            openPrompts[event.key] = receipt.event.id
        }
    }
}

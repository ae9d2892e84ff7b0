@testable import Ledger

/// A signed log made without a database, for tests of what leaves and comes back as text.
struct ExportSampleLog {
    let ledger: LedgerID
    let author: ReplicaID
    let log: LogID
    private let key: SigningKey
    private var frontier = MerkleFrontier()
    private var time: Int64 = 1_767_225_600_000

    init(seed: UInt8 = 7) throws {
        key = try SigningKey(seed: [UInt8](repeating: seed, count: 32))
        author = ReplicaID(raw: key.publicKey)
        ledger = LedgerID(raw: Bytes16(a: 1, b: 2))
        log = LogID(raw: Bytes16(a: 3, b: UInt64(seed)))
    }

    mutating func event(
        _ kind: EventKind, hasBody: Bool = true, _ fill: (inout Payload) -> Void
    ) throws -> StoredEvent {
        var payload = Payload()
        fill(&payload)
        let bytes = payload.encoded
        let salt = [UInt8](repeating: UInt8(truncatingIfNeeded: frontier.size), count: 16)
        let header = EventHeader(
            log: log, sequence: frontier.size, timestamp: Timestamp(milliseconds: time),
            kind: kind, isCritical: false, replaces: [], subjectTag: .none,
            payloadLength: bytes.count, commitment: try Crypto.sha256(salt + bytes))
        time += 1001
        let digester = try Digester()
        frontier.append(header.bytes.withUnsafeBytes { digester.leaf($0) }, digester)
        return StoredEvent(header: header, body: hasBody ? .init(salt: salt, payload: bytes) : nil)
    }

    /// A deciding event about the camera of `subject` on one phone.
    mutating func answer(_ subject: String, _ outcome: Outcome) throws -> StoredEvent {
        try event(.answerGiven) { payload in
            payload.subject = subject
            payload.resource = "camera"
            payload.device = "phone"
            payload.install = "1"
            payload.outcome = outcome
        }
    }

    func checkpoint() throws -> Checkpoint {
        try Checkpoint.sign(
            log: log, size: frontier.size, root: frontier.root(try Digester()), with: key)
    }

    /// A whole export of two intervals: hostile names, lists, a payload that is not here.
    static func records() throws -> [ExportRecord] {
        var log = try ExportSampleLog()
        let first = [
            try log.answer("=me;\"x\"\r\n", .allowed), try log.answer("e\u{301}", .denied),
            try log.event(.promptAsked) { payload in
                payload.subject = "'quoted"
                payload.buttons = ["Allow, once", "No"]
                payload.occurredAt = .max
                payload.note = "\u{1F39F}\u{0}\t"
            },
        ]
        let middle = try log.checkpoint()
        let second = [
            try log.event(.erased, hasBody: false) { $0.subject = "gone" },
            try log.event(EventKind(code: 777)) { $0.resource = "later" },
        ]
        let author = log.author
        return [.ledger(log.ledger)] + first.map { .event($0, author: author) }
            + [.checkpoint(middle, author: author)] + second.map { .event($0, author: author) }
            + [.checkpoint(try log.checkpoint(), author: author)]
    }

    static func text(_ records: [ExportRecord], _ format: ExportRenderer.Format) throws -> [UInt8] {
        var renderer = try ExportRenderer(format)
        return renderer.opening + records.flatMap { renderer.line($0) }
    }
}

import Ledger

/// Many logs of one author, as of a replica that was restored over and over.
struct ManyLogs {
    private struct Log {
        let id: LogID
        let opening: StoredEvent
        let leaf: Bytes32
    }

    private let key: SigningKey
    private var logs: [Log] = []
    private let digester: Digester
    /// Who wrote them.
    let replica: ReplicaID

    init(_ ledger: LedgerID, _ count: Int) throws(LedgerError) {
        key = try SigningKey(seed: [UInt8](repeating: 7, count: 32))
        digester = try Digester()
        replica = ReplicaID(raw: key.publicKey)
        for number in 0..<UInt64(count) {
            var random = SplitMix(state: number)
            let epoch = Bytes16(Self.bytes(random.next()) + Self.bytes(random.next())) ?? .zero
            let name = Array("consent-ledger/log/1".utf8) + ledger.bytes + replica.bytes
            guard let id = LogID(bytes: try Crypto.sha256(name + epoch.bytes).bytes.prefix(16))
            else { continue }
            let opening = LogOpening(
                replica: replica, epoch: epoch, sealingKey: .zero, founding: nil, continues: nil,
                reason: .new)
            let event = try Self.event(
                id, 0, .logOpened, opening.encoded, milliseconds: 1_700_000_000_000 + Int64(number))
            let leaf = event.header.bytes.withUnsafeBytes { digester.leaf($0) }
            logs.append(Log(id: id, opening: event, leaf: leaf))
        }
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }

    private static func event(
        _ log: LogID, _ sequence: UInt64, _ kind: EventKind, _ payload: [UInt8], milliseconds: Int64
    ) throws(LedgerError) -> StoredEvent {
        let salt = [UInt8](repeating: UInt8(truncatingIfNeeded: milliseconds), count: 16)
        let header = EventHeader(
            log: log, sequence: sequence, timestamp: Timestamp(value: UInt64(milliseconds) << 16),
            kind: kind, isCritical: false, replaces: [], subjectTag: .none,
            payloadLength: payload.count, commitment: try Crypto.sha256(salt + payload))
        return StoredEvent(header: header, body: .init(salt: salt, payload: payload))
    }

    /// Puts the first event of every log into a ledger.
    func write(into ledger: Ledger) throws(LedgerError) {
        for start in stride(from: 0, to: logs.count, by: 1000) {
            var intervals: [Interval] = []
            for log in logs[start..<min(start + 1000, logs.count)] {
                let checkpoint = try Checkpoint.sign(
                    log: log.id, size: 1, root: log.leaf, with: key)
                intervals.append(Interval(first: 0, events: [log.opening], checkpoint: checkpoint))
            }
            for result in try ledger.ingest(intervals) { _ = try result.get() }
        }
    }

    /// Lets some logs grow by an event.
    func extend(_ count: Int, in ledger: Ledger) throws(LedgerError) {
        for log in logs.prefix(count) {
            let event = try Self.event(
                log.id, 1, EventKind(code: 900), [0xA0], milliseconds: 1_800_000_000_000)
            let leaf = event.header.bytes.withUnsafeBytes { digester.leaf($0) }
            // RFC 6962: the node over two leaves.
            let root = digester.digest([1] + log.leaf.bytes + leaf.bytes)
            let checkpoint = try Checkpoint.sign(log: log.id, size: 2, root: root, with: key)
            let interval = Interval(first: 1, events: [event], checkpoint: checkpoint)
            for result in try ledger.ingest([interval]) { _ = try result.get() }
        }
    }
}

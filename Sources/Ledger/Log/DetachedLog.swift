/// A log made in memory and signed with a key that has no database here, such as the recovery
/// key's; it enters like any other replica's.
struct DetachedLog {
    let id: LogID
    private let keys: ReplicaKeys
    private var events: [StoredEvent] = []
    private var frontier = MerkleFrontier()
    private let digester: Digester

    init(ledger: LedgerID, keys: ReplicaKeys, epoch: Bytes16) throws(LedgerError) {
        self.keys = keys
        id = try LedgerIdentity.logID(ledger: ledger, replica: keys.replica, epoch: epoch)
        digester = try Digester()
    }

    /// Adds an event about no subject.
    @discardableResult
    mutating func add(
        _ kind: EventKind, _ payload: [UInt8], at timestamp: Timestamp,
        _ random: (Int) throws(LedgerError) -> [UInt8]
    ) throws(LedgerError) -> EventID {
        guard payload.count <= EventHeader.payloadLengthMax else {
            throw LedgerError(.limit, "The event's content exceeds 64 KiB; say less in it.")
        }
        let salt = try random(StoredRow.saltLength)
        let header = EventHeader(
            log: id, sequence: frontier.size, timestamp: timestamp, kind: kind, isCritical: false,
            replaces: [], subjectTag: .none, payloadLength: payload.count,
            commitment: digester.digest(salt + payload))
        let leaf = header.bytes.withUnsafeBytes { digester.leaf($0) }
        frontier.append(leaf, digester)
        events.append(StoredEvent(header: header, body: .init(salt: salt, payload: payload)))
        return EventID(raw: leaf)
    }

    /// All of it, signed.
    func interval() throws(LedgerError) -> Interval {
        Interval(
            first: 0, events: events,
            checkpoint: try Checkpoint.sign(
                log: id, size: frontier.size, root: frontier.root(digester), with: keys.signing))
    }
}

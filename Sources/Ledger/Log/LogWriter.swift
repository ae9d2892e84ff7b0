/// What the writer of the own log has to know to continue it; a value, so that a failed
/// transaction leaves the one before.
struct LogWriter {
    /// A checkpoint covers at most this many events and about this many bytes.
    static let intervalEventsMax: UInt64 = 1024
    static let intervalBytesMax = 1 << 20

    let keys: ReplicaKeys
    let log: LogID
    /// The chain's number in the database; 0 before the first event.
    var chain: Int64 = 0
    var frontier = MerkleFrontier()
    var signedSize: UInt64 = 0
    var unsignedBytes = 0
    /// Salts are drawn in bulk: one call to the generator for many events.
    private var saltPool: [UInt8] = []
    private var saltOffset = 0
    private static let saltsAtOnce = 256

    init(keys: ReplicaKeys, log: LogID) {
        self.keys = keys
        self.log = log
    }

    init(
        keys: ReplicaKeys, identity: LedgerIdentity, _ store: EventStore
    ) throws(LedgerError) {
        guard identity.replica == keys.replica, let log = identity.ownLog else {
            throw LedgerError(
                .damaged,
                "The key beside \(store.database.path) belongs to another replica; put the right "
                    + "one back, or join again as a new replica.")
        }
        self.init(keys: keys, log: log)
    }

    var replica: ReplicaID { keys.replica }
    var unsignedCount: UInt64 { frontier.size - signedSize }
    var mustSign: Bool {
        unsignedCount >= Self.intervalEventsMax || unsignedBytes >= Self.intervalBytesMax
    }

    mutating func salt(
        _ random: (Int) throws(LedgerError) -> [UInt8]
    ) throws(LedgerError) -> ArraySlice<UInt8> {
        if saltOffset >= saltPool.count {
            saltPool = try random(Self.saltsAtOnce * StoredRow.saltLength)
            saltOffset = 0
        }
        saltOffset += StoredRow.saltLength
        return saltPool[saltOffset - StoredRow.saltLength..<saltOffset]
    }
}

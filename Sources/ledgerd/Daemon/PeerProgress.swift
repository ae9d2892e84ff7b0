internal import Ledger
internal import SyncEngine

/// How far a peer has the logs that are held here, by what it acknowledged.
struct PeerProgress: Sendable {
    /// One log.
    struct Log: Sendable {
        let log: LogID
        /// How many of its events the peer is known to hold.
        let acknowledged: UInt64
        /// How many are held here.
        let held: UInt64

        var lag: UInt64 { held > acknowledged ? held - acknowledged : 0 }
    }

    /// Those that the peer lacks something of first, then ascending.
    let logs: [Log]
    var lag: UInt64 { logs.reduce(0) { $0 + $1.lag } }
    var behind: [Log] { Array(logs.prefix { $0.lag > 0 }) }

    /// Compares what a peer is known to hold with what is held here.
    init(_ acknowledged: [LogID: UInt64], of held: [LogID: UInt64]) {
        let logs = held.map { log, size in
            Log(log: log, acknowledged: acknowledged[log] ?? 0, held: size)
        }
        self.logs = logs.sorted { left, right in
            (left.lag > 0) == (right.lag > 0) ? left.log < right.log : left.lag > 0
        }
    }

    /// How many events of each log are held; nothing where the ledger cannot be read now.
    static func held(_ ledger: Ledger) -> [LogID: UInt64] {
        let sizes = (try? ledger.logSizes()) ?? []
        return Dictionary(sizes.map { ($0.log, $0.size) }, uniquingKeysWith: max)
    }
}

internal import Ledger

/// What an encoded interval says of itself first.
struct IntervalHead: Sendable {
    let first: UInt64
    let count: Int
    /// The log's root at the interval's end.
    let root: Bytes32

    /// The sequence after the last event.
    var end: UInt64 { first + UInt64(count) }

    init(_ bytes: [UInt8]) throws(SyncError) {
        let head = bytes.withUnsafeBytes { buffer in
            Result { () throws(SyncError) in
                var reader = ByteReader(buffer)
                return try IntervalHead(&reader)
            }
        }
        self = try head.get()
    }

    init(_ reader: inout ByteReader) throws(SyncError) {
        first = try reader.number()
        count = try reader.number(atMost: WireLimits.intervalEventsMax, "events")
        guard count > 0, first < WireLimits.sizeMax - UInt64(count) else {
            throw reader.malformed("an impossible range")
        }
        root = try reader.hash()
    }

    /// The end as a tip.
    func tip(of log: LogID) -> Tip { Tip(log: log, size: end, root: root) }
}

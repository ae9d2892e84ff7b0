internal import Ledger

/// Decides when the tail of the own log is to be signed: after a second in which nobody committed.
struct TailSigner {
    static let quietMilliseconds: Int64 = 1000
    /// After a failure, such as a full disk, it is tried again this much later.
    static let retryMilliseconds: Int64 = 10_000

    private var mark: [UInt8]?
    private var quietSince: Int64 = 0
    private var isDone = false

    /// Looks at the newest commit; true when it is time to sign.
    mutating func isDue(_ newest: [UInt8], at now: Int64) -> Bool {
        if newest != mark {
            (mark, quietSince, isDone) = (newest, now, false)
            return false
        }
        return !isDone && now - quietSince >= Self.quietMilliseconds
    }

    /// Notes that all is signed as of a commit.
    mutating func done(_ newest: [UInt8]) { (mark, isDone) = (newest, true) }

    mutating func failed(at now: Int64) {
        quietSince = now + Self.retryMilliseconds - Self.quietMilliseconds
    }
}

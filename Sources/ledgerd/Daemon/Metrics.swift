internal import Ledger
internal import Synchronization

/// What the daemon counts; ids of logs and replicas at most, never a person.
final class Metrics: Sendable {
    /// How long something took, in buckets.
    struct Histogram: Sendable, Equatable {
        /// Upper bounds in microseconds, from a fast disk's fsync to a stuck one's.
        static let boundsMicroseconds: [Int64] = [
            100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
            1_000_000, 2_500_000, 5_000_000,
        ]
        /// One more than there are bounds: the last holds what took longer than any.
        private(set) var counts = [UInt64](repeating: 0, count: boundsMicroseconds.count + 1)
        private(set) var sumNanoseconds: Int64 = 0

        mutating func add(nanoseconds: Int64) {
            let bound = Self.boundsMicroseconds.firstIndex { nanoseconds <= $0 * 1000 }
            counts[bound ?? Self.boundsMicroseconds.count] += 1
            sumNanoseconds &+= nanoseconds
        }
    }

    /// Everything that is counted.
    struct Counts: Sendable, Equatable {
        var commits = Histogram()
        var appends = Histogram()
        var eventsAppended: UInt64 = 0
        /// By operation and whether it failed.
        var requests: [Request: UInt64] = [:]
        /// By outcome: inSync, notInSync, or the code of a failure.
        var sessions: [String: UInt64] = [:]
        /// By the code of the reason.
        var setAside: [String: UInt64] = [:]
        var folderEventsReceived: UInt64 = 0
        var folderEventsSent: UInt64 = 0
    }

    struct Request: Sendable, Hashable, Comparable {
        let operation: String
        let failed: Bool

        static func < (left: Request, right: Request) -> Bool {
            (left.operation, left.failed ? 1 : 0) < (right.operation, right.failed ? 1 : 0)
        }
    }

    private let counts = Mutex(Counts())

    var current: Counts { counts.withLock { $0 } }

    func addCommit(nanoseconds: Int64) {
        counts.withLock { $0.commits.add(nanoseconds: nanoseconds) }
    }

    func addAppend(nanoseconds: Int64, events: Int) {
        counts.withLock { counts in
            counts.appends.add(nanoseconds: nanoseconds)
            counts.eventsAppended += UInt64(events)
        }
    }

    func countRequest(_ operation: String, failed: Bool) {
        counts.withLock { counts in
            counts.requests[Request(operation: operation, failed: failed), default: 0] += 1
        }
    }

    func countSession(_ outcome: String) {
        counts.withLock { $0.sessions[outcome, default: 0] += 1 }
    }

    func countSetAside(_ reason: String) {
        counts.withLock { $0.setAside[reason, default: 0] += 1 }
    }

    func addFolder(received: Int, sent: Int) {
        counts.withLock { counts in
            counts.folderEventsReceived += UInt64(received)
            counts.folderEventsSent += UInt64(sent)
        }
    }
}

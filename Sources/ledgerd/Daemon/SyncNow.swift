internal import Ledger
internal import SyncEngine

/// One merge on demand: begins it everywhere and tells how it came out for each peer and folder.
struct SyncNow {
    static let secondsDefault: Int64 = 30
    static let secondsMax: Int64 = 600
    private static let lookMilliseconds: Int32 = 20

    /// How it came out, in one word of the program's own.
    enum Outcome: String, Sendable {
        /// Both hold the same; of a folder, all was taken in and published.
        case merged
        /// All that could pass has; something was set aside.
        case partial
        /// It came to nothing; the reason is told.
        case failed
        /// A peer that only calls, and is not here.
        case away
        /// Time was up first.
        case timedOut

        /// Whether there is nothing to look into.
        var isGood: Bool { self == .merged || self == .away }
    }

    /// How it came out for one peer or folder.
    struct Result: Sendable {
        let name: String
        let outcome: Outcome
        var reason: SyncError?

        func write(as key: String, to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field(key, name)
                writer.field("outcome", outcome.rawValue)
                guard let reason else { return }
                writer.field("code", reason.code.description)
                writer.field("message", reason.message)
            }
        }
    }

    private let daemon: Daemon
    private let peersBefore: [ReplicaID: PeerState]
    private let foldersBefore: [FolderPart.Answer]

    /// Begins it.
    init(_ daemon: Daemon) {
        self.daemon = daemon
        let states = daemon.peers?.states ?? []
        peersBefore = Dictionary(states.map { ($0.replica, $0) }, uniquingKeysWith: { $1 })
        foldersBefore = daemon.folders?.answers ?? []
        daemon.peers?.callNow()
        daemon.folders?.scan()
    }

    /// Waits until all have come to an end, time is up, or `stop` becomes readable.
    func wait(seconds: Int64, stop: Int32) -> (peers: [Result], folders: [Result]) {
        let deadline = SystemClock.monotonicNanoseconds() + seconds * 1_000_000_000
        while true {
            let isOver =
                SystemClock.monotonicNanoseconds() >= deadline
                || !PosixIO.ready(reading: [stop], milliseconds: Self.lookMilliseconds).isEmpty
            let peers = (daemon.peers?.states ?? []).map { state in
                (state.replica.description, Self.outcome(state, peersBefore[state.replica]))
            }
            let folders = zip(daemon.folders?.answers ?? [], foldersBefore).map { now, before in
                (now.path, now.count > before.count ? (now.outcome, now.reason) : nil)
            }
            guard isOver || (peers + folders).allSatisfy({ $0.1 != nil }) else { continue }
            return (peers.map(Self.result), folders.map(Self.result))
        }
    }

    private static func result(_ name: String, _ end: (Outcome, SyncError?)?) -> Result {
        Result(name: name, outcome: end?.0 ?? .timedOut, reason: end?.1)
    }

    /// Nil as long as it may still come to an end.
    static func outcome(_ now: PeerState, _ before: PeerState?) -> (Outcome, SyncError?)? {
        if now.comparisons > before?.comparisons ?? 0 {
            return (
                now.isInSync ? .merged : .partial, now.isInSync ? nil : now.setAside.last?.reason
            )
        }
        if now.phase == .connected { return nil }
        let failures = before?.failures.values.reduce(0, +) ?? 0
        if now.failures.values.reduce(0, +) > failures { return (.failed, now.failure) }
        return now.address == nil ? (.away, nil) : nil
    }
}

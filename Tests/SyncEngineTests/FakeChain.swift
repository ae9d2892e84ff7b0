@testable import Ledger
@testable import SyncEngine

/// One chain of a log, with the root of every prefix.
struct FakeChain: Sendable {
    let log: LogID
    let author: ReplicaID
    var events: [StoredEvent] = []
    var ids: [EventID] = []
    var roots: [Bytes32] = []
    var checkpoints: [UInt64: Checkpoint] = [:]
    private var frontier = MerkleFrontier()

    init(log: LogID, author: ReplicaID) {
        self.log = log
        self.author = author
    }

    /// An empty chain whose author is read from the event that opens it.
    init(opening interval: Interval, ledger: LedgerID) throws(LedgerError) {
        guard let body = interval.events.first?.body else {
            throw LedgerError(.unknownAuthor, "The log's opening is missing.")
        }
        let opening = try LogOpening(encoded: body.payload)
        log = try Self.logID(
            ledger: ledger, replica: opening.replica, epoch: opening.epoch.bytes)
        author = opening.replica
        guard log == interval.checkpoint.log else {
            throw LedgerError(.notVerified, "The opening belongs to another log.")
        }
    }

    static func logID(
        ledger: LedgerID, replica: ReplicaID, epoch: [UInt8]
    ) throws(LedgerError) -> LogID {
        let text = Array("consent-ledger/log/1".utf8) + ledger.bytes + replica.bytes + epoch
        return LogID(bytes: try Crypto.sha256(text).bytes.prefix(16)) ?? LogID(raw: .zero)
    }

    mutating func append(_ event: StoredEvent) throws(LedgerError) {
        let digester = try Digester()
        let id = event.header.bytes.withUnsafeBytes { digester.leaf($0) }
        frontier.append(id, digester)
        events.append(event)
        ids.append(EventID(raw: id))
        roots.append(frontier.root(digester))
    }

    var tip: Tip? {
        guard let size = checkpoints.keys.max(), size > 0 else { return nil }
        return Tip(log: log, size: size, root: roots[Int(size) - 1])
    }

    func holds(_ tip: Tip) -> Bool {
        tip.size > 0 && tip.size <= UInt64(roots.count) && roots[Int(tip.size) - 1] == tip.root
    }

    func isLongerThan(_ other: FakeChain) -> Bool {
        events.count > other.events.count && other.tip.map(holds) ?? true
    }

    func intervals(upTo size: UInt64, from first: UInt64, bytesMax: Int) -> [Interval] {
        var result: [Interval] = []
        var (start, length) = (UInt64(0), 0)
        for end in checkpoints.keys.sorted() where end <= size {
            defer { start = end }
            guard end > first, length <= bytesMax || result.isEmpty,
                let checkpoint = checkpoints[end]
            else { continue }
            let events = Array(events[Int(start)..<Int(end)])
            length += events.reduce(0) { $0 + 110 + ($1.body?.payload.count ?? 0) }
            result.append(Interval(first: start, events: events, checkpoint: checkpoint))
        }
        return result
    }

    struct Receipt: Sendable {
        var newEvents = 0
        var newPayloads = 0
        var fork = false
        var made: IngestReceipt {
            IngestReceipt(
                newEvents: newEvents, newPayloads: newPayloads, refusedPayloads: 0, isFork: fork)
        }
    }

    /// The chain with the interval; nil when it does not follow from this chain's prefix.
    func extended(
        by interval: Interval
    ) throws(LedgerError) -> (chain: FakeChain, receipt: Receipt, isFork: Bool)? {
        guard interval.first <= UInt64(events.count),
            interval.checkpoint.size == interval.first + UInt64(interval.events.count)
        else { return nil }
        var chain = FakeChain(log: log, author: author)
        for event in events.prefix(Int(interval.first)) { try chain.append(event) }
        var receipt = Receipt()
        for event in interval.events {
            let position = chain.events.count
            try chain.append(event)
            let known = position < ids.count && ids[position] == chain.ids[position]
            if !known { receipt.newEvents += 1 }
            if known, events[position].body == nil, event.body != nil { receipt.newPayloads += 1 }
            if known, let body = events[position].body {
                chain.events[position] = StoredEvent(header: event.header, body: body)
            }
        }
        guard chain.roots.last == interval.checkpoint.root else { return nil }
        let isPrefix = events.count >= chain.events.count && receipt.newEvents == 0
        for event in events.dropFirst(chain.events.count) where isPrefix { try chain.append(event) }
        let isFork =
            !isPrefix && events.count > Int(interval.first) && receipt.newEvents > 0
            && !holdsPrefix(of: chain)
        chain.checkpoints = checkpoints.filter { chain.holds(Tip($0.value)) }
        chain.checkpoints[interval.checkpoint.size] = interval.checkpoint
        return (chain, receipt, isFork)
    }

    private func holdsPrefix(of other: FakeChain) -> Bool {
        events.count <= other.events.count && other.roots[events.count - 1] == roots.last
    }
}

extension Tip {
    init(_ checkpoint: Checkpoint) {
        self.init(log: checkpoint.log, size: checkpoint.size, root: checkpoint.root)
    }
}

import Synchronization

import TestSupport
@testable import Ledger
@testable import SyncEngine

/// The log of one replica in memory: the same promises as the real one, and failures on demand.
final class FakeLedger: ReplicaLog, Sendable {
    struct State: Sendable {
        var chains: [LogID: [FakeChain]] = [:]
        var log: LogID?
        var known: Set<ReplicaID>?
        /// Thrown by the next calls of ingest, then cleared one by one.
        var ingestFailures: [LedgerError] = []
        var ingestCalls = 0
        var digestCalls = 0
        /// Positions whose payloads are gone for good.
        var erased: [LogID: Set<UInt64>] = [:]
        var folderKeys: [UInt64: [UInt8]] = [0: [UInt8](repeating: 7, count: 32)]
        var milliseconds: Int64 = 1_700_000_000_000
        var random: SplitMix
        /// When each state of a chain was first seen.
        var stamps: [TipState: UInt64] = [:]
        var stamp: UInt64 = 0
    }

    let id: LedgerID
    let key: SigningKey
    let state: Mutex<State>

    var replica: ReplicaID? { ReplicaID(raw: key.publicKey) }
    var log: LogID { state.withLock { $0.log } ?? LogID(raw: .zero) }

    init(ledger: UInt8 = 1, seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        id = LedgerID(raw: Bytes16(a: UInt64(ledger), b: 0))
        key = try SigningKey(seed: random.bytes(32))
        state = Mutex(State(random: random))
        try openLog()
    }

    private init(_ other: FakeLedger) {
        id = other.id
        key = other.key
        state = Mutex(other.state.withLock { $0 })
    }

    /// The same replica with the same past, as a copied directory would be.
    func copy() -> FakeLedger { FakeLedger(self) }

    func openLog() throws {
        try state.withLock { (state) throws(LedgerError) in
            let epoch = state.random.bytes(16)
            let replica = ReplicaID(raw: key.publicKey)
            let log = try FakeChain.logID(ledger: id, replica: replica, epoch: epoch)
            let opening = LogOpening(
                replica: replica, epoch: Bytes16(epoch) ?? .zero, sealingKey: .zero, founding: nil,
                continues: nil, reason: .new)
            state.log = log
            state.chains[log] = [FakeChain(log: log, author: replica)]
            try Self.append(opening.encoded, .logOpened, .none, &state)
        }
    }

    /// Appends events of a few subjects; some replace others, some carry no subject.
    func append(_ count: Int, payloadLength: Int = 40) throws {
        try state.withLock { (state) throws(LedgerError) in
            for _ in 0..<count {
                let payload = state.random.bytes(payloadLength)
                let subject = UInt64.random(in: 0...4, using: &state.random)
                let tag = subject == 0 ? .none : SubjectTag(raw: Bytes16(a: 9, b: subject))
                try Self.append(payload, .answerGiven, tag, &state)
            }
        }
    }

    private static func append(
        _ payload: [UInt8], _ kind: EventKind, _ tag: SubjectTag, _ state: inout State
    ) throws(LedgerError) {
        guard let log = state.log, let known = state.chains[log]?.first?.ids else { return }
        state.milliseconds += Int64.random(in: 0...5000, using: &state.random)
        let salt = state.random.bytes(16)
        let replaced = known.suffix(20).filter { _ in state.random.next() & 15 == 0 }
        let header = EventHeader(
            log: log, sequence: UInt64(known.count),
            timestamp: Timestamp(
                value: UInt64(state.milliseconds) << 16 | UInt64(state.random.next() & 1)),
            kind: kind, isCritical: state.random.next() & 3 == 0,
            replaces: replaced.sorted(), subjectTag: tag, payloadLength: payload.count,
            commitment: try Crypto.sha256(salt + payload))
        try state.chains[log]?[0].append(
            StoredEvent(header: header, body: .init(salt: salt, payload: payload)))
    }

    /// Signs the own tail.
    func sign() throws {
        try state.withLock { (state) throws(LedgerError) in try Self.sign(&state, key) }
    }

    private static func sign(_ state: inout State, _ key: SigningKey) throws(LedgerError) {
        guard let log = state.log, let chain = state.chains[log]?.first else { return }
        let size = UInt64(chain.events.count)
        guard chain.checkpoints[size] == nil, let root = chain.roots.last else { return }
        state.chains[log]?[0].checkpoints[size] = try Checkpoint.sign(
            log: log, size: size, root: root, with: key)
    }

    func tips() throws(LedgerError) -> [Tip] {
        try state.withLock { (state) throws(LedgerError) in
            try Self.sign(&state, key)
            return state.chains.values.flatMap { $0.compactMap(\.tip) }.sorted()
        }
    }

    func tipStates(
        changedAfter stamp: UInt64
    ) throws(LedgerError) -> (states: [TipState], stamp: UInt64) {
        let now = try states()
        return state.withLock { state in
            for one in now where state.stamps[one] == nil {
                state.stamp += 1
                state.stamps[one] = state.stamp
            }
            return (now.filter { state.stamps[$0] ?? 0 > stamp }, state.stamp)
        }
    }

    func lastPosition() throws(LedgerError) -> Int64 {
        state.withLock { state in
            Int64(state.chains.values.joined().reduce(0) { $0 + $1.events.count })
        }
    }

    /// All events count the same: what matters is whether a bound is passed.
    func storedBytes(after position: Int64) throws(LedgerError) -> Int {
        let lengths = state.withLock { state in
            state.chains.values.joined().flatMap(\.events).map {
                100 + ($0.body?.payload.count ?? 0)
            }
        }
        return lengths.suffix(max(0, lengths.count - Int(position))).reduce(0, +)
    }

    func stateDigest() throws(LedgerError) -> Bytes32 {
        state.withLock { $0.digestCalls += 1 }
        return TipState.digest(of: try states(), try Digester())
    }

    func heldSize(of log: LogID) throws(LedgerError) -> UInt64 {
        state.withLock { UInt64($0.chains[log]?.map(\.events.count).max() ?? 0) }
    }

    func author(of log: LogID) throws(LedgerError) -> ReplicaID? {
        state.withLock { $0.chains[log]?.first?.author }
    }

    private func chain(_ tip: Tip) throws(LedgerError) -> FakeChain {
        let found = state.withLock { $0.chains[tip.log]?.first { $0.holds(tip) } }
        guard let found else { throw LedgerError(.notFound, "No such chain.") }
        return found
    }

    func missingPayloads(of tip: Tip) throws(LedgerError) -> [UInt64] {
        let erased = state.withLock { $0.erased[tip.log] ?? [] }
        return try chain(tip).events.prefix(Int(tip.size)).filter { $0.body == nil }
            .map(\.header.sequence).filter { !erased.contains($0) }
    }

    func intervals(
        of tip: Tip, from first: UInt64, bytesMax: Int
    ) throws(LedgerError) -> [Interval] {
        try chain(tip).intervals(upTo: tip.size, from: first, bytesMax: bytesMax)
    }

    func holds(_ tip: Tip) throws(LedgerError) -> Bool {
        state.withLock { $0.chains[tip.log]?.contains { $0.holds(tip) } ?? false }
    }

    func ingest(
        _ source: IntervalSource
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>] {
        let intervals = (0..<source.count).map(source.make)
        return try state.withLock { (state) throws(LedgerError) in
            state.ingestCalls += 1
            if !state.ingestFailures.isEmpty { throw state.ingestFailures.removeFirst() }
            var results: [Result<IngestReceipt, LedgerError>] = []
            for interval in intervals {
                do throws(LedgerError) {
                    results.append(.success(try state.take(interval.get(), ledger: id)))
                } catch { results.append(.failure(error)) }
            }
            return results
        }
    }

    func subjectTag(of subject: String) throws(LedgerError) -> SubjectTag? {
        SubjectTag(bytes: try Crypto.sha256(Array(subject.utf8)).bytes.prefix(16))
    }

    func eventIDs(
        at sequences: [UInt64], of log: LogID
    ) throws(LedgerError) -> [EventID?] {
        let ids = state.withLock { $0.chains[log]?.first?.ids ?? [] }
        return sequences.map { $0 < UInt64(ids.count) ? ids[Int($0)] : nil }
    }

    func isMember(_ replica: ReplicaID) throws(LedgerError) -> Bool? {
        state.withLock { $0.chains.values.contains { $0.contains { $0.author == replica } } }
            ? true : nil
    }

    func folderKeys(generation: UInt64) throws(LedgerError) -> [[UInt8]] {
        state.withLock { $0.folderKeys[generation].map { [$0] } ?? [] }
    }

    func newestFolderKey() throws(LedgerError) -> (generation: UInt64, key: [UInt8]) {
        guard let newest = state.withLock({ $0.folderKeys.max { $0.key < $1.key } }) else {
            throw LedgerError(.notFound, "No folder key.")
        }
        return (newest.key, newest.value)
    }

    /// Drops the payloads at some positions of a log, and takes them no more.
    func erase(_ positions: [UInt64], of log: LogID) {
        state.withLock { $0.erased[log, default: []].formUnion(positions) }
        lose(positions.map(Int.init), of: log)
    }

    /// Drops the payloads at some positions of a log, as if they had never come.
    func lose(_ positions: [Int], of log: LogID) {
        state.withLock { state in
            for position in positions {
                guard let event = state.chains[log]?[0].events[position] else { continue }
                state.chains[log]?[0].events[position] = StoredEvent(
                    header: event.header, body: nil)
            }
        }
    }
}

extension FakeLedger.State {
    mutating func take(
        _ interval: Interval, ledger: LedgerID
    ) throws(LedgerError) -> IngestReceipt {
        let log = interval.checkpoint.log
        let gone = erased[log] ?? []
        let events = interval.events.map {
            gone.contains($0.header.sequence) ? StoredEvent(header: $0.header, body: nil) : $0
        }
        let interval = Interval(
            first: interval.first, events: events, checkpoint: interval.checkpoint)
        var chains = chains[log] ?? []
        if chains.isEmpty, interval.first == 0 {
            chains = [try FakeChain(opening: interval, ledger: ledger)]
        }
        guard let author = chains.first?.author, known?.contains(author) ?? true else {
            throw LedgerError(.unknownAuthor, "The author of log \(log.short) is not known.")
        }
        guard interval.checkpoint.isSigned(by: author) else {
            throw LedgerError(.notVerified, "Not signed by the author.")
        }
        for index in chains.indices {
            guard let extended = try chains[index].extended(by: interval) else { continue }
            var receipt = extended.receipt
            if extended.isFork {
                chains.append(extended.chain)
            } else {
                chains[index] = extended.chain
            }
            let all = chains
            chains.removeAll { one in all.contains { $0.isLongerThan(one) } }
            receipt.fork = extended.isFork
            self.chains[log] = chains
            return receipt.made
        }
        throw LedgerError(.notVerified, "The range does not continue log \(log.short).")
    }
}

extension ReplicaLog {
    /// The states of all tips, computed from what the other calls give.
    func states() throws(LedgerError) -> [TipState] {
        var states: [TipState] = []
        let digester = try Digester()
        for tip in try tips() where tip.size > 0 {
            states.append(TipState(tip, missing: try missingPayloads(of: tip), digester))
        }
        return states
    }
}

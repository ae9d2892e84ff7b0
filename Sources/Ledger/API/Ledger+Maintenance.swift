/// What ``Ledger/verify(progress:)`` found.
///
/// ```swift
/// let report: VerificationReport = try ledger.verify()
/// let findings: [VerificationReport.Finding] = report.findings
/// let logs: [VerificationReport.LogSummary] = report.logs
/// ```
public struct VerificationReport: Sendable, Hashable {
    /// One thing that is wrong.
    public struct Finding: Sendable, Hashable {
        /// The log, if it is about one.
        public let log: LogID?
        /// The sequence of the first bad event, if it is about one.
        public let sequence: UInt64?
        /// What is wrong.
        public let message: String
    }
    /// One log and how much of it is right.
    public struct LogSummary: Sendable, Hashable {
        /// The log.
        public let log: LogID
        /// Its author.
        public let author: ReplicaID
        /// How many events are stored.
        public let size: UInt64
        /// Their root.
        public let root: Bytes32
        /// How many of them a checkpoint covers.
        public let signedSize: UInt64
    }
    /// All logs, one entry per chain.
    public internal(set) var logs: [LogSummary] = []
    /// What is wrong; empty when all is well.
    public internal(set) var findings: [Finding] = []
    /// How many events were checked.
    public internal(set) var eventCount: Int64 = 0

    /// Whether nothing is wrong.
    public var isSound: Bool { findings.isEmpty }
}

/// The ledger's clocks.
///
/// ```swift
/// let report: ClockReport = try ledger.clock()
/// if report.isFloorAhead { try ledger.resetClockFloor() }
/// ```
public struct ClockReport: Sendable, Hashable {
    /// The wall clock now, Unix milliseconds.
    public let wall: Int64
    /// The hybrid logical clock.
    public let logical: Timestamp
    /// The time expiry is judged against at the earliest, Unix milliseconds.
    public let floor: Int64
    /// Whether the floor is more than 5 minutes ahead of the wall.
    public let isFloorAhead: Bool
}

extension Ledger {
    /// Recomputes everything from stored bytes.
    ///
    /// Reads on a connection of its own and keeps nobody waiting; `progress` may use the ledger.
    ///
    /// - Parameter progress: told how many events are done and how many there are.
    /// - Returns: the findings; the first bad event of each log is named.
    /// - Throws: `damaged` when the database cannot be read at all, `busy`, `io`.
    /// - Complexity: O(n) in the number of stored bytes, all of which are hashed.
    public func verify(
        progress: (Int64, Int64) -> Void = { _, _ in }
    ) throws(LedgerError) -> VerificationReport {
        try withReader { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                let verifier = Verifier(core)
                return try verifier.run(progress: progress)
            }
        }
    }

    /// Writes a consistent copy while others write; signs the own tail first.
    ///
    /// Signing costs one fsync if the tail is not signed. The copy is made on a connection of its
    /// own, keeps nobody waiting, is for its owner alone (mode 0600) and on the disk when this
    /// returns.
    ///
    /// - Parameter file: where to; must not exist.
    /// - Throws: `exists`, `busy`, `noSpace`, `damaged`, `io`.
    /// - Complexity: O(n) in the size of the database.
    public func backup(to file: String) throws(LedgerError) {
        guard !Files.exists(file) else {
            throw LedgerError(.exists, "\(file) is there already; name another file.")
        }
        try withCore { (core) throws(LedgerError) in try core.letOut() }
        // SQLite fills an empty file; one that it made itself anyone could read.
        try Files.writeNew([], to: file)
        do throws(LedgerError) {
            try withReader { (core) throws(LedgerError) in try core.store.copy(to: file) }
            try Files.sync(file)
            // What was appended while it was made is in the copy too.
            try withCore { (core) throws(LedgerError) in try core.letOut() }
        } catch {
            Files.remove(file)
            throw error
        }
    }

    /// Computes the projection anew from all events.
    ///
    /// All other calls, and writers of other processes, wait until it is done; one fsync at the
    /// end.
    ///
    /// - Throws: `readOnly`, `busy`, `noSpace`, `damaged`, `io`; then the old one stays.
    /// - Complexity: O(n) in the number of events.
    public func rebuild() throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in try core.rebuild() }
        }
    }

    /// The ledger's clocks.
    ///
    /// - Returns: with what other processes committed taken in; costs no fsync.
    /// - Throws: `busy`, `damaged`, `io`.
    public func clock() throws(LedgerError) -> ClockReport {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { core.clockReport() }
        }
    }

    /// Sets the floor of expiry back to the wall clock, after a clock that ran ahead was mended.
    ///
    /// Costs one fsync.
    ///
    /// - Throws: `readOnly`, `busy`, `noSpace`, `io`.
    public func resetClockFloor() throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in
                core.floor = core.environment.wallClock()
                try core.store.setMeta(.floor, core.floor)
                try core.store.setMeta(.floorReset, core.rows.chains.maxRow)
            }
        }
    }
}

/// Adds states to a ledger as observations: only what differs, and each state once.
///
/// Drafts are appended many at a time; what waits is compared with as if it were recorded.
struct ObservationWriter {
    static let batchMax = 500
    private static let rememberedMax = 100_000

    private struct Key: Hashable {
        let subject: [UInt8]
        let resource: [UInt8]
        let place: Place?
    }

    private struct Known {
        var status: PermissionStatus
        var extent: Extent
        /// What it rests on, so that a state without a time differs from the same one earlier.
        var basis: [UInt8]
        /// What of that is recorded.
        var evidence: [EventID] = []
        /// When that which waits to be recorded happened, Unix milliseconds.
        var waitingTime: Int64?
        /// Whether something is in force and nothing contradicts it.
        var isAlone: Bool
    }

    private let ledger: Ledger
    private let isDryRun: Bool
    private let now: Int64
    private var waiting: [ImportBatch.State] = []
    private var waitingKeys: Set<String> = []
    private var known: [Key: Known] = [:]

    init(_ ledger: Ledger, _ options: ImportOptions) {
        self.ledger = ledger
        isDryRun = options.isDryRun
        now = options.now
    }

    /// Takes a state, unless the ledger holds the same for its key.
    mutating func take(
        _ state: ImportBatch.State, _ report: inout ImportReport
    ) throws(LedgerError) {
        let payload = state.draft.payload
        guard let subject = payload.subject, let resource = payload.resource,
            let status = payload.status
        else {
            return report.setAside.add(state.line, "a state without subject, resource or status")
        }
        let place = Self.place(payload)
        let key = Key(
            subject: Identifier.canonicalBytes(subject),
            resource: Identifier.canonicalBytes(resource), place: place)
        let before: Known
        if let waiting = known[key] {
            before = waiting
        } else {
            before = try current(subject, resource, place)
        }
        let extent = payload.extent ?? .full
        if before.isAlone, before.status == status, before.extent == extent {
            report.unchangedCount += 1
            return
        }
        let idempotencyKey = try Self.idempotencyKey(payload, basis: before.basis)
        let grantsMore =
            status > before.status || extent.intersection(before.extent) != extent
        if grantsMore, let time = payload.occurredAt {
            let past = try past(before, payload, idempotencyKey)
            if past.holdsKey || waitingKeys.contains(idempotencyKey) {
                report.presentCount += 1
                return
            }
            guard time >= past.newest else {
                return report.setAside.add(
                    state.line, "older than what is in force, and would allow more than that")
            }
        }
        var draft = state.draft
        draft.payload.idempotencyKey = idempotencyKey
        known[key] = Known(
            status: status, extent: extent, basis: Array(idempotencyKey.utf8),
            waitingTime: min(payload.occurredAt ?? now, now), isAlone: true)
        waitingKeys.insert(idempotencyKey)
        waiting.append(ImportBatch.State(line: state.line, draft: draft))
        if waiting.count >= Self.batchMax { try flush(&report) }
    }

    /// When the newest event that a status rests on happened, and whether the state is here.
    private func past(
        _ known: Known, _ payload: Payload, _ idempotencyKey: String
    ) throws(LedgerError) -> (newest: Int64, holdsKey: Bool) {
        if let time = known.waitingTime { return (time, false) }
        var newest = Int64.min
        var holdsKey = false
        if known.evidence.isEmpty { return (newest, holdsKey) }
        var filter = HistoryFilter()
        filter.subject = payload.subject
        filter.resource = payload.resource
        filter.kinds = [.answerGiven, .settingsChanged]
        try ledger.history(filter) { (entry) throws(LedgerError) in
            let said = entry.event.payload
            holdsKey = holdsKey || said?.idempotencyKey == idempotencyKey
            if known.evidence.contains(entry.event.id) {
                // Nothing happened after it was recorded, whatever it claims.
                let recorded = entry.event.header.timestamp.milliseconds
                newest = max(newest, min(said?.occurredAt ?? recorded, recorded))
            }
            return true
        }
        return (newest, holdsKey)
    }

    /// Appends what waits.
    mutating func flush(_ report: inout ImportReport) throws(LedgerError) {
        defer {
            waiting.removeAll(keepingCapacity: true)
            waitingKeys.removeAll(keepingCapacity: true)
        }
        guard !isDryRun else {
            report.addedCount += waiting.count
            if known.count > Self.rememberedMax { known.removeAll() }
            return
        }
        known.removeAll(keepingCapacity: true)
        guard !waiting.isEmpty else { return }
        do throws(LedgerError) {
            for receipt in try ledger.append(waiting.map(\.draft)) { count(receipt, &report) }
        } catch  where Self.isAboutOneDraft(error) {
            try appendOneByOne(&report)
        }
    }

    /// One refused draft refuses its whole batch; the others are good.
    private func appendOneByOne(_ report: inout ImportReport) throws(LedgerError) {
        for state in waiting {
            do throws(LedgerError) {
                count(try ledger.append(state.draft), &report)
            } catch  where Self.isAboutOneDraft(error) {
                report.setAside.add(state.line, error.message)
            }
        }
    }

    private static func isAboutOneDraft(_ error: LedgerError) -> Bool {
        [.invalid, .conflict, .subjectErased, .expectation, .limit].contains(error.code)
    }

    private func count(_ receipt: Receipt, _ report: inout ImportReport) {
        if receipt.isNew { report.addedCount += 1 } else { report.presentCount += 1 }
    }

    private static func place(_ payload: Payload) -> Place? {
        guard payload.scope != .person, let device = payload.device, let install = payload.install
        else { return nil }
        return Place(device: device, install: install)
    }

    private func current(
        _ subject: String, _ resource: String, _ place: Place?
    ) throws(LedgerError) -> Known {
        let status = try ledger.status(StatusQuery(subject, resource: resource, at: place))
        return Known(
            status: status.status, extent: status.extent,
            basis: status.evidence.flatMap(\.bytes), evidence: status.evidence,
            isAlone: !status.evidence.isEmpty && !status.isConflicting)
    }

    /// The same state of the same source and time has the same key, whenever it is imported.
    ///
    /// A state without a time could come and go between two imports; what was in force before it
    /// tells its second coming from its first.
    private static func idempotencyKey(
        _ payload: Payload, basis: [UInt8]
    ) throws(LedgerError) -> String {
        let dated = payload.occurredAt != nil
        let digest = try Crypto.sha256(payload.encoded + (dated ? [] : basis))
        return "import:" + Base32.encode(digest.bytes.prefix(20))
    }
}

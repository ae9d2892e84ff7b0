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
        /// When the newest event it rests on happened, Unix milliseconds.
        var time: Int64
        /// What it rests on, so that a state without a time differs from the same one earlier.
        var basis: [UInt8]
        var hasEvidence: Bool
        /// Whether something is in force and nothing contradicts it.
        var isAlone: Bool
    }

    private let ledger: Ledger
    private let isDryRun: Bool
    private let now: Int64
    private var waiting: [ImportBatch.State] = []
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
        let grantsMore =
            status > before.status || extent.intersection(before.extent) != extent
        if let time = payload.occurredAt, before.hasEvidence, time < before.time, grantsMore {
            return report.setAside.add(
                state.line, "older than what is in force, and would allow more than that")
        }
        var draft = state.draft
        draft.payload.idempotencyKey = try Self.idempotencyKey(payload, basis: before.basis)
        known[key] = Known(
            status: status, extent: extent, time: min(payload.occurredAt ?? now, now),
            basis: Array((draft.payload.idempotencyKey ?? "").utf8), hasEvidence: true,
            isAlone: true)
        waiting.append(ImportBatch.State(line: state.line, draft: draft))
        if waiting.count >= Self.batchMax { try flush(&report) }
    }

    /// Appends what waits.
    mutating func flush(_ report: inout ImportReport) throws(LedgerError) {
        defer { waiting.removeAll(keepingCapacity: true) }
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
        var time = Int64.min
        var basis: [UInt8] = []
        for id in status.evidence {
            basis += id.bytes
            guard let event = try ledger.event(id)?.event else { continue }
            // Nothing happened after it was recorded, whatever it claims.
            let recorded = event.header.timestamp.milliseconds
            time = max(time, min(event.payload?.occurredAt ?? recorded, recorded))
        }
        return Known(
            status: status.status, extent: status.extent, time: time, basis: basis,
            hasEvidence: !status.evidence.isEmpty,
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

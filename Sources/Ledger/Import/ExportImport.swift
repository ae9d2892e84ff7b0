/// Takes an export back: into its own ledger as the very same events, verified as if a peer had
/// sent them; into another ledger as observations with a claimed source.
struct ExportImport {
    private static let intervalBytesMax = 1 << 20
    /// An import asks for no status, so that its memory need not grow with the ledger.
    private static let statesMax = 24_576

    private let ledger: Ledger
    private let options: ImportOptions
    private var assembly = IntervalAssembly()
    private var proof: IntervalProof
    private var observations: ObservationWriter
    private var source: LedgerID?
    private var waiting: [(line: Int, interval: Interval)] = []
    private var waitingBytes = 0
    /// Logs whose author's admission may stand further down: events stand in the order of their
    /// arrival, and a log may have arrived before it.
    private var unadmitted: [(line: Int, interval: Interval, reason: String)] = []
    private var unadmittedBytes = 0
    private static let unadmittedBytesMax = 16 << 20

    init(_ ledger: Ledger, _ options: ImportOptions) throws(LedgerError) {
        self.ledger = ledger
        self.options = options
        proof = try IntervalProof()
        observations = ObservationWriter(ledger, options)
    }

    mutating func run(
        _ records: consuming ExportReader, _ report: inout ImportReport,
        _ progress: (Int) -> Void
    ) throws(LedgerError) {
        while let item = try records.next() {
            report.recordCount += 1
            if report.recordCount % 256 == 0 { progress(report.recordCount) }
            do throws(LedgerError) {
                try take(try item.record.get(), item.line, &report)
            } catch  where Self.isAboutTheFile(error) {
                report.setAside.add(item.line, error.message)
            }
        }
        try finish(&report)
    }

    private static func isAboutTheFile(_ error: LedgerError) -> Bool {
        [.malformed, .notVerified, .invalid].contains(error.code)
    }

    private mutating func take(
        _ record: ExportRecord, _ line: Int, _ report: inout ImportReport
    ) throws(LedgerError) {
        if case .ledger(let id) = record {
            guard source == nil || source == id else {
                throw LedgerError(.malformed, "a second ledger in one file; import them apart")
            }
            source = id
            report.isForeignLedger = id != ledger.id
            return
        }
        guard source != nil else {
            throw LedgerError(.malformed, "it stands before the record that names the ledger")
        }
        switch record {
        case .ledger: break
        case .event(let event, let author):
            try checkOpening(event, author)
            try assembly.add(event, line)
        case .checkpoint(let checkpoint, let author):
            let closed = try assembly.close(checkpoint, by: author)
            let isProven = proof.accepts(closed.interval)
            if report.isForeignLedger {
                guard isProven else { throw Self.unproven(closed) }
                try observe(closed, &report)
            } else if options.isDryRun {
                // What is not in the file may be in the ledger: only an import can tell then.
                guard isProven || closed.interval.first > 0 else { throw Self.unproven(closed) }
                try rehearse(closed.interval, &report)
            } else {
                try queue(closed.interval, line, &report)
            }
        }
    }

    /// The first event of a log proves which ledger and which replica it belongs to.
    private func checkOpening(_ event: StoredEvent, _ author: ReplicaID) throws(LedgerError) {
        guard event.header.kind == .logOpened, let source, let body = event.body,
            let opening = try? LogOpening(encoded: body.payload)
        else { return }
        let log = try LedgerIdentity.logID(
            ledger: source, replica: opening.replica, epoch: opening.epoch)
        guard log == event.header.log, opening.replica == author else {
            throw LedgerError(
                .notVerified, "it opens a log of another ledger, or of another author, than stated")
        }
    }

    private static func unproven(_ closed: IntervalAssembly.Closed) -> LedgerError {
        LedgerError(
            .notVerified,
            "its root is not that of the \(closed.interval.events.count) events since line "
                + "\(closed.lines[0]), which were not taken")
    }

    private mutating func finish(_ report: inout ImportReport) throws(LedgerError) {
        try ingest(&report)
        for (line, _, reason) in unadmitted { report.setAside.add(line, reason) }
        let rest = assembly.rest()
        let unproven = try report.isForeignLedger ? [] : missing(rest.map(\.event))
        for (line, event) in rest {
            let id = try Self.id(of: event)
            if report.isForeignLedger || unproven.contains(id) {
                report.setAside.add(line, "no checkpoint after it proves it")
            } else {
                report.presentCount += 1
            }
        }
        try observations.flush(&report)
    }

    /// Which of the events are not in the ledger, found in one pass: ids have no index.
    private func missing(_ events: [StoredEvent]) throws(LedgerError) -> Set<EventID> {
        var missing: Set<EventID> = []
        for event in events { missing.insert(try Self.id(of: event)) }
        if missing.isEmpty { return missing }
        try ledger.history(HistoryFilter()) { (entry) throws(LedgerError) in
            missing.remove(entry.event.id)
            return !missing.isEmpty
        }
        return missing
    }

    private static func id(of event: StoredEvent) throws(LedgerError) -> EventID {
        let digester = try Digester()
        return EventID(raw: event.header.bytes.withUnsafeBytes { digester.leaf($0) })
    }
}

// MARK: - The same ledger

extension ExportImport {
    private mutating func queue(
        _ interval: Interval, _ line: Int, _ report: inout ImportReport
    ) throws(LedgerError) {
        waiting.append((line, interval))
        waitingBytes += Self.byteCount(interval)
        if waitingBytes >= Self.intervalBytesMax { try ingest(&report) }
    }

    private static func byteCount(_ interval: Interval) -> Int {
        interval.events.reduce(0) { sum, event in
            sum + event.header.encodedLength + (event.body?.payloadLength ?? 0)
        }
    }

    /// Takes what waits, and after each admission what was refused before it.
    private mutating func ingest(_ report: inout ImportReport) throws(LedgerError) {
        var offered = waiting
        (waiting, waitingBytes) = ([], 0)
        while !offered.isEmpty {
            let results = try ledger.ingest(offered.map(\.interval))
            try ledger.releaseStates(above: Self.statesMax)
            var hasAdmission = false
            for ((line, interval), result) in zip(offered, results) {
                switch result {
                case .success(let receipt):
                    hasAdmission = hasAdmission || Self.admits(interval)
                    note(receipt, interval, &report)
                case .failure(let error) where error.code == .unknownAuthor:
                    hold(interval, line, error, &report)
                case .failure(let error): report.setAside.add(line, error.message)
                }
            }
            guard hasAdmission else { return }
            offered = unadmitted.map { ($0.line, $0.interval) }
            (unadmitted, unadmittedBytes) = ([], 0)
        }
    }

    private static func admits(_ interval: Interval) -> Bool {
        interval.events.contains { $0.header.kind == .memberAdmitted }
    }

    private func note(
        _ receipt: IngestReceipt, _ interval: Interval, _ report: inout ImportReport
    ) {
        report.addedCount += receipt.newEvents
        report.presentCount += interval.events.count - receipt.newEvents
        report.payloadCount += receipt.newPayloads
        if receipt.isFork { report.forkCount += 1 }
    }

    private mutating func hold(
        _ interval: Interval, _ line: Int, _ error: LedgerError, _ report: inout ImportReport
    ) {
        let size = Self.byteCount(interval)
        guard unadmittedBytes + size <= Self.unadmittedBytesMax else {
            report.setAside.add(line, error.message)
            return
        }
        unadmitted.append((line, interval, error.message))
        unadmittedBytes += size
    }

    private func rehearse(
        _ interval: Interval, _ report: inout ImportReport
    ) throws(LedgerError) {
        let end = interval.checkpoint
        if try ledger.holds(Tip(log: end.log, size: end.size, root: end.root)) {
            report.presentCount += interval.events.count
        } else {
            report.addedCount += interval.events.count
        }
    }
}

// MARK: - Another ledger

extension ExportImport {
    private mutating func observe(
        _ closed: IntervalAssembly.Closed, _ report: inout ImportReport
    ) throws(LedgerError) {
        for (line, event) in zip(closed.lines, closed.interval.events) {
            guard let draft = try Self.observation(of: event, in: source) else {
                report.skipped.add(line, "it decides nothing that another ledger could observe")
                continue
            }
            try observations.take(ImportBatch.State(line: line, draft: draft), &report)
        }
    }

    /// What an event decided, as something that another ledger claims.
    ///
    /// - Returns: nil for an event that decides nothing, or that cannot be read.
    static func observation(
        of event: StoredEvent, in source: LedgerID?
    ) throws(LedgerError) -> Draft? {
        guard let bytes = event.body?.payload, let old = try? Payload(encoded: bytes),
            let subject = old.subject, let resource = old.resource,
            let status = status(event.header.kind, old)
        else { return nil }
        let place = old.device.flatMap { device in
            old.install.map { Place(device: device, install: $0) }
        }
        var draft = Draft.observed(subject, resource: resource, at: place, status)
        draft.payload.device = old.device
        draft.payload.install = old.install
        draft.payload.scope = old.scope
        draft.payload.extent = old.extent
        draft.payload.authority =
            old.authority
            ?? (event.header.kind == .answerGiven ? .person : .unknown)
        draft.payload.end = status.isGranting ? old.end : nil
        draft.payload.application = old.application
        draft.payload.applicationVersion = old.applicationVersion
        draft.payload.signingIdentity = old.signingIdentity
        draft.payload.occurredAt = old.occurredAt ?? event.header.timestamp.milliseconds
        draft.payload.source = "ledger:" + (source?.description ?? "unknown")
        draft.payload.note = "\(event.header.kind) \(try id(of: event))"
        return draft
    }

    private static func status(_ kind: EventKind, _ payload: Payload) -> PermissionStatus? {
        switch kind {
        case .settingsChanged: payload.status
        case .answerGiven:
            switch payload.outcome {
            case .allowed: payload.status ?? .authorized
            case .denied: .denied
            default: nil
            }
        default: nil
        }
    }
}

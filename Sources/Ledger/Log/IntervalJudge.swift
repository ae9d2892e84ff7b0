/// Judges what comes from outside as far as it needs nothing that the ledger holds, so that a
/// second thread can do it ahead: hashes, subjects, and what each event says.
///
/// `@unchecked Sendable`: `tagCheck` belongs to the thread that judges until that has ended.
final class IntervalJudge: @unchecked Sendable {
    private static let intervalEventsMax = 4096
    private static let intervalBytesMax = 16 << 20
    /// Fewer events than this are judged before a thread has begun.
    private static let threadedEventsMin = 256

    /// What an event comes to.
    struct Judged: Sendable {
        let id: EventID
        /// Whether the payload is here and is the one that the header commits to.
        let isBodyGood: Bool
        /// What it contributes with its good payload or without one; of no row yet.
        var fact: Fact
    }

    private let digester: Digester
    private var tagCheck: TagCheck

    init(_ digester: Digester, _ tagger: SubjectTagger) {
        self.digester = digester
        tagCheck = TagCheck(tagger)
    }

    /// Makes and judges intervals, each when it is taken or shortly before.
    func judging(
        _ source: IntervalSource
    ) -> AheadOfUse<Result<(Interval, [Judged]), LedgerError>> {
        AheadOfUse(
            count: source.count,
            usesThread: source.count > 1 && source.events >= Self.threadedEventsMin
        ) { [self] place in
            Result { () throws(LedgerError) in
                let interval = try source.make(place).get()
                return (interval, try judge(interval))
            }
        }
    }

    private func judge(_ interval: Interval) throws(LedgerError) -> [Judged] {
        try checkShape(interval)
        var judged: [Judged] = []
        judged.reserveCapacity(interval.events.count)
        var scratch: [UInt8] = []
        for (index, event) in interval.events.enumerated() {
            let id =
                interval.ids?[index] ?? StoredRow.encode(event.header, into: &scratch, digester)
            judged.append(try judge(event, id, isHashed: interval.ids != nil))
        }
        return judged
    }

    private func judge(
        _ event: StoredEvent, _ id: EventID, isHashed: Bool
    ) throws(LedgerError) -> Judged {
        let header = event.header
        if let body = event.body, body.hasWholeSalt, body.payloadLength == header.payloadLength {
            let judged = body.bytes.withUnsafeBytes { bytes in
                Result { () throws(LedgerError) -> Judged? in
                    guard isHashed || digester.digest(bytes) == header.commitment else {
                        return nil
                    }
                    let scanned = ScannedBody(header.kind, bytes)
                    guard try tagCheck.isAbout(header, scanned) else { return nil }
                    return Judged(
                        id: id, isBodyGood: true, fact: Fact(id, header, scanned, row: 0))
                }
            }
            if let judged = try judged.get() { return judged }
        }
        return Judged(id: id, isBodyGood: false, fact: Fact(id, header, .missing, row: 0))
    }

    private func checkShape(_ interval: Interval) throws(LedgerError) {
        let checkpoint = interval.checkpoint
        guard !interval.events.isEmpty, interval.events.count <= Self.intervalEventsMax else {
            throw LedgerError(.limit, "An interval has 1 to \(Self.intervalEventsMax) events.")
        }
        let (end, overflow) = interval.first.addingReportingOverflow(UInt64(interval.events.count))
        guard !overflow, checkpoint.size == end else {
            throw LedgerError(.notVerified, "The interval does not end at its checkpoint.")
        }
        var bytes = 0
        for (index, event) in interval.events.enumerated() {
            guard event.header.log == checkpoint.log,
                event.header.sequence == interval.first + UInt64(index)
            else {
                throw LedgerError(
                    .notVerified, "Event \(index) of the interval is out of place in its log.")
            }
            bytes += event.header.encodedLength + (event.body?.payloadLength ?? 0)
        }
        guard bytes <= Self.intervalBytesMax else {
            throw LedgerError(.limit, "An interval has at most \(Self.intervalBytesMax) bytes.")
        }
    }
}

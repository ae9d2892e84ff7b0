import Ledger

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Recording: in batches, one at a time, from many threads.
enum AppendBenchmarks {
    static func stream(_ count: Int) {
        var stream = EventStream(seed: 1)
        stream.skip(count)
        print("{\"events\":\(count),\"digest\":\"\(hex(stream.digest))\"}")
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Batches into a new ledger, each followed by a status that must be current.
    static func batch(_ directory: String, _ count: Int, _ batch: Int) throws(LedgerError) {
        let (ledger, _) = try Ledger.create(at: directory)
        var stream = EventStream(seed: 1)
        let (seconds, recorded) = try record(ledger, &stream, count, batch, readingAfterEach: true)
        let start = Measure.now()
        try ledger.close()
        let closing = Measure.now() - start
        Measure.report([
            "events": Double(recorded), "seconds": seconds + closing, "closing": closing,
            "bytes": Double(Measure.bytes(inDirectory: directory)),
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }

    /// Making the drafts is not measured, as making the rows is not in the baselines.
    private static func record(
        _ ledger: Ledger, _ stream: inout EventStream, _ count: Int, _ batch: Int,
        readingAfterEach: Bool
    ) throws(LedgerError) -> (seconds: Double, recorded: Int) {
        var seconds = 0.0
        var recorded = 0
        var done = 0
        while done < count {
            let (drawn, drafts) = stream.drafts(min(batch, count - done))
            let last = drawn[drawn.count - 1]
            let query = StatusQuery(
                stream.names.subjects[last.subject], resource: Names.resources[last.resource],
                at: stream.names.places[last.subject])
            let start = Measure.now()
            let receipts = try ledger.append(drafts)
            if readingAfterEach { _ = try ledger.status(query) }
            seconds += Measure.now() - start
            recorded += receipts.count { $0.isNew }
            stream.note(receipts, of: drawn)
            done += drafts.count
        }
        return (seconds, recorded)
    }

    /// Leaves the longest unflushed tail behind, as a process does that is killed.
    static func tail(_ directory: String, _ skipped: Int, _ count: Int) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        var stream = EventStream(seed: 1)
        stream.skip(skipped)
        let (seconds, recorded) = try record(
            ledger, &stream, count, 1000, readingAfterEach: false)
        Measure.report(["events": Double(recorded), "seconds": seconds])
        fflush(nil)
        _exit(0)
    }

    static func durable(_ directory: String, _ skipped: Int, _ count: Int) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        var stream = EventStream(seed: 1)
        stream.skip(skipped)
        let (_, drafts) = stream.drafts(count)
        var recorded = 0
        let start = Measure.now()
        for draft in drafts where try ledger.append(draft).isNew { recorded += 1 }
        let seconds = Measure.now() - start
        try ledger.close()
        Measure.report(["events": Double(recorded), "seconds": seconds])
    }

    /// `threads` threads, each recording its share one event at a time.
    static func concurrent(
        _ directory: String, _ skipped: Int, _ count: Int, threads: Int
    ) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        var stream = EventStream(seed: 1)
        stream.skip(skipped)
        let shares = (0..<threads).map { _ in stream.drafts(count / threads).drafts }
        let start = Measure.now()
        let failures = Threads.run(threads) { index in
            for draft in shares[index] {
                do throws(LedgerError) { try ledger.append(draft) } catch { return false }
            }
            return true
        }
        let seconds = Measure.now() - start
        try ledger.close()
        guard failures == 0 else { throw LedgerError(.io, "\(failures) threads failed to record.") }
        Measure.report(["events": Double(count / threads * threads), "seconds": seconds])
    }
}

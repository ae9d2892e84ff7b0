import Ledger

/// Taking in another replica's log.
enum MergeBenchmarks {
    private static let chunkBytes = 4 << 20

    /// Ingests every log of a ledger into a new replica of it; reading the source is not measured.
    static func ingest(_ source: String, into directory: String) throws(LedgerError) {
        let from = try Ledger(openAt: source)
        let into = try Ledger.join(try from.invitation(), at: directory)
        var seconds = 0.0
        var events = 0
        for tip in try from.tips() {
            var first: UInt64 = 0
            while first < tip.size {
                let intervals = try from.intervals(of: tip, from: first, bytesMax: chunkBytes)
                guard let last = intervals.last else { break }
                let start = Measure.now()
                let results = try into.ingest(intervals)
                seconds += Measure.now() - start
                for result in results { events += try result.get().newEvents }
                first = last.first + UInt64(last.events.count)
            }
        }
        let start = Measure.now()
        try into.close()
        seconds += Measure.now() - start
        Measure.report([
            "events": Double(events), "seconds": seconds,
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }
}

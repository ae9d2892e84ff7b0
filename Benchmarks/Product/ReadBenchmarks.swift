import Ledger

/// Asking: status, history, verification, rebuild, memory.
enum ReadBenchmarks {
    /// Statuses of random keys; the queries are made beforehand, as an app holds its names.
    static func status(_ directory: String, _ count: Int) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        let names = Names()
        var seconds = 0.0
        var found = 0
        for _ in 0..<2 {  // The first pass warms.
            var keys = SplitMix(state: 7)
            found = 0
            let start = Measure.now()
            for _ in 0..<count {
                let drawn = keys.next()
                let subject = Int(drawn % UInt64(Names.subjectCount))
                let query = StatusQuery(
                    names.subjects[subject], resource: Names.resources[Int(drawn >> 32 & 7)],
                    at: names.places[subject])
                if try ledger.status(query).reason != .nothingRecorded { found += 1 }
            }
            seconds = Measure.now() - start
        }
        Measure.report(["count": Double(count), "seconds": seconds, "found": Double(found)])
    }

    static func history(_ directory: String, _ count: Int) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        let names = Names()
        var seconds = 0.0
        var events = 0
        for _ in 0..<2 {
            var keys = SplitMix(state: 11)
            events = 0
            let start = Measure.now()
            for _ in 0..<count {
                var filter = HistoryFilter()
                filter.subject = names.subjects[Int(keys.next() % UInt64(Names.subjectCount))]
                try ledger.history(filter) { _ in
                    events += 1
                    return true
                }
            }
            seconds = Measure.now() - start
        }
        Measure.report(["count": Double(count), "seconds": seconds, "rows": Double(events)])
    }

    static func verify(_ directory: String) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        let start = Measure.now()
        let report = try ledger.verify()
        let seconds = Measure.now() - start
        guard report.isSound else { throw LedgerError(.notVerified, "The ledger is not sound.") }
        Measure.report([
            "events": Double(report.eventCount), "seconds": seconds,
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }

    static func rebuild(_ directory: String) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        let start = Measure.now()
        try ledger.rebuild()
        try ledger.close()
        Measure.report([
            "seconds": Measure.now() - start,
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }

    /// Resident memory of a process that opened the ledger and gave one answer.
    static func memory(_ directory: String) throws(LedgerError) {
        let start = Measure.now()
        let ledger = try Ledger(openAt: directory)
        let query = StatusQuery(
            "subj-004242", resource: "contacts", at: Names().places[4242])
        _ = try ledger.status(query)
        Measure.report([
            "seconds": Measure.now() - start,
            "residentKB": Double(Measure.residentKilobytes("VmRSS")),
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }
}

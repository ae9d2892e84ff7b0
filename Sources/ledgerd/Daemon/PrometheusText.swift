internal import Ledger

/// Writes metrics in the text format 0.0.4 that Prometheus reads
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct PrometheusText {
    enum Kind: String { case counter, gauge, histogram }

    private(set) var text = ""
    private var name = ""

    /// Begins a metric.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = "ledgerd_\(name)"
        text += "# HELP \(self.name) \(help)\n# TYPE \(self.name) \(kind.rawValue)\n"
    }

    /// One value of the metric that was begun.
    mutating func sample(
        _ value: some BinaryInteger, _ labels: KeyValuePairs<String, String> = [:]
    ) {
        line("", labels.map { ($0.key, $0.value) }, String(value))
    }

    mutating func sample(seconds: Double) { line("", [], String(seconds)) }

    mutating func histogram(_ histogram: Metrics.Histogram) {
        var sum: UInt64 = 0
        for (bound, count) in zip(Metrics.Histogram.boundsMicroseconds, histogram.counts) {
            sum += count
            line("_bucket", [("le", String(Double(bound) / 1_000_000))], String(sum))
        }
        sum += histogram.counts.last ?? 0
        line("_bucket", [("le", "+Inf")], String(sum))
        line("_sum", [], String(Double(histogram.sumNanoseconds) / 1_000_000_000))
        line("_count", [], String(sum))
    }

    private mutating func line(_ suffix: String, _ labels: [(String, String)], _ value: String) {
        text += name + suffix
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",")
            text += "}"
        }
        text += " \(value)\n"
    }

    private static func escape(_ value: String) -> String {
        var result = ""
        for character in value {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}

extension Daemon {
    /// All metrics, as they are now.
    func metricsText() throws(Failure) -> String {
        var text = PrometheusText()
        text.family("build_info", .gauge, "Always 1; the version stands in the label.")
        text.sample(1, ["version": VersionCommand.number])
        text.family("start_time_seconds", .gauge, "When the daemon started, in Unix seconds.")
        text.sample(seconds: Double(startedAt) / 1000)
        text.family("log_events", .gauge, "Events held of each log, by its id.")
        for (log, size) in try logSizes() { text.sample(size, ["log": log.description]) }
        let counts = metrics.current
        text.family(
            "commit_duration_seconds", .histogram,
            "Time of a commit, nearly all of it the fsync of the write-ahead log.")
        text.histogram(counts.commits)
        text.family(
            "append_duration_seconds", .histogram,
            "Time from the request to record until all of it was durable.")
        text.histogram(counts.appends)
        text.family(
            "appended_events_total", .counter, "Events recorded through the control socket.")
        text.sample(counts.eventsAppended)
        text.family("control_requests_total", .counter, "Requests to the control socket.")
        for (request, count) in counts.requests.sorted(by: { $0.key < $1.key }) {
            text.sample(
                count,
                ["op": request.operation, "outcome": request.failed ? "refused" : "done"])
        }
        addFiles(to: &text)
        return text.text
    }

    private func addFiles(to text: inout PrometheusText) {
        text.family("database_bytes", .gauge, "Size of each file of the database.")
        for name in ["ledger.db", "ledger.db-wal"] {
            text.sample(DiskSpace.size("\(directory)/\(name)") ?? 0, ["file": name])
        }
        text.family("disk_free_bytes", .gauge, "Room left on the disk that holds the ledger.")
        text.sample(DiskSpace.free(directory) ?? 0)
    }

    /// The longest chain of each log.
    private func logSizes() throws(Failure) -> [(LogID, UInt64)] {
        let chains = try lifted { () throws(LedgerError) in try ledger.logSizes() }
        let sizes = Dictionary(chains.map { ($0.log, $0.size) }, uniquingKeysWith: max)
        return sizes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

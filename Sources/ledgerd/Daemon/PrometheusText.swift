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

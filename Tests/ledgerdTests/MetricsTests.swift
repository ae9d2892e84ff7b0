import Ledger
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A scraper.
enum MetricsProbe {
    /// The port that a daemon's log names.
    static func port(_ child: ChildProcess) throws -> UInt16 {
        try child.waitForMessage("metrics are served port=")
        let rest = child.errorText.split(separator: "metrics are served port=").last ?? ""
        return try #require(UInt16(rest.prefix { $0.isNumber }))
    }

    static func get(_ port: UInt16, _ request: String? = nil) throws -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let text = request ?? "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        _ = FileDescriptor.writeAll(Array(text.utf8), to: descriptor)
        var bytes: [UInt8] = []
        while let more = try? FileDescriptor.read(65536, from: descriptor, name: "metrics"),
            !more.isEmpty
        {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite struct MetricsTests {
    @Test func `every line is one that Prometheus reads, and names no person`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start(["--metrics", "127.0.0.1:0"])
        let client = try fixture.client()
        _ = try client.result(DaemonTests.answer)
        let response = try MetricsProbe.get(try MetricsProbe.port(child))
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let body = response.split(separator: "\r\n\r\n", maxSplits: 1)[1]
        var families: Set<Substring> = []
        let sample = /^([a-z_]+)(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? [0-9.e+-]+$/
        for line in body.split(separator: "\n") {
            if line.hasPrefix("#") {
                let words = line.split(separator: " ")
                #expect(["HELP", "TYPE"].contains(words[1]))
                families.insert(words[2])
                continue
            }
            let match = try #require(line.wholeMatch(of: sample), "\(line)")
            let name = String(match.1)
            let base = ["_bucket", "_sum", "_count"].reduce(name) { base, suffix in
                base.hasSuffix(suffix) ? String(base.dropLast(suffix.count)) : base
            }
            #expect(families.contains(Substring(base)), "\(line)")
        }
        #expect(body.contains("ledgerd_append_duration_seconds_count 1\n"))
        #expect(body.contains("ledgerd_appended_events_total 1\n"))
        let log = try #require(try Ledger(openAt: fixture.state).log)
        #expect(body.contains("ledgerd_log_events{log=\"\(log)\"} 2\n"), "\(body)")
        #expect(!body.contains("mail") && !body.contains("\"me\""))
        // Text in a comment of the format says which numbers go with which.
        #expect(body.contains("ledgerd_build_info{version=\"\(VersionCommand.number)\"} 1\n"))
    }

    @Test(arguments: [
        ("GET /metrics HTTP/1.1\r\n\r\n", "200"), ("GET /metrics?x=1 HTTP/1.0\r\n\r\n", "200"),
        ("GET / HTTP/1.1\r\n\r\n", "404"), ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
        ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        ("GET /metrics HTTP/1.1\r\nhost: 127.0.0.1.evil.example\r\n\r\n", "403"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9\r\nHost: evil\r\n\r\n", "403"),
        ("GET /metrics HTTP/1.1\r\nHost: [::1]:9464\r\n\r\n", "200"),
        ("nonsense\r\n\r\n", "400"), ("GET /metrics SPDY/3\r\n\r\n", "400"),
        ("\u{0}\u{1}\r\n\r\n", "400"), ("GET /metrics HTTP/1.1\r\n", "400"),
    ])
    func `only GET of the metrics by a loopback name is answered`(head: String, code: String) {
        let response = MetricsResponse(to: Array(head.utf8)) { "up 1\n" }
        let text = String(decoding: response.bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 \(code) "), "\(text)")
        #expect(text.contains("up 1") == (code == "200"))
    }

    @Test func `a long or silent client keeps nobody else waiting for long`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start(["--metrics", "127.0.0.1:0"])
        let port = try MetricsProbe.port(child)
        let long = "GET /metrics HTTP/1.1\r\nX: " + String(repeating: "a", count: 9000)
        #expect(try MetricsProbe.get(port, long).hasPrefix("HTTP/1.1 400"))
        #expect(try MetricsProbe.get(port, "G").isEmpty)
        #expect(try MetricsProbe.get(port).hasPrefix("HTTP/1.1 200"))
    }

    @Test func `a histogram counts each time once, in the first bucket that holds it`() {
        var histogram = Metrics.Histogram()
        for nanoseconds in [1, 100_000, 100_001, 6_000_000_000] {
            histogram.add(nanoseconds: Int64(nanoseconds))
        }
        #expect(histogram.counts.first == 2 && histogram.counts[1] == 1)
        #expect(histogram.counts.last == 1 && histogram.counts.reduce(0, +) == 4)
        var text = PrometheusText()
        text.family("x", .histogram, "Help.")
        text.histogram(histogram)
        #expect(text.text.contains("ledgerd_x_bucket{le=\"0.0001\"} 2\n"))
        #expect(text.text.contains("ledgerd_x_bucket{le=\"+Inf\"} 4\n"))
    }
}

import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The golden vectors of the interval encoding, which an independent decoder reads as well.
///
/// `UPDATE_VECTORS=1 swift test --filter IntervalVectorTests` writes them anew. Another version of
/// zlib may compress to other bytes: what must hold for ever is what the bytes decode to.
@Suite struct IntervalVectorTests {
    private static let path = "Tests/LedgerTests/Vectors/intervals.json"

    private static func streams() throws -> [[(bytes: [UInt8], interval: Interval)]] {
        try (0..<4).map { seed in
            var random = SplitMix(seed: 1000 + UInt64(seed))
            var sample = IntervalSample(&random, first: 0)
            var encoder = IntervalEncoder(host: EmptyHost(), wholeIDs: seed == 3)
            return try [1, 3, 40, 25].map { count in
                let interval = try sample.interval(count, &random)
                return (try encoder.encode(interval), interval)
            }
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        "\"" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }

    private static func json(_ event: StoredEvent) -> String {
        let header = "\"header\": \(hex(event.header.bytes))"
        guard let body = event.body else {
            return "        {\(header), \"hole\": \(event.hole.rawValue)}"
        }
        return "        {\(header), \"salt\": \(hex(body.salt)), \"payload\": \(hex(body.payload))}"
    }

    private static func json(_ bytes: [UInt8], _ interval: Interval) -> String {
        """
            {
              "encoded": \(hex(bytes)),
              "first": \(interval.first),
              "root": \(hex(interval.checkpoint.root.bytes)),
              "signature": \(hex(interval.checkpoint.signature)),
              "events": [
        \(interval.events.map { json($0) }.joined(separator: ",\n"))
              ]
            }
        """
    }

    @Test func `the vectors decode to the samples they were made from`() throws {
        let streams = try Self.streams()
        if getenv("UPDATE_VECTORS") != nil {
            let parts = streams.map { stream in
                "  {\n    \"log\": \(Self.hex(stream[0].interval.tip.log.bytes)),\n"
                    + "    \"intervals\": [\n"
                    + stream.map { Self.json($0.bytes, $0.interval) }.joined(separator: ",\n")
                    + "\n    ]\n  }"
            }
            let text = "[\n" + parts.joined(separator: ",\n") + "\n]\n"
            let file = try #require(fopen("\(SourceTree.root)/\(Self.path)", "w"))
            fputs(text, file)
            fclose(file)
        }
        let text = try #require(SourceTree.read(Self.path), "UPDATE_VECTORS=1 writes it")
        let lines = text.split(separator: "\n").filter { $0.contains("\"encoded\"") }
        let stored = lines.compactMap { line in
            Self.bytes(line.split(separator: "\"").filter { $0.count > 9 }.last ?? "")
        }
        try #require(stored.count == 16)
        var next = stored[...]
        for stream in streams {
            var decoder = IntervalDecoder(host: EmptyHost())
            for (_, interval) in stream {
                let bytes = next.removeFirst()
                #expect(try decoder.decode(bytes, of: interval.tip.log) == interval)
            }
        }
    }

    private static func bytes(_ hex: Substring) -> [UInt8]? {
        let digits = Array(hex)
        guard digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0
        }
    }
}

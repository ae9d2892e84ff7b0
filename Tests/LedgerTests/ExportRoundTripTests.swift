import TestSupport
import Testing

@testable import Ledger

@Suite struct ExportRoundTripTests {
    private let folder: ImportScratchFolder
    private let source: Ledger
    private let peer: Ledger

    init() throws {
        folder = ImportScratchFolder()
        source = try Ledger.create(at: folder.name("source")).ledger
        peer = try Ledger.join(try source.invitation(), at: folder.name("peer"))
        let phone = Place(device: "phone", install: "1")
        try source.append(.primerShown("=me", resource: "camera", at: phone))
        try source.append(.allowed("=me", resource: "camera", at: phone))
        try source.append(.allowed("Ame\u{301}lie", resource: "photos", at: phone))
        try source.append((0..<1500).map { .denied("s\($0)", resource: "camera", at: phone) })
        try source.append(.denied("=me", resource: "camera", at: phone))
    }

    private func export(_ format: ExportRenderer.Format) throws -> String {
        let path = folder.name("export")
        let summary = try Exporter(source, format).run(to: path)
        #expect(summary.eventCount == 1505)
        #expect(summary.checkpointCount >= 2)
        return path
    }

    private var options: ImportOptions { ImportOptions(device: "here") }

    @Test(arguments: ExportRenderer.Format.allCases)
    func `into the same ledger the very same events come back`(
        _ format: ExportRenderer.Format
    ) throws {
        let path = try export(format)
        var rehearsal = options
        rehearsal.isDryRun = true
        let dry = try Importer(path, rehearsal).run(into: peer)
        #expect(dry.addedCount == 1505)
        #expect(try peer.tips().count == 1)
        let report = try Importer(path, options).run(into: peer)
        #expect(report.addedCount == 1505)
        #expect(report.setAside.isEmpty)
        #expect(!report.isForeignLedger)
        for tip in try source.tips() { #expect(try peer.holds(tip)) }
        let again = try Importer(path, options).run(into: peer)
        #expect(again.addedCount == 0)
        #expect(again.presentCount == 1505)
        #expect(try Importer(path, options).run(into: source).addedCount == 0)
    }

    @Test func `a log that arrived before its author was admitted comes back too`() throws {
        let newcomer = try Ledger.join(try source.invitation(), at: folder.name("newcomer"))
        try newcomer.append(
            .denied("me", resource: "mail", at: Place(device: "tablet", install: "1")))
        try source.admit(try #require(newcomer.replica))
        _ = try newcomer.ingest(try Exchange.intervals(of: source))
        let path = folder.name("of newcomer")
        _ = try Exporter(newcomer, .jsonLines).run(to: path)
        var lines: [String] = []
        var reader = LineReader(try ByteSource(path: path))
        while let line = try reader.next() {
            lines.append(String(decoding: line.bytes, as: UTF8.self))
        }
        let own = try #require(newcomer.log).description
        let ofOwn = lines.dropFirst().filter { $0.contains(own) && !$0.contains("memberAdmitted") }
        let others = lines.dropFirst().filter { !ofOwn.contains($0) }
        let text = ([lines[0]] + ofOwn + others).joined(separator: "\n")
        let file = try folder.write(text, to: "reordered")
        let report = try Importer(file, options).run(into: peer)
        #expect(report.setAside.isEmpty)
        for tip in try newcomer.tips() { #expect(try peer.holds(tip)) }
    }

    @Test func `a changed record is named and nothing unproven is taken`() throws {
        let path = try export(.jsonLines)
        var lines: [[UInt8]] = []
        var reader = LineReader(try ByteSource(path: path))
        while let line = try reader.next() { lines.append(line.bytes) }
        let text = String(decoding: lines[3], as: UTF8.self)
        lines[3] = Array(text.replacing("\"allowed\"", with: "\"denied\"").utf8)
        let changed = lines.map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: "\n")
        let file = try folder.write(changed, to: "changed")
        var strict = options
        strict.isStrict = true
        #expect(throws: LedgerError(.malformed, "")) { try Importer(file, strict).run(into: peer) }
        #expect(try peer.tips().count == 1)
        let report = try Importer(file, options).run(into: peer)
        #expect(report.setAside.kept.first?.line == 4)
        #expect(report.setAside.kept.first?.reason.contains("outcome") ?? false)
        #expect(report.addedCount == 0)
    }

    @Test func `into another ledger only observations come`() throws {
        let other = try Ledger.create(at: folder.name("other")).ledger
        let path = try export(.csv)
        let report = try Importer(path, options).run(into: other)
        #expect(report.isForeignLedger)
        #expect(report.setAside.isEmpty)
        #expect(report.addedCount == 1503)
        #expect(report.skipped.count == 2)
        var kinds: Set<EventKind> = []
        try other.history(HistoryFilter()) { (entry) throws(LedgerError) in
            kinds.insert(entry.event.header.kind)
            return true
        }
        #expect(kinds == [.logOpened, .settingsChanged])
        let phone = Place(device: "phone", install: "1")
        let status = try other.status(StatusQuery("=me", resource: "camera", at: phone))
        #expect(status.status == .denied)
        #expect(status.lastAct == nil)
        #expect(!status.isConsented)
        let again = try Importer(path, options).run(into: other)
        #expect(again.addedCount == 0)
        #expect(again.setAside.isEmpty)
        #expect(again.presentCount + again.unchangedCount == 1503)
    }

    @Test func `an export that fails leaves no file under its name`() throws {
        let path = folder.name("missing/export")
        #expect(throws: LedgerError.self) { try Exporter(source, .csv).run(to: path) }
        #expect(!Files.exists(path))
        let target = folder.name("kept")
        let full = Exporter(source, .csv)
        var count = 0
        #expect(throws: LedgerError(.noSpace, "")) {
            let file = try OutputFile(target)
            try full.run { (bytes) throws(LedgerError) in
                try file.write(bytes)
                count += 1
                if count > 1 { throw LedgerError(.noSpace, "full") }
            }
            try file.commit()
        }
        #expect(!Files.exists(target))
    }
}

import Testing

@testable import Ledger

@Suite struct ExportRecordTests {
    private func read(_ text: [UInt8], _ format: ExportRenderer.Format) throws -> [ExportReader
        .Item]
    {
        let source = ByteSource(text, name: "export", chunk: 37)
        var reader = try ExportReader(source, format == .csv ? .exportCSV : .exportJSON)
        var items: [ExportReader.Item] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    @Test(arguments: ExportRenderer.Format.allCases)
    func `every record comes back as the very same bytes`(_ format: ExportRenderer.Format) throws {
        let records = try ExportSampleLog.records()
        let items = try read(try ExportSampleLog.text(records, format), format)
        #expect(try items.map { try $0.record.get() } == records)
    }

    @Test func `numbers stay below 2^53 and times carry their offset`() throws {
        let text = try ExportSampleLog.text(try ExportSampleLog.records(), .jsonLines)
        for (index, line) in text.split(separator: 0x0A).enumerated() {
            let value = try JSONReader.parse(Array(line), file: "export", firstLine: index + 1)
            for member in value.members ?? [] {
                if case .number(let source) = member.value {
                    #expect(Int64(source).map { $0 < 1 << 53 } ?? false, "\(member.key)")
                }
                if ["time", "occurredAt", "end", "wall"].contains(member.key) {
                    #expect(member.value.text?.hasSuffix("Z") ?? false)
                }
            }
        }
    }

    @Test func `no cell begins a formula`() throws {
        let text = try ExportSampleLog.text(try ExportSampleLog.records(), .csv)
        var reader = CSVReader(ByteSource(text))
        while let record = try reader.next() {
            #expect(record.cells.count == ExportRecord.columns.count)
            for cell in record.cells {
                #expect(cell.utf8.first.map { !"=+-@\t\r".utf8.contains($0) } ?? true)
            }
        }
    }

    /// Changes one field of the second record, an answer by a person, and reads all again.
    @Test(
        arguments: [
            ("time", "2026-01-01T00:00:00.001Z"), ("kind", "settingsChanged"),
            ("subject", "someone"), ("resource", "microphone"), ("outcome", "denied"),
            ("device", "tablet"), ("sequence", "5"), ("id", "aaaa"), ("log", "bbbb"),
            ("status", "authorized"), ("note", "added"), ("content", "missing"),
            ("size", "3"), ("ledger", "x"), ("author", "notbase32"), ("header", "Q0xFMQ=="),
            ("salt", "AQEBAQEBAQEBAQEBAQEBAQ=="), ("payload", "oA=="), ("record", "events"),
        ], ExportRenderer.Format.allCases)
    func `one changed field is named with its line`(
        _ change: (name: String, value: String), _ format: ExportRenderer.Format
    ) throws {
        let records = try ExportSampleLog.records()
        let text = try ExportSampleLog.text(records, format)
        let items = try read(try Self.changed(text, change, format), format)
        #expect(items.count == records.count)
        let bad = items.enumerated().filter { (try? $0.element.record.get()) == nil }
        #expect(bad.map(\.offset) == [1])
        guard case .failure(let error) = bad.first?.element.record else { return }
        let names = ["salt", "payload"].contains(change.name) ? "payload" : change.name
        let isNamed = error.message.contains("“\(names)”") || change.name == "header"
        #expect(isNamed, "\(error.message)")
        #expect(!error.message.contains("someone") && !error.message.contains("=me"))
    }

    private static func changed(
        _ text: [UInt8], _ change: (name: String, value: String), _ format: ExportRenderer.Format
    ) throws -> [UInt8] {
        guard format == .csv else {
            var lines = text.split(separator: 0x0A).map { Array($0) }
            let value = try JSONReader.parse(lines[1], file: "export")
            var members = (value.members ?? []).filter { $0.key != change.name }
            members.append(JSONMember(key: change.name, value: .string(change.value)))
            lines[1] = JSONValue.object(members).encoded
            return Array(lines.joined(separator: [0x0A]))
        }
        var reader = CSVReader(ByteSource(text))
        var result = ""
        var number = 0
        while let record = try reader.next() {
            var cells = record.cells.map(CSV.restored)
            if number == 2, let column = ExportRecord.columns.firstIndex(of: change.name) {
                cells[column] = change.value
            }
            number += 1
            result += CSV.line(cells)
        }
        return Array(result.utf8)
    }

    @Test func `a checkpoint with another signature, size or root is refused`() throws {
        var log = try ExportSampleLog()
        var other = try ExportSampleLog(seed: 9)
        _ = try log.answer("me", .allowed)
        _ = try other.answer("me", .allowed)
        let forged = ExportRecord.checkpoint(try log.checkpoint(), author: other.author)
        let items = try read(try ExportSampleLog.text([forged], .jsonLines), .jsonLines)
        #expect(throws: LedgerError(.notVerified, "")) { try items.first?.record.get() }
    }
}

@Suite struct ExportIntervalTests {
    @Test func `events come together under their checkpoints, and a lost one is noticed`() throws {
        let records = try ExportSampleLog.records()
        #expect(try proven(records) == [true, true])
        for lost in [1, 2, 3] {
            var fewer = records
            fewer.remove(at: lost)
            #expect(try proven(fewer).first == false)
        }
        var swapped = records
        swapped.swapAt(1, 2)
        #expect(try proven(swapped).first == false)
        var unclosed = records
        unclosed.removeLast()
        #expect(try proven(unclosed) == [true])
    }

    /// One verdict for each checkpoint.
    private func proven(_ records: [ExportRecord]) throws -> [Bool] {
        var assembly = IntervalAssembly()
        var proof = try IntervalProof()
        var verdicts: [Bool] = []
        for (line, record) in records.enumerated() {
            switch record {
            case .ledger: break
            case .event(let event, _): try assembly.add(event, line)
            case .checkpoint(let checkpoint, let author):
                let closed = try? assembly.close(checkpoint, by: author)
                verdicts.append(closed.map { proof.accepts($0.interval) } ?? false)
            }
        }
        return verdicts
    }

    @Test func `another ledger sees observations, never acts`() throws {
        var log = try ExportSampleLog()
        let allowed = try log.answer("me", .allowed)
        let closed = try log.answer("me", .dismissed)
        let draft = try ExportImport.observation(of: allowed, in: log.ledger)
        #expect(draft?.kind == .settingsChanged)
        #expect(draft?.payload.status == .authorized)
        #expect(draft?.payload.outcome == nil)
        #expect(draft?.payload.source == "ledger:\(log.ledger)")
        #expect(draft?.payload.occurredAt == allowed.header.timestamp.milliseconds)
        #expect(try ExportImport.observation(of: closed, in: log.ledger) == nil)
        let missing = StoredEvent(header: allowed.header, body: nil)
        #expect(try ExportImport.observation(of: missing, in: log.ledger) == nil)
    }
}

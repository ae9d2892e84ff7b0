import Testing

@testable import Ledger

@Suite struct ImportFlatpakTests {
    private static let rows = [
        ["devices", "camera", "org.example.Shot", "no", "0x00"],
        ["devices", "camera", "", "yes", "0x00"],
        ["location", "location", "org.example.Maps", "CITY,81723", "0x00"],
        ["notifications", "notification", "org.example.Post", "ask", "0x00"],
        ["wallpaper", "wallpaper", "org.example.Old", "", "0x00"],
        ["documents", "4fab", "org.example.Web", "read,write", "(b'/home/x y', 1)"],
        ["screencast", "token", "org.example.Cast", "yes", "0x00"],
    ]

    private static var piped: String {
        rows.map { $0.joined(separator: "\t") }.joined(separator: "\n") + "\n"
    }

    private static var onTerminal: String {
        let all = [FlatpakPermissions.headings] + rows
        let widths = (0..<5).map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 1)
            }
            return line
        }.joined(separator: "\n")
    }

    private func parse(_ text: String) throws -> ImportBatch {
        try FlatpakPermissions.parse(ByteSource(Array(text.utf8)), .mac)
    }

    @Test func `both layouts say the same`() throws {
        let batch = try parse(Self.piped)
        let payloads = batch.states.map(\.draft.payload)
        #expect(
            payloads.map(\.status) == [
                .denied, .authorized, .authorized, .notDetermined, .authorized,
            ])
        let resources = [
            "camera", "camera", "location", "notifications", "flatpak:screencast:token",
        ]
        #expect(payloads.map(\.resource) == resources)
        #expect(payloads[1].install == FlatpakPermissions.unsandboxed)
        #expect(payloads[1].application == nil)
        #expect(payloads[2].extent?.accuracy == .reduced)
        #expect(payloads.allSatisfy { $0.authority == .unknown && $0.occurredAt == nil })
        #expect(batch.skipped.kept.map(\.line) == [5, 6])
        #expect(batch.setAside.isEmpty)
        let terminal = try parse(Self.onTerminal)
        #expect(terminal.states.map(\.draft) == batch.states.map(\.draft))
        #expect(terminal.states.map(\.line) == batch.states.map { $0.line + 1 })
    }

    @Test(arguments: [
        "devices\tcamera\torg.example.Shot\tno", "devices\t\torg.example.Shot\tno\t0x00",
        "devices camera org.example.Shot no 0x00",
        "Table   Object App              Permissions Data\ndevices camera org.example.ShotXX no 0x00",
        "Table   Object App   Permissions Data\ndevices camera org.… no          0x00",
    ])
    func `lines out of shape are set aside, never half read`(_ text: String) throws {
        let batch = try parse(text)
        #expect(batch.states.isEmpty)
        #expect(batch.setAside.count == 1)
        #expect(batch.setAside.kept.allSatisfy { !$0.reason.contains("example") })
    }

    @Test(arguments: [piped, onTerminal])
    func `either line end and a byte order mark say the same`(_ text: String) throws {
        let plain = try parse(text)
        let other = try parse("\u{FEFF}" + text.replacing("\n", with: "\r\n"))
        #expect(other.states.map(\.draft) == plain.states.map(\.draft))
        #expect(other.states.map(\.line) == plain.states.map(\.line))
        #expect(other.setAside.isEmpty)
    }

    @Test func `a line that stands twice is taken once`() throws {
        let batch = try parse("devices\tcamera\ta.b\tno\t\ndevices\tcamera\ta.b\tyes\t\n")
        #expect(batch.states.map(\.draft.payload.status) == [.denied])
        #expect(batch.setAside.kept.map(\.line) == [2])
    }
}

@Suite struct ImportAppPrivacyReportTests {
    private func access(
        _ category: String, _ id: String, _ kind: String, _ time: String, extra: String = ""
    ) -> String {
        """
        {"type":"access","accessor":{"identifier":"org.example.tide","identifierType":"bundleID"},\
        "category":"\(category)","identifier":"\(id)","kind":"\(kind)","timeStamp":"\(time)"\(extra)}
        """
    }

    private func parse(_ lines: [String]) throws -> ImportBatch {
        let text = lines.joined(separator: "\n")
        return try AppPrivacyReport.parse(ByteSource(Array(text.utf8)), .mac)
    }

    @Test func `accesses are uses in any order, and decide nothing`() throws {
        let batch = try parse([
            access("camera", "A", "intervalEnd", "2025-09-12T09:41:17.004+02:00"),
            access("camera", "A", "intervalBegin", "2025-09-12T09:40:05.120+02:00"),
            access("mediaLibrary", "B", "intervalBegin", "2025-09-12T09:40:05Z"),
            access("photos", "C", "event", "2025-09-12T09:40:05Z", extra: ",\"outOfProcess\":true"),
            "{\"type\":\"networkActivity\",\"domain\":\"api.example.org\",\"bundleID\":\"a\"}",
            "",
        ])
        #expect(batch.states.isEmpty)
        #expect(batch.recordCount == 5)
        #expect(batch.accessCount == 4)
        #expect(batch.uses.map(\.resource) == ["camera", "media-library", "photos"])
        #expect(batch.uses.map(\.lines) == [[1, 2], [3], [4]])
        #expect(batch.uses[0].begin == 1_757_662_805_120)
        #expect(batch.uses[0].end == 1_757_662_877_004)
        #expect(batch.uses[1].end == nil)
        #expect(batch.uses[2].isOutOfProcess)
        #expect(batch.skipped.kept.map(\.line) == [5])
    }

    @Test func `lines of the betas are converted whole or refused by name`() throws {
        let beta = """
            {"stream":"com.apple.privacy.accounting.stream.tcc","accessor":{"identifier":"a.b"},\
            "tccService":"kTCCServiceAddressBook","identifier":"X","kind":"event",\
            "timestamp":"2021-06-09T14:19:48.270-05:00","version":3}
            """
        let batch = try parse([
            beta, beta.replacing("stream.tcc", with: "stream.odd"),
            beta.replacing("\"timestamp\"", with: "\"timeStamp\""),
            beta.replacing("\"tccService\"", with: "\"service\""),
        ])
        #expect(batch.uses.map(\.resource) == ["contacts"])
        #expect(batch.uses[0].begin == batch.uses[0].end)
        #expect(batch.setAside.kept.map(\.line) == [2, 3, 4])
    }

    @Test func `bad lines are set aside by number without their values`() throws {
        let good = access("camera", "A", "event", "2025-09-12T09:40:05Z")
        let batch = try parse([
            "{\"type\":\"secret\"}", good.replacing("camera", with: "secret"),
            good.replacing("05Z", with: "05"), good.replacing("\"event\"", with: "\"secret\""),
            good.replacing("\"kind\"", with: "\"type\""), "[]", "secret", good,
        ])
        #expect(batch.setAside.kept.map(\.line) == [1, 2, 3, 4, 5, 6, 7])
        #expect(batch.uses.count == 1)
        #expect(batch.setAside.kept.allSatisfy { !$0.reason.contains("secret") })
        // Whoever shows a reason shows file and line before it.
        #expect(batch.setAside.kept[6].reason == "byte 1: a value expected.")
    }
}

@Suite struct ImportFormatTests {
    @Test(
        arguments: [
            ("SQLite format 3\0…", .tccDatabase),
            ("\u{FEFF}\r\n{\"record\":\"ledger\"}\n", .exportJSON),
            ("record,format,header\n", .exportCSV), ("record;header\n", .exportCSV),
            ("scope,service,client,client_type,allowed,prompt_count,last_modified\n", .tccCSV),
            ("Table  Object App Permissions Data\n", .flatpak),
            ("\u{FEFF}Table  Object App Permissions Data\r\n", .flatpak),
            ("devices\tcamera\t\tyes\t0x00\r\n", .flatpak),
            ("devices\tcamera\t\tyes\t0x00", .flatpak),
            ("{\"type\":\"access\",\"accessor\":{}}", .appPrivacyReport),
            ("{\"stream\":\"com.apple.privacy.accounting.stream.tcc\"}", .appPrivacyReport),
        ] as [(String, ImportFormat)])
    func `tells formats by their content`(_ text: String, _ format: ImportFormat) throws {
        #expect(try ImportFormat.detect(Array(text.utf8), file: "f") == format)
    }

    @Test(arguments: ["", "\n\n", "{\"a\":1}", "hello", "GVariant....", "a,b\n", "{"])
    func `refuses the rest by name`(_ text: String) {
        #expect(throws: LedgerError(.malformed, "")) {
            try ImportFormat.detect(Array(text.utf8), file: "f")
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-16 is told as such and never half read`(_ isBigEndian: Bool, _ hasMark: Bool) {
        let text = (hasMark ? "\u{FEFF}" : "") + "devices\tcamera\torg.example.Shot\tno\t0x00\n"
        let bytes = text.utf16.flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? pair : pair.reversed()
        }
        let error = #expect(throws: LedgerError.self) {
            try ImportFormat.detect(bytes, file: "f")
        }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains("f is UTF-16 text; save it as UTF-8") == true)
    }
}

import Testing

@testable import Ledger

@Suite struct ImportObservationTests {
    private let folder: ImportScratchFolder
    private let ledger: Ledger
    private let options: ImportOptions

    init() throws {
        folder = ImportScratchFolder()
        let clock = LedgerEnvironment(wallClock: { ImportOptions.testNow })
        ledger = try Ledger.create(at: folder.name("one"), environment: clock).ledger
        options = .mac
    }

    private static let header =
        "service,client,client_type,auth_value,auth_reason,csreq,last_modified\n"

    private func importText(
        _ text: String, _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        var options = options
        change(&options)
        return try Importer(try folder.write(text), options).run(into: ledger)
    }

    private func status(_ install: String) throws -> Status {
        let place = Place(device: "mac", install: install)
        return try ledger.status(StatusQuery("me", resource: "camera", at: place))
    }

    private func row(_ client: String, _ value: String, _ time: Int) -> String {
        "kTCCServiceCamera,\(client),0,\(value),,\(time)\n"
    }

    @Test func `a state is an observation with its source, and the same file adds nothing`() throws
    {
        let text = Self.header + row("a.b", "2,2", 1_700_000_000) + row("c.d", "0,6", 1_700_000_001)
        let first = try importText(text)
        #expect(first.addedCount == 2)
        #expect(try status("a.b").status == .authorized)
        #expect(try status("a.b").isConsented == false)
        #expect(try status("a.b").lastAct == nil)
        #expect(try status("c.d").status == .restricted)
        let again = try importText(text)
        #expect(again.addedCount == 0)
        #expect(again.unchangedCount == 2)
    }

    @Test func `a state is taken once, even after it changed and came back`() throws {
        let old = Self.header + row("a.b", "2,2", 1_700_000_000)
        let new = Self.header + row("a.b", "0,3", 1_700_000_100)
        #expect(try importText(old).addedCount == 1)
        #expect(try importText(new).addedCount == 1)
        let late = try importText(old)
        #expect(late.addedCount == 0)
        #expect(late.presentCount == 1)
        #expect(late.setAside.isEmpty)
        #expect(try status("a.b").status == .denied)
    }

    @Test func `an older state never brings a grant back, and may still deny`() throws {
        let place = Place(device: "mac", install: "a.b")
        try ledger.append(.denied("me", resource: "camera", at: place))
        let report = try importText(Self.header + row("a.b", "2,2", 1_700_000_000))
        #expect(report.addedCount == 0)
        #expect(report.setAside.kept.map(\.line) == [2])
        #expect(try status("a.b").status == .denied)
        try ledger.append(.allowed("me", resource: "camera", at: place))
        #expect(try importText(Self.header + row("a.b", "0,3", 1_700_000_000)).addedCount == 1)
        #expect(try status("a.b").status == .denied)
    }

    @Test func `an older entry that turns up late is taken`() throws {
        #expect(try importText(Self.header + row("a.b", "2,2", 1_700_000_000)).addedCount == 1)
        #expect(try importText(Self.header + row("c.d", "2,2", 1_600_000_000)).addedCount == 1)
    }

    @Test func `a source without times can come and go`() throws {
        for (word, added) in [("yes", 1), ("yes", 0), ("no", 1), ("no", 0), ("yes", 1), ("yes", 0)]
        {
            let report = try importText("devices\tcamera\ta.b\t\(word)\t0x00\n")
            #expect(report.addedCount == added)
            #expect(try status("a.b").status == (word == "yes" ? .authorized : .denied))
        }
    }

    @Test func `a bad line is set aside, and a strict import then takes nothing`() throws {
        let text = Self.header + row("a.b", "9,9", 1_700_000_000) + row("c.d", "2,2", 1_700_000_000)
        #expect(throws: LedgerError(.malformed, "")) { try importText(text) { $0.isStrict = true } }
        #expect(try status("c.d").status == .notDetermined)
        let report = try importText(text)
        #expect(report.setAside.kept.map(\.line) == [2])
        #expect(report.addedCount == 1)
        #expect(try status("c.d").status == .authorized)
    }

    @Test func `a dry run says what it would do and does nothing`() throws {
        let text = Self.header + row("a.b", "2,2", 1_700_000_000)
        #expect(try importText(text) { $0.isDryRun = true }.addedCount == 1)
        #expect(try status("a.b").status == .notDetermined)
    }

    @Test func `a use while denied is named, and no event comes of uses`() throws {
        let phone = Place(device: "mac", install: "1")
        try ledger.append(.denied("me", resource: "camera", at: phone))
        let before = try ledger.lastPosition()
        let line = """
            {"type":"access","accessor":{"identifier":"org.example.tide"},"category":"CAT",\
            "identifier":"ID","kind":"KIND","timeStamp":"TIME"}

            """
        func access(_ category: String, _ id: String, _ kind: String, _ time: String) -> String {
            line.replacing("CAT", with: category).replacing("ID\"", with: "\(id)\"")
                .replacing("KIND", with: kind).replacing("TIME", with: time)
        }
        let text =
            access("camera", "A", "intervalBegin", "2026-01-31T11:59:00Z")
            + access("camera", "A", "intervalEnd", "2026-01-31T12:00:01Z")
            + access("camera", "B", "event", "2026-01-31T11:00:00Z")
            + access("photos", "C", "event", "2026-01-31T12:00:01Z")
        let report = try importText(text) { options in
            options.application = "org.example.tide"
            options.install = "1"
        }
        #expect(report.accessCount == 4)
        #expect(report.uses.count == 3)
        #expect(report.usedWhileDenied.map(\.use.lines) == [[1, 2]])
        #expect(report.usedWhileDenied.first?.status == .denied)
        #expect(report.usedWhileDenied.first?.evidence.count == 1)
        #expect(report.addedCount == 0)
        #expect(try ledger.lastPosition() == before)
    }

    @Test func `an install without its application is refused`() throws {
        #expect(throws: LedgerError(.invalid, "")) {
            try importText(Self.header) { $0.install = "1" }
        }
    }
}

import Testing

@testable import Ledger

@Suite struct ImportTCCTests {
    private static let base = """
        service TEXT NOT NULL, client TEXT NOT NULL, client_type INTEGER NOT NULL,
        """
    private static let rest = """
        csreq BLOB, policy_id INTEGER, indirect_object_identifier_type INTEGER,
        indirect_object_identifier TEXT DEFAULT 'UNUSED', indirect_object_code_identity BLOB,
        flags INTEGER, last_modified INTEGER NOT NULL
        """
    private static let oldShape =
        "CREATE TABLE access (\(base) allowed INTEGER, prompt_count INTEGER, \(rest))"
    private static let middleShape = """
        CREATE TABLE access (\(base) auth_value INTEGER, auth_reason INTEGER,
        auth_version INTEGER, \(rest))
        """
    private static let newShape = """
        CREATE TABLE access (\(base) auth_value INTEGER, auth_reason INTEGER,
        auth_version INTEGER, \(rest), pid INTEGER, pid_version INTEGER,
        boot_uuid TEXT DEFAULT 'UNUSED', last_reminded INTEGER)
        """

    private func insert(
        _ service: String, _ client: String, _ values: String, at time: String = "1700000000",
        object: String = "'UNUSED'"
    ) -> String {
        """
        INSERT INTO access (service, client, client_type, \(values.contains("allowed")
            ? "allowed, prompt_count" : "auth_value, auth_reason"), csreq,
        indirect_object_identifier, last_modified)
        VALUES ('\(service)', '\(client)', 0, \(values.replacing("allowed ", with: "")),
        x'fade0c00', \(object), \(time))
        """
    }

    private func parse(_ statements: [String]) throws -> ImportBatch {
        let folder = ImportScratchFolder()
        let database = try folder.database(statements)
        return try TCCStore.parse(database: database.path, .mac)
    }

    @Test func `the shape before macOS 11 says allowed and not by whom`() throws {
        let batch = try parse([
            Self.oldShape, insert("kTCCServiceCamera", "org.example.tide", "allowed 1, 1"),
            insert("kTCCServiceMicrophone", "org.example.tide", "allowed 0, 2"),
        ])
        #expect(batch.states.map(\.draft.payload.status) == [.authorized, .denied])
        #expect(batch.states.map(\.draft.payload.authority) == [.unknown, .unknown])
        #expect(batch.states.map(\.draft.kind) == [.settingsChanged, .settingsChanged])
    }

    @Test(arguments: [middleShape, newShape])
    func `the later shapes say the status and claim who decided`(_ shape: String) throws {
        let batch = try parse([
            shape, insert("kTCCServiceCamera", "org.example.tide", "2, 2"),
            insert("kTCCServiceMicrophone", "org.example.tide", "0, 6"),
            insert("kTCCServiceContacts", "org.example.tide", "3, 4"),
            insert("kTCCServicePhotos", "org.example.tide", "0, 3"),
            insert("kTCCServiceCalendar", "org.example.tide", "9, 3"),
        ])
        #expect(batch.recordCount == 5)
        let payloads = batch.states.map(\.draft.payload)
        #expect(payloads.map(\.status) == [.authorized, .restricted, .limited, .denied])
        #expect(payloads.map(\.authority) == [.person, .policy, .system, .person])
        let names = ["camera", "microphone", "tcc:kTCCServiceContacts", "photos"]
        #expect(payloads.map(\.resource) == names)
        #expect(payloads[2].extent?.selection == .selected)
        #expect(payloads.allSatisfy { $0.outcome == nil && $0.source == "tcc:user" })
        #expect(payloads.allSatisfy { $0.occurredAt == 1_700_000_000_000 })
        #expect(batch.setAside.kept.map(\.line) == [5])
    }

    @Test func `clients, lists and objects never answer for each other`() throws {
        let rows = [
            insert("kTCCServiceAppleEvents", "/bin/a b", "2, 3"),
            insert("kTCCServiceAppleEvents", "/bin/a b", "0, 3", object: "'com.example.x'"),
            insert("kTCCServiceAppleEvents", "org.example.tide", "2, 3"),
            insert("kTCCServiceAppleEvents", "org.example.tide", "0, 3"),
        ]
        let folder = ImportScratchFolder()
        let database = try folder.database([Self.newShape] + rows)
        var options = ImportOptions.mac
        options.tccScope = .system
        options.application = "org.example.tide"
        options.install = "1"
        let batch = try TCCStore.parse(database: database.path, options)
        let payloads = batch.states.map(\.draft.payload)
        #expect(payloads.map(\.install) == ["system:/bin/a b", "system:/bin/a b", "system:1"])
        let names = ["apple-events", "apple-events:com.example.x", "apple-events"]
        #expect(payloads.map(\.resource) == names)
        #expect(batch.setAside.kept.map(\.line) == [4])
    }

    @Test func `doubtful times are kept and marked, impossible ones set aside`() throws {
        let batch = try parse([
            Self.newShape, insert("kTCCServiceCamera", "a.b", "2, 2", at: "164456761"),
            insert("kTCCServiceCamera", "c.d", "2, 2", at: "33262000000"),
            insert("kTCCServiceCamera", "e.f", "2, 2", at: "9223372036854775807"),
            insert("kTCCServiceCamera", "g.h", "2, 2", at: "'soon'"),
        ])
        #expect(batch.doubtful.kept.map(\.line) == [1, 2])
        let times = batch.states.map(\.draft.payload.occurredAt)
        #expect(times == [164_456_761_000, 33_262_000_000_000])
        #expect(batch.states.allSatisfy { $0.draft.payload.note?.contains("doubtful") ?? false })
        #expect(batch.setAside.kept.map(\.line) == [3, 4])
    }

    @Test func `rows that are only in the write-ahead log are read, and nothing is written`() throws
    {
        let folder = ImportScratchFolder()
        let row = insert("kTCCServiceCamera", "in.the.log", "2, 2")
        let database = try folder.database([
            "PRAGMA journal_mode = WAL", Self.newShape, "PRAGMA wal_checkpoint(TRUNCATE)", row,
        ])
        let size = Files.size(database.path)
        let logSize = Files.size("\(database.path)-wal")
        #expect((logSize ?? 0) > 0)
        let batch = try TCCStore.parse(database: database.path, .mac)
        #expect(batch.states.map(\.draft.payload.application) == ["in.the.log"])
        #expect(Files.size(database.path) == size)
        #expect(Files.size("\(database.path)-wal") == logSize)
    }

    @Test func `values of hostile types and names are set aside without being shown`() throws {
        let secret = String(repeating: "secret", count: 100)
        let batch = try parse([
            Self.newShape, insert("kTCCServiceCamera", secret, "2, 2"),
            insert("kTCCServiceCamera", "a.b", "'secret', 2"),
            insert("kTCCServiceCamera", "c.d", "2, 2", object: "x'ff'"),
            "INSERT INTO access VALUES ('s', CAST(x'ff' AS TEXT), 0, 2, 2, 1, NULL, NULL, NULL, "
                + "'UNUSED', NULL, 0, 1700000000, NULL, NULL, 'UNUSED', 0)",
        ])
        #expect(batch.setAside.count == 4)
        #expect(batch.states.isEmpty)
        #expect(batch.setAside.kept.allSatisfy { !$0.reason.contains("secret") })
    }

    @Test(arguments: [
        "CREATE TABLE access (a, b)", "CREATE TABLE other (service)",
        "CREATE VIEW access AS SELECT 1 AS service, 1 AS client, 1 AS client_type, "
            + "1 AS auth_value, 1 AS auth_reason, 1 AS last_modified",
    ])
    func `another database is refused by name`(_ schema: String) throws {
        #expect(throws: LedgerError(.malformed, "")) { try parse([schema]) }
    }

    @Test func `the same rows as CSV name their list themselves`() throws {
        let text = """
            scope,service,client,client_type,auth_value,auth_reason,csreq,last_modified
            system,kTCCServiceCamera,org.example.tide,0,2,4,fade0c00,1700000000
            user,kTCCServiceCamera,org.example.tide,0,2,2,,1700000000
            other,kTCCServiceCamera,org.example.tide,0,2,2,,1700000000
            user,kTCCServiceCamera
            """
        let batch = try TCCStore.parse(csv: ByteSource(Array(text.utf8)), .mac)
        let payloads = batch.states.map(\.draft.payload)
        #expect(payloads.map(\.source) == ["tcc:system", "tcc:user"])
        #expect(payloads.map(\.install) == ["system:org.example.tide", "org.example.tide"])
        #expect(payloads[0].signingIdentity?.hasPrefix("csreq-sha256:") ?? false)
        #expect(batch.setAside.kept.map(\.line) == [4, 5])
    }
}

import TestSupport
import Testing

@testable import Ledger

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files of a ledger: made, copied and closed.
@Suite struct StateDirectoryTests {
    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : 0
    }

    @Test func `making a ledger that was cut off half-way can be done again`() throws {
        let directory = TemporaryDirectory()
        let state = directory.path + "/state"
        try Files.makeDirectory(state)
        do {
            _ = try EventStore.open(
                state + "/ledger.db", mode: .create, lockWaitMilliseconds: 1000)
        }
        let ledger = try Ledger.create(at: state).ledger
        #expect(try ledger.verify().isSound)
        let error = #expect(throws: LedgerError.self) { try Ledger.create(at: state) }
        #expect(error?.code == .exists)
        #expect(try Ledger(openAt: state).id == ledger.id)
    }

    @Test func `a ledger whose key is gone gets no other key`() throws {
        let test = try TestLedger()
        try test.ledger.close()
        Files.remove(test.path + "/replica.key")
        let error = #expect(throws: LedgerError.self) { try Ledger.create(at: test.path) }
        #expect(error?.code == .exists)
        #expect(!Files.exists(test.path + "/replica.key"))
    }

    @Test func `a backup can be read by its owner alone`() throws {
        let test = try TestLedger()
        let file = test.directory.path + "/backup.db"
        try test.ledger.backup(to: file)
        #expect(mode(file) == 0o600)
        #expect(mode(test.path + "/ledger.db") == 0o600)
        #expect(mode(test.path + "/replica.key") == 0o600)
    }

    @Test func `a backup that failed leaves no file`() throws {
        let test = try TestLedger()
        let file = test.directory.path + "/missing/backup.db"
        #expect(throws: LedgerError.self) { try test.ledger.backup(to: file) }
        #expect(!Files.exists(file))
    }

    @Test(arguments: [LedgerError.Code.noSpace, .readOnly, .busy, .damaged])
    func `a copy that cannot be written is named, not the ledger it is of`(
        _ code: LedgerError.Code
    ) {
        let error = LedgerError(code, "/state/ledger.db failed.", cause: "from SQLite")
        let told = error.whileCopying(to: "/stick/backup.db")
        #expect(told.code == code && told.cause == error.cause)
        let isOfTheCopy = code == .noSpace || code == .readOnly
        #expect(told.message.contains("/stick/backup.db") == isOfTheCopy)
        #expect(told.message.contains("/state/ledger.db") == !isOfTheCopy)
    }

    @Test func `closing leaves one file, the key and the mark, and later calls fail`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try test.ledger.history(HistoryFilter()) { _ in true }
        try test.ledger.close()
        #expect(!Files.exists(test.path + "/ledger.db-wal"))
        for call in [
            { _ = try test.ledger.lastPosition() },
            { try test.ledger.history(HistoryFilter()) { _ in true } },
            { try test.ledger.append(.primerShown("me", resource: "camera", at: phone)) },
        ] as [() throws -> Void] {
            let error = #expect(throws: LedgerError.self) { try call() }
            #expect(error?.code == .closed)
        }
        try test.ledger.close()
    }

    @Test func `an interval stays small though every call is a process of its own`() throws {
        let test = try TestLedger()
        var draft = Draft.primerShown("me", resource: "camera", at: phone)
        draft.payload.note = String(repeating: "x", count: 16_000)
        for _ in 0..<80 {
            let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
            try ledger.append(draft)
        }
        let logs = try Ledger(openAt: test.path, access: .readOnly).verify().logs
        #expect((logs.first?.signedSize ?? 0) > 40)
    }

    @Test func `words whose payload came late are found by their digest`() throws {
        let test = try TestLedger()
        var payload = Payload()
        payload.unitKind = .resource
        payload.unitContent = [0xA0]
        let draft = Draft(.catalogPublished, payload)
        for hides in [true, false] {
            var log = try ForeignLog(joining: test.ledger)
            try log.add(.catalogPublished, draft.payload.encoded, tag: .none, hidesPayload: hides)
            _ = try test.ledger.ingest([log.interval()])
        }
        #expect(try test.ledger.catalogUnit(try CatalogUnit.digest(of: [0xA0])) == [0xA0])
    }

    @Test func `a person's history shows events whose content is not here`() throws {
        let test = try TestLedger()
        var log = try ForeignLog(joining: test.ledger)
        let hidden = try log.add(.denied("me", resource: "camera", at: phone), hidesPayload: true)
        _ = try test.ledger.ingest([log.interval()])
        var filter = HistoryFilter()
        filter.subject = "me"
        var found: [EventID] = []
        try test.ledger.history(filter) { entry in
            found.append(entry.event.id)
            return true
        }
        #expect(found == [hidden])
    }

    @Test func `who only reads moves a log that a killed process left into the file`() throws {
        let test = try TestLedger()
        let grant = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let left = test.directory.path + "/left"
        try Files.makeDirectory(left)
        for name in ["ledger.db", "ledger.db-wal", "replica.key"] {
            let bytes = try #require(SmallFile.read(test.path + "/" + name, max: 1 << 24))
            try Files.writeNew(bytes, to: left + "/" + name)
        }
        let reader = try Ledger(openAt: left, access: .readOnly)
        let camera = StatusQuery("me", resource: "camera", at: phone)
        #expect(try reader.status(camera).evidence == [grant.event.id])
        let error = #expect(throws: LedgerError.self) {
            try reader.append(.denied("me", resource: "camera", at: phone))
        }
        #expect(error?.code == .readOnly)
        try reader.close()
        #expect(!Files.exists(left + "/ledger.db-wal"))
        #expect(try Ledger(openAt: left).status(camera).evidence == [grant.event.id])
    }
}

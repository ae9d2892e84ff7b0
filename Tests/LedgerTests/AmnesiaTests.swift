import TestSupport
import Testing

@testable import Ledger

/// Whole machines rolled back and clones that nothing local tells apart: only peers can.
@Suite struct AmnesiaTests {
    private let phone: TestLedger
    private let tablet: TestLedger

    init() throws {
        phone = try TestLedger()
        tablet = try phone.joined()
        try RestoreTests.record(3, in: phone.ledger, "before")
        try Exchange.merge(phone.ledger, tablet.ledger)
    }

    private func open(_ path: String) throws -> Ledger {
        try Ledger(openAt: path, environment: phone.clock.environment)
    }

    private func lastOpening(in ledger: Ledger) throws -> LogOpening? {
        var found: LogOpening?
        try ledger.history(HistoryFilter()) { entry in
            if case .opening(let opening) = entry.event.content,
                opening.replica == ledger.replica
            {
                found = opening
            }
            return true
        }
        return found
    }

    @Test(arguments: [false, true])
    func `a machine rolled back as a whole learns it from a peer`(hearsFirst: Bool) throws {
        let log = try #require(phone.ledger.log)
        try phone.ledger.close()
        let snapshot = Snapshot(of: phone.path)
        let before = try open(phone.path)
        let lost = try RestoreTests.record(3, in: before, "lost")
        try Exchange.pull(from: before, into: tablet.ledger)
        try before.close()
        snapshot.rollBack()
        let ledger = try open(phone.path)
        if hearsFirst {
            // The peer says what it holds before the next event is written.
            try ledger.note(peerTips: try tablet.ledger.tips())
            try RestoreTests.record(1, in: ledger, "new")
        } else {
            try Exchange.pull(from: tablet.ledger, into: ledger)
            try RestoreTests.record(1, in: ledger, "new")
        }
        #expect(ledger.log != log)
        try Exchange.merge(ledger, tablet.ledger)
        #expect(try lastOpening(in: ledger)?.reason == .behindPeer)
        #expect(try lastOpening(in: ledger)?.continues?.size == 5)
        #expect(try ledger.tips().count { $0.log == log } == 1)
        for id in lost { #expect(try ledger.event(id) != nil) }
        #expect(try ledger.stateDigest() == tablet.ledger.stateDigest())
        try RestoreTests.record(1, in: ledger, "again")
        try Exchange.merge(ledger, tablet.ledger)
        #expect(try ledger.tips().count == 3)
    }

    @Test(arguments: [false, true])
    func `a machine rolled back that wrote before it met anyone keeps both branches`(
        hearsFirst: Bool
    ) throws {
        let log = try #require(phone.ledger.log)
        try phone.ledger.close()
        let snapshot = Snapshot(of: phone.path)
        let before = try open(phone.path)
        let lost = try RestoreTests.record(3, in: before, "lost")
        try Exchange.pull(from: before, into: tablet.ledger)
        try before.close()
        snapshot.rollBack()
        let ledger = try open(phone.path)
        let other = try RestoreTests.record(2, in: ledger, "other")
        #expect(ledger.log == log)
        if hearsFirst {
            try ledger.note(peerTips: try tablet.ledger.tips())
            try RestoreTests.record(1, in: ledger, "new")
            #expect(ledger.log != log)
        }
        try Exchange.merge(ledger, tablet.ledger)
        #expect(ledger.log != log)
        #expect(try ledger.tips().count { $0.log == log } == 2)
        for id in lost + other {
            #expect(try ledger.event(id) != nil && tablet.ledger.event(id) != nil)
        }
        #expect(try lastOpening(in: ledger)?.continues?.size == 7)
        try Exchange.merge(ledger, tablet.ledger)
        #expect(try ledger.stateDigest() == tablet.ledger.stateDigest())
        #expect(try ledger.projectionDigest() == tablet.ledger.projectionDigest())
        #expect(try ledger.verify().findings == [] && tablet.ledger.verify().findings == [])
    }

    @Test func `a peer's bare word opens no logs without end`() throws {
        var logs: Set<LogID> = []
        for round in 0..<20 {
            let log = try #require(phone.ledger.log)
            try phone.ledger.note(peerTips: [Tip(log: log, size: 1000, root: .zero)])
            try RestoreTests.record(1, in: phone.ledger, "round-\(round)")
            logs.insert(try #require(phone.ledger.log))
        }
        #expect(logs.count == 8)
    }

    @Test func `a key used before the restore still stands for the event it made`() throws {
        let backup = phone.directory.path + "/backup.db"
        try phone.ledger.backup(to: backup)
        func drafts() -> [Draft] {
            var answer = Draft.allowed("me", resource: "camera", at: TestSupport.phone)
            answer.payload.idempotencyKey = "call-1"
            answer.validity = Period("P1Y")
            var report = Draft.observed(
                "me", resource: "microphone", at: TestSupport.phone, .denied)
            report.payload.idempotencyKey = "call-2"
            return [answer, report]
        }
        let receipts = try phone.ledger.append(drafts())
        try Exchange.pull(from: phone.ledger, into: tablet.ledger)
        try phone.ledger.close()
        StateFiles.move(backup, to: phone.path + "/ledger.db")
        let ledger = try open(phone.path)
        try Exchange.pull(from: tablet.ledger, into: ledger)
        phone.clock.advance(minutes: 1)
        let again = try ledger.append(drafts())
        #expect(again.map(\.isNew) == [false, false])
        #expect(again.map(\.event.id) == receipts.map(\.event.id))
        var changed = drafts()[0]
        changed.payload.outcome = .denied
        let error = #expect(throws: LedgerError.self) { try ledger.append(changed) }
        #expect(error?.code == .conflict)
    }
}

import TestSupport
import Testing

@testable import Ledger

/// Two ledgers on one file, as two processes.
@Suite struct SharedFileTests {
    private let camera = StatusQuery("me", resource: "camera", at: phone)

    private func second(_ test: TestLedger, lockWait: Int32 = 5000) throws -> Ledger {
        var environment = test.clock.environment
        environment.lockWaitMilliseconds = lockWait
        let ledger = try Ledger(openAt: test.path, environment: environment)
        _ = try ledger.status(StatusQuery("somebody", resource: "camera", at: phone))
        return ledger
    }

    @Test func `what another process indexed meanwhile is counted once`() throws {
        let test = try TestLedger()
        let other = try second(test)
        try test.ledger.append(
            (0..<4200).map { .primerShown("person-\($0 % 100)", resource: "camera", at: phone) })
        for person in [0, 57] {
            let query = StatusQuery("person-\(person)", resource: "camera", at: phone)
            #expect(try other.status(query).primersShown == 42)
        }
        try other.append(
            (0..<4200).map { .primerShown("person-\($0 % 100)", resource: "camera", at: phone) })
        #expect(try other.verify().findings == [])
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `what another process projected meanwhile is taken in once`() throws {
        let test = try TestLedger()
        let other = try second(test)
        let grant = try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        try test.ledger.rebuild()
        #expect(try other.status(camera).evidence == [grant.event.id])
        let denial = try other.append(.denied("me", resource: "camera", at: phone))
        #expect(denial.event.header.replaces == [grant.event.id])
        #expect(try other.verify().findings == [])
    }

    @Test(arguments: [false, true])
    func `a payload that came late to one process is in the statuses of the other`(
        isProjected: Bool
    ) throws {
        let test = try TestLedger()
        let other = try second(test)
        var log = try ForeignLog(joining: test.ledger)
        let grant = try log.add(.allowed("me", resource: "camera", at: phone))
        try log.add(
            .denied("me", resource: "camera", at: phone), replaces: [grant], hidesPayload: true)
        _ = try test.ledger.ingest([log.interval()])
        if isProjected { try test.ledger.rebuild() }
        #expect(try other.status(camera).reason == .undecodable)
        var whole = try ForeignLog(joining: test.ledger)
        try whole.add(.allowed("me", resource: "camera", at: phone))
        let denial = try whole.add(
            .denied("me", resource: "camera", at: phone), replaces: [grant])
        _ = try test.ledger.ingest([whole.interval()])
        #expect(try other.status(camera).status == .denied)
        #expect(try other.status(camera).evidence == [denial])
        let answer = try other.append(.allowed("me", resource: "camera", at: phone))
        #expect(answer.event.header.replaces == [denial])
        #expect(try other.verify().findings == [])
    }

    @Test func `a status after a call that found the file busy is not the one before`() throws {
        let test = try TestLedger()
        let other = try second(test, lockWait: 20)
        #expect(try other.status(camera).status == .notDetermined)
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let holder = try Database(
            path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 20)
        try holder.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: LedgerError.self) {
            try other.append(.primerShown("me", resource: "camera", at: phone))
        }
        #expect(error?.code == .busy)
        #expect(try other.status(camera).status == .authorized)
    }

    @Test func `deferred work that failed loses nothing`() throws {
        let test = try TestLedger()
        let database = try Database(
            path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
        try database.execute(
            """
            CREATE TRIGGER full BEFORE INSERT ON meta WHEN new.name='floor'
            BEGIN SELECT RAISE(ABORT, 'full'); END
            """)
        try test.ledger.append(.denied("me", resource: "camera", at: phone))
        try test.ledger.append(
            (0..<4200).map { .primerShown("person-\($0 % 100)", resource: "camera", at: phone) })
        try database.execute("DROP TRIGGER full")
        var query = camera
        query.moment = .asOf(test.clock.milliseconds)
        #expect(try test.ledger.status(query).status == .denied)
        try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        #expect(try test.ledger.status(query).status == .denied)
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `an event of one process is later than those of the other`() throws {
        let test = try TestLedger()
        let other = try second(test)
        let tablet = try test.joined(clock: ManualClock(test.clock.milliseconds + 4 * 60_000))
        try tablet.ledger.append(.primerShown("me", resource: "camera", at: phone))
        try Exchange.pull(from: tablet.ledger, into: test.ledger)
        let first = try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        let next = try other.append(.primerShown("me", resource: "camera", at: phone))
        #expect(next.event.header.timestamp > first.event.header.timestamp)
    }

    @Test func `the floor of one process is that of the other, and so is its reset`() throws {
        let test = try TestLedger()
        let other = try second(test)
        let home = test.clock.milliseconds
        test.clock.advance(days: 300)
        try test.ledger.append(.primerShown("me", resource: "camera", at: phone))
        test.clock.milliseconds = home
        #expect(try other.clock().isFloorAhead)
        try test.ledger.resetClockFloor()
        #expect(try !other.clock().isFloorAhead)
        try other.append(.primerShown("me", resource: "camera", at: phone))
        try other.close()
        try test.ledger.close()
        let again = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try !again.clock().isFloorAhead)
    }
}

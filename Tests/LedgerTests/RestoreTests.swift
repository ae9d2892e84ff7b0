import TestSupport
import Testing

@testable import Ledger

/// A replica's state put back, copied or moved, with real files.
@Suite struct RestoreTests {
    private let phone: TestLedger
    private let tablet: TestLedger
    private var other: String { phone.directory.path + "/other" }

    init() throws {
        phone = try TestLedger()
        tablet = try phone.joined()
        try Self.record(3, in: phone.ledger, "before")
        try Exchange.merge(phone.ledger, tablet.ledger)
    }

    @discardableResult
    static func record(_ count: Int, in ledger: Ledger, _ name: String) throws -> [EventID] {
        try (0..<count).map {
            let draft = Draft.allowed("\(name)-\($0)", resource: "camera", at: TestSupport.phone)
            return try ledger.append(draft).event.id
        }
    }

    private func open(_ path: String, environment: LedgerEnvironment? = nil) throws -> Ledger {
        try Ledger(openAt: path, environment: environment ?? phone.clock.environment)
    }

    /// The openings of a replica's logs in the order of their writing.
    private func openings(in ledger: Ledger, of replica: ReplicaID?) throws -> [LogOpening] {
        var found: [LogOpening] = []
        try ledger.history(HistoryFilter()) { entry in
            if case .opening(let opening) = entry.event.content, opening.replica == replica {
                found.append(opening)
            }
            return true
        }
        return found
    }

    private func tip(_ log: LogID?, in ledger: Ledger) throws -> Tip {
        try #require(try ledger.tips().first { $0.log == log })
    }

    // MARK: Nothing happened

    @Test func `opening again and again, and renaming the directory, opens no new log`() throws {
        let log = phone.ledger.log
        try phone.ledger.close()
        for round in 0..<3 {
            let ledger = try open(phone.path)
            try Self.record(1, in: ledger, "round-\(round)")
            if round == 1 { _ = try ledger.tips() }
            // The last one is killed, not closed.
            if round < 2 { try ledger.close() }
        }
        StateFiles.move(phone.path, to: other)
        let moved = try open(other)
        try Self.record(1, in: moved, "moved")
        #expect(moved.log == log)
        #expect(try openings(in: moved, of: moved.replica).map(\.reason) == [.new])
    }

    @Test func `two processes on one directory share one mark`() throws {
        let second = try open(phone.path)
        for round in 0..<3 {
            try Self.record(2, in: second, "second-\(round)")
            try Self.record(2, in: phone.ledger, "first-\(round)")
            #expect(try phone.ledger.tips() == second.tips())
        }
        #expect(phone.ledger.log == second.log)
        try second.close()
        let third = try open(phone.path)
        try Self.record(1, in: third, "third")
        #expect(third.log == phone.ledger.log)
    }

    @Test func `appending costs nothing for the mark, and asking twice only once`() throws {
        let mark = FragileMark()
        var environment = phone.clock.environment
        environment.markFiles = mark
        let ledger = try open(phone.path, environment: environment)
        try Self.record(50, in: ledger, "many")
        #expect(mark.writes == 0)
        for _ in 0..<5 { _ = try ledger.tips() }
        #expect(mark.writes == 1)
        _ = try ledger.sign()
        _ = try ledger.stateDigest()
        #expect(mark.writes == 1)
    }

    // MARK: Copies

    @Test func `a directory copied while stopped goes on in a log of its own`() throws {
        let log = try #require(phone.ledger.log)
        let before = try tip(log, in: phone.ledger)
        try phone.ledger.close()
        StateFiles.copy(phone.path, to: other)
        let (original, copy) = (try open(phone.path), try open(other))
        try Self.record(2, in: original, "original")
        try Self.record(3, in: copy, "copy")
        #expect(original.log == log)
        #expect(copy.log != log)
        let last = try #require(try openings(in: copy, of: copy.replica).last)
        #expect(last.reason == .restored)
        #expect(last.continues?.log == log && last.continues?.size == before.size)
        #expect(last.continues?.root == before.root)
        try Exchange.merge(original, copy)
        #expect(try original.stateDigest() == copy.stateDigest())
        #expect(try original.tips().count == 3)
        // It stays at that: neither takes the other's log for a reason.
        try Self.record(1, in: original, "original-again")
        try Exchange.merge(copy, original)
        try Self.record(1, in: copy, "copy-again")
        #expect(original.log == log)
        #expect(try copy.log == last.log(of: copy.id))
    }

    @Test func `a directory copied while it is written goes on in a log of its own`() throws {
        try Self.record(5, in: phone.ledger, "unsigned")
        StateFiles.copy(phone.path, to: other)
        #expect(StateFiles.names(in: other).contains("ledger.db-wal"))
        let copy = try open(other)
        try Self.record(1, in: copy, "copy")
        #expect(copy.log != phone.ledger.log)
        try Exchange.merge(copy, phone.ledger)
        #expect(try copy.stateDigest() == phone.ledger.stateDigest())
        // What was not signed yet is signed on either side, and is one and the same.
        #expect(try copy.tips().count { $0.log == phone.ledger.log } == 1)
        #expect(try copy.verify().findings == [])
    }

    @Test func `a copy that is only read from opens no log`() throws {
        try Self.record(2, in: phone.ledger, "unsigned")
        StateFiles.copy(phone.path, to: other)
        let copy = try open(other)
        #expect(
            try copy.status(StatusQuery("unsigned-0", resource: "camera", at: TestSupport.phone))
                .status == .authorized)
        try copy.close()
        #expect(try openings(in: try open(other), of: phone.ledger.replica).count == 1)
    }

    @Test func `a copy that only merges lets out what was recorded before it was made`() throws {
        try Self.record(2, in: phone.ledger, "unsigned")
        let ids = try Self.record(1, in: phone.ledger, "last")
        StateFiles.copy(phone.path, to: other)
        let copy = try open(other)
        try Exchange.pull(from: copy, into: tablet.ledger)
        #expect(try tablet.ledger.event(ids[0]) != nil)
        #expect(copy.log != phone.ledger.log)
    }

    @Test func `a directory moved to another machine goes on in a new log and says so`() throws {
        try phone.ledger.close()
        for (name, expected) in [("one", LogOpening.Reason.moved), ("one", .moved)] {
            var environment = phone.clock.environment
            environment.machineID = { name + name }
            let ledger = try open(phone.path, environment: environment)
            try Self.record(1, in: ledger, "there")
            #expect(try openings(in: ledger, of: ledger.replica).last?.reason == expected)
            #expect(try openings(in: ledger, of: ledger.replica).count == 2)
            try ledger.close()
        }
    }

    @Test func `a machine without an id is no other machine`() throws {
        try phone.ledger.close()
        var environment = phone.clock.environment
        environment.machineID = { nil }
        let ledger = try open(phone.path, environment: environment)
        try Self.record(1, in: ledger, "there")
        #expect(try openings(in: ledger, of: ledger.replica).count == 1)
    }

    @Test func `logs that were left stay in the tips for ever`() throws {
        var logs: Set<LogID> = [try #require(phone.ledger.log)]
        try phone.ledger.close()
        for round in 0..<3 {
            StateFiles.remove(phone.path + "/ledger.mark")
            let ledger = try open(phone.path)
            try Self.record(1, in: ledger, "round-\(round)")
            logs.insert(try #require(ledger.log))
            try Exchange.merge(ledger, tablet.ledger)
            try ledger.close()
        }
        #expect(logs.count == 4)
        let tips = try tablet.ledger.tips()
        #expect(Set(tips.map(\.log)).isSuperset(of: logs))
        // A replica that meets only the tablet gets all of them.
        let late = try tablet.joined()
        try Exchange.merge(late.ledger, tablet.ledger)
        #expect(try Set(late.ledger.tips().map(\.log)).isSuperset(of: logs))
    }

    // MARK: Restores

    enum PuttingBack: CaseIterable { case overIt, asNewFile, withoutMark, withoutMarkOverIt }

    @Test(arguments: PuttingBack.allCases)
    func `last week's database put back takes back what it lost and opens a new log`(
        how: PuttingBack
    ) throws {
        let log = try #require(phone.ledger.log)
        let backup = phone.directory.path + "/backup.db"
        try phone.ledger.backup(to: backup)
        let known = try tip(log, in: phone.ledger)
        let lost = try Self.record(4, in: phone.ledger, "lost")
        try Exchange.pull(from: phone.ledger, into: tablet.ledger)
        let full = try tip(log, in: phone.ledger)
        try phone.ledger.close()
        let database = phone.path + "/ledger.db"
        switch how {
        case .overIt, .withoutMarkOverIt: StateFiles.write(StateFiles.read(backup), to: database)
        case .asNewFile, .withoutMark: StateFiles.move(backup, to: database)
        }
        if how == .withoutMark || how == .withoutMarkOverIt {
            StateFiles.remove(phone.path + "/ledger.mark")
        }
        let ledger = try open(phone.path)
        let new = try Self.record(1, in: ledger, "new")
        try Exchange.merge(ledger, tablet.ledger)
        #expect(ledger.log != log)
        let opening = try #require(try openings(in: ledger, of: ledger.replica).last)
        #expect(opening.reason == .restored)
        #expect(opening.continues?.size == known.size && opening.continues?.root == known.root)
        #expect(try tip(log, in: ledger) == full)
        for id in lost + new {
            #expect(try ledger.event(id) != nil && tablet.ledger.event(id) != nil)
        }
        #expect(try ledger.stateDigest() == tablet.ledger.stateDigest())
        #expect(try ledger.projectionDigest() == tablet.ledger.projectionDigest())
        #expect(try openings(in: ledger, of: ledger.replica).count == 2)
    }

    @Test func `a restore without the key cannot write in the replica's name`() throws {
        let backup = phone.directory.path + "/backup.db"
        try phone.ledger.backup(to: backup)
        Files.remove(phone.path + "/replica.key")
        let other = self.other
        try Files.makeDirectory(other)
        StateFiles.move(backup, to: other + "/ledger.db")
        let ledger = try open(other)
        #expect(ledger.replica == nil && ledger.log == nil)
        let error = #expect(throws: LedgerError.self) { try Self.record(1, in: ledger, "x") }
        #expect(error?.code == .readOnly)
    }
}

extension LogOpening {
    /// The log that it opens in a ledger.
    func log(of ledger: LedgerID) throws -> LogID {
        try LedgerIdentity.logID(ledger: ledger, replica: replica, epoch: epoch)
    }
}

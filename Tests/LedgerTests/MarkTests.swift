import TestSupport
import Testing

@testable import Ledger

/// What is written down before own events leave, and what a crash in between does.
@Suite struct MarkTests {
    private func life(_ mark: FragileMark) throws -> (TestLedger, LedgerEnvironment) {
        let test = try TestLedger()
        try test.ledger.close()
        var environment = test.clock.environment
        environment.markFiles = mark
        return (test, environment)
    }

    enum Door: CaseIterable {
        case tips, tipStates, stateDigest, sign, intervals, proof, backup, export
    }

    private func go(_ door: Door, _ ledger: Ledger, _ last: EventID, _ path: String) throws {
        switch door {
        case .tips: _ = try ledger.tips()
        case .tipStates: _ = try ledger.tipStates(changedAfter: 0)
        case .stateDigest: _ = try ledger.stateDigest()
        case .sign: _ = try ledger.sign()
        case .intervals: _ = try Exchange.intervals(of: ledger)
        case .proof: _ = try ledger.inclusionProof(of: last)
        case .backup: try ledger.backup(to: path + "/backup.db")
        case .export: _ = try Exporter(ledger, .jsonLines).run(to: path + "/export.jsonl")
        }
    }

    @Test(arguments: Door.allCases)
    func `nothing leaves by any door before the mark is written`(door: Door) throws {
        let mark = FragileMark()
        let (test, environment) = try life(mark)
        let ledger = try Ledger(openAt: test.path, environment: environment)
        let last = try RestoreTests.record(2, in: ledger, "new")[1]
        mark.die(.beforeWrite, atWrite: 1)
        let error = #expect(throws: LedgerError.self) {
            try go(door, ledger, last, test.directory.path)
        }
        #expect(error?.message == "The process died here.")
        #expect(!Files.exists(test.directory.path + "/backup.db"))
        #expect(!Files.exists(test.directory.path + "/export.jsonl"))
        try go(door, ledger, last, test.directory.path)
        let stored = try Mark(file: StateFiles.read(test.path + "/ledger.mark"))
        #expect(stored?.size == 3)
    }

    @Test func `a bit that flipped between signing and storing does not leave`() throws {
        let test = try TestLedger()
        let tips = try test.ledger.tips()
        try RestoreTests.record(2, in: test.ledger, "flipped")
        let database = try Database(
            path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
        try database.execute(
            "UPDATE event SET body = zeroblob(length(body)) WHERE row = 2")
        let error = #expect(throws: LedgerError.self) { try test.ledger.tips() }
        #expect(error?.code == .damaged)
        let reader = try Ledger(openAt: test.path, access: .readOnly)
        #expect(try reader.tips() == tips)
    }

    @Test func `a reader lists of the own log what was let out`() throws {
        let test = try TestLedger()
        try RestoreTests.record(1500, in: test.ledger, "many")
        #expect(try Ledger(openAt: test.path, access: .readOnly).tips() == [])
        let tips = try test.ledger.tips()
        try RestoreTests.record(1500, in: test.ledger, "more")
        let reader = try Ledger(openAt: test.path, access: .readOnly)
        #expect(try reader.tips() == tips)
        #expect(try test.ledger.tips() != tips)
        #expect(try reader.tips() == test.ledger.tips())
    }

    @Test(arguments: [FragileMark.Death.beforeWrite, .amidWrite, .afterWrite], 1...4)
    func `a process that dies while it lets events out goes on in the same log`(
        death: FragileMark.Death, write: Int
    ) throws {
        let mark = FragileMark()
        let (test, environment) = try life(mark)
        var left: [Tip] = []
        var log: LogID?
        for round in 0..<8 {
            let ledger = try Ledger(openAt: test.path, environment: environment)
            try RestoreTests.record(2, in: ledger, "round-\(round)")
            log = log ?? ledger.log
            #expect(ledger.log == log)
            if round == write { mark.die(death, atWrite: 1) }
            // Killed: nothing is closed.
            if let tips = try? ledger.tips() { left += tips }
        }
        let ledger = try Ledger(openAt: test.path, environment: environment)
        for tip in left { #expect(try ledger.holds(tip)) }
        #expect(try ledger.epochs().count == 1)
    }

    @Test(arguments: [FragileMark.Death.beforeWrite, .amidWrite, .afterWrite])
    func `a process that dies while it opens a new log opens one at last`(
        death: FragileMark.Death
    ) throws {
        let mark = FragileMark()
        let (test, environment) = try life(mark)
        StateFiles.remove(test.path + "/ledger.mark")
        for _ in 0..<3 {
            let ledger = try Ledger(openAt: test.path, environment: environment)
            mark.die(death, atWrite: 1)
            let error = #expect(throws: LedgerError.self) {
                try RestoreTests.record(1, in: ledger, "lost")
            }
            #expect(error?.code == .io)
            #expect(try ledger.epochs().count == 1)
        }
        let ledger = try Ledger(openAt: test.path, environment: environment)
        mark.die(death, atWrite: 1)
        #expect(throws: LedgerError.self) { try RestoreTests.record(1, in: ledger, "lost") }
        // The same process goes on, too.
        try RestoreTests.record(2, in: ledger, "kept")
        let epochs = try ledger.epochs()
        #expect(epochs.map(\.opening.reason) == [.new, .restored])
        #expect(epochs.last?.log == ledger.log)
        let again = try Ledger(openAt: test.path, environment: environment)
        try RestoreTests.record(1, in: again, "again")
        #expect(again.log == ledger.log)
    }

    @Test func `another process sees at its next event that the log was left`() throws {
        let test = try TestLedger()
        let log = try #require(test.ledger.log)
        let second = try Ledger(openAt: test.path, environment: test.clock.environment)
        try test.ledger.note(peerTips: [Tip(log: log, size: 1000, root: .zero)])
        try RestoreTests.record(1, in: test.ledger, "first")
        let receipt = try second.append(.denied("me", resource: "camera", at: phone))
        #expect(receipt.event.header.log == test.ledger.log)
        #expect(test.ledger.log != log && second.log == test.ledger.log)
    }

    @Test func `a database that was exchanged under an open ledger lets nothing out`() throws {
        let test = try TestLedger()
        let file = test.directory.path + "/other.db"
        try test.ledger.backup(to: file)
        try RestoreTests.record(1, in: test.ledger, "unsaid")
        StateFiles.move(file, to: test.path + "/ledger.db")
        let error = #expect(throws: LedgerError.self) { try test.ledger.tips() }
        #expect(error?.code == .conflict)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a mark's file with any bytes is read as a whole mark or as none`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let place = FilePlace(inode: 7, birthNanoseconds: nil, machine: Bytes16(a: 1, b: 2))
        let marks = (1...2).map {
            Mark(
                counter: UInt64($0), log: LogID(raw: Bytes16(a: 3, b: UInt64($0))),
                size: UInt64($0), root: .zero, place: place)
        }
        var file = try marks[1].encoded() + marks[0].encoded()
        #expect(try Mark(file: file) == marks[1])
        for _ in 0..<random.below(4) {
            file[random.below(file.count)] = UInt8(random.below(256))
        }
        file = Array(file.prefix(random.below(file.count * 2)))
        let read = try Mark(file: file)
        #expect(read == nil || marks.contains { $0 == read })
    }
}

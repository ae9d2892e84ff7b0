import TestSupport
import Testing

@testable import Ledger

/// Clones that nothing local tells apart, as of a machine that was copied while it slept.
struct Clones {
    /// The replica they were cloned from, closed.
    let origin: TestLedger
    /// Each in a directory of its own.
    let ledgers: [Ledger]

    /// Clones a ledger so that inode, birth time and machine are the same for each clone.
    init(_ count: Int, of origin: TestLedger) throws {
        try origin.ledger.close()
        self.origin = origin
        var environment = origin.clock.environment
        let identity = FileIdentity(of: origin.path + "/ledger.db")
        environment.fileIdentity = { _ in identity }
        ledgers = try (0..<count).map { index in
            let path = "\(origin.directory.path)/clone-\(index)"
            StateFiles.copy(origin.path, to: path)
            return try Ledger(openAt: path, environment: environment)
        }
    }
}

@Suite struct CloneTests {
    private func phone() throws -> TestLedger {
        let phone = try TestLedger()
        try RestoreTests.record(2, in: phone.ledger, "before")
        return phone
    }

    /// Merges each with each until nothing moves any more.
    private func settle(_ ledgers: [Ledger]) throws {
        for _ in 0..<3 {
            for left in ledgers {
                for right in ledgers where left !== right {
                    try right.note(peerTips: try left.tips())
                    try Exchange.pull(from: left, into: right)
                }
            }
        }
        for ledger in ledgers {
            #expect(try ledger.stateDigest() == ledgers[0].stateDigest())
            #expect(try ledger.projectionDigest() == ledgers[0].projectionDigest())
            #expect(try ledger.verify().findings == [])
        }
    }

    @Test(arguments: [false, true], [2, 3])
    func `clones that both write and meet through a third each go on in a log of their own`(
        turned: Bool, count: Int
    ) throws {
        let origin = try phone()
        let third = try origin.joined()
        let log = try #require(origin.ledger.log)
        let clones = try Clones(count, of: origin).ledgers
        var ids: [EventID] = []
        for (index, clone) in clones.enumerated() {
            ids += try RestoreTests.record(index + 1, in: clone, "clone-\(index)")
        }
        for clone in turned ? clones.reversed() : clones {
            try Exchange.merge(clone, third.ledger)
        }
        try settle(clones + [third.ledger])
        for ledger in clones + [third.ledger] {
            for id in ids { #expect(try ledger.event(id) != nil) }
            #expect(try ledger.tips().count { $0.log == log } == count)
        }
        // Every clone has left the log, and no one opens another for it.
        let logs = clones.map(\.log)
        #expect(Set(logs).count == count && !logs.contains(log))
        for clone in clones { try RestoreTests.record(1, in: clone, "after") }
        try settle(clones + [third.ledger])
        #expect(clones.map(\.log) == logs)
        let fork = try #require(try third.ledger.forks().first)
        #expect(try third.ledger.forks().count == 1)
        #expect(fork.log == log && fork.sharedSize == 4 && fork.branches.count == count)
        #expect(fork.isHealed)
        #expect(Set(fork.branches.flatMap(\.continuedIn)) == Set(logs.compactMap { $0 }))
        #expect(fork.branches.allSatisfy { $0.continuedIn.count == 1 })
        #expect(try clones[0].forks().map(\.branches.count) == [count])
    }

    @Test func `a fork is shown before its author has left the log`() throws {
        let origin = try phone()
        let third = try origin.joined()
        let clones = try Clones(2, of: origin).ledgers
        let first = try RestoreTests.record(2, in: clones[0], "left")
        let second = try RestoreTests.record(1, in: clones[1], "right")
        #expect(try third.ledger.forks() == [])
        for clone in clones { try Exchange.pull(from: clone, into: third.ledger) }
        let fork = try #require(try third.ledger.forks().first)
        #expect(!fork.isHealed && fork.author == clones[0].replica)
        #expect(Set(fork.branches.map(\.firstEvent)) == [first[0], second[0]])
        #expect(fork.branches.map(\.sharedSize) == [4, 4])
        #expect(fork.branches.map(\.tip.size).sorted() == [5, 6])
        #expect(fork.branches.allSatisfy { $0.arrival == third.clock.milliseconds })
        #expect(fork.since?.milliseconds == origin.clock.milliseconds)
    }

    @Test(arguments: [false, true])
    func `a withdrawal on one branch holds though the other one granted`(turned: Bool) throws {
        let origin = try phone()
        let third = try origin.joined()
        let place = TestSupport.phone
        let clones = try Clones(2, of: origin).ledgers
        try clones[0].append(.denied("me", resource: "camera", at: place))
        try clones[1].append(.allowed("me", resource: "camera", at: place))
        for clone in turned ? clones.reversed() : clones {
            try Exchange.pull(from: clone, into: third.ledger)
        }
        try settle(clones + [third.ledger])
        for ledger in clones + [third.ledger] {
            let status = try ledger.status(StatusQuery("me", resource: "camera", at: place))
            #expect(status.status == .denied && status.isConflicting)
        }
    }

    @Test func `a forked log's tips name no beginning of another branch`() throws {
        let origin = try phone()
        let clones = try Clones(2, of: origin).ledgers
        try RestoreTests.record(1, in: clones[0], "left")
        try RestoreTests.record(2, in: clones[1], "right")
        // Without the key nobody signs the left branch: what is signed of it lies on the right one.
        let path = origin.directory.path + "/keyless"
        StateFiles.copy(
            "\(origin.directory.path)/clone-0", to: path, without: ["replica.key", "ledger.mark"])
        let keyless = try Ledger(openAt: path, environment: origin.clock.environment)
        let before = try keyless.tips()
        try Exchange.pull(from: clones[1], into: keyless)
        #expect(before.count == 1)
        #expect(try keyless.tips() == clones[1].tips())
        #expect(try keyless.forks().first?.branches.count == 2)
    }

    @Test func `a checkpoint that a branch has copied is verified`() throws {
        let origin = try phone()
        let clones = try Clones(2, of: origin).ledgers
        for (index, clone) in clones.enumerated() {
            try RestoreTests.record(1, in: clone, "clone-\(index)")
        }
        try settle(clones)
        let path = "\(origin.directory.path)/clone-0"
        try clones[0].close()
        let database = try Database(
            path: path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
        let forked = try database.integer(
            "SELECT max(chain) FROM piece WHERE is_shared = 1")
        try database.execute(
            "UPDATE checkpoint SET signature = zeroblob(64) WHERE chain = \(forked) AND size = "
                + "(SELECT min(size) FROM checkpoint WHERE chain = \(forked))")
        let report = try Ledger(openAt: path, access: .readOnly).verify()
        #expect(report.findings.count == 1)
        #expect(report.findings.first?.message.contains("differs between branches") == true)
    }
}

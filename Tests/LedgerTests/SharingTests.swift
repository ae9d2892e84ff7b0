import TestSupport
import Testing

@testable import Ledger

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Many threads and several processes on one ledger.
@Suite struct SharingTests {
    @Test func `many threads append at once and nothing is lost or doubled`() async throws {
        let test = try TestLedger()
        let ids = try await withThrowingTaskGroup(of: [EventID].self) { group in
            for thread in 0..<8 {
                group.addTask {
                    try (0..<25).map { index in
                        let subject = "person-\(thread)-\(index)"
                        let draft = Draft.allowed(subject, resource: "camera", at: phone)
                        return try test.ledger.append(draft).event.id
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids).count == 200)
        let report = try test.ledger.verify()
        #expect(report.findings == [])
        #expect(report.eventCount == 201)
    }

    @Test func `one refused append does not keep the others waiting or out`() async throws {
        let test = try TestLedger()
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    var refused = 0
                    for index in 0..<10 {
                        var draft = Draft.allowed("p-\(thread)", resource: "camera", at: phone)
                        if index % 3 == 2 { draft.expect = [] }
                        do {
                            try test.ledger.append(draft)
                        } catch let error as LedgerError where error.code == .expectation {
                            refused += 1
                        }
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(refused == 8 * 3)
        #expect(try test.ledger.lastPosition() == Int64(1 + 8 * 7))
        #expect(try test.ledger.verify().findings == [])
    }

    @Test func `waiting for a lock is bounded and says who holds it`() throws {
        let test = try TestLedger()
        let holder = try Database(
            path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 10)
        try holder.execute("BEGIN IMMEDIATE")
        var environment = test.clock.environment
        environment.lockWaitMilliseconds = 20
        let waiting = try Ledger(openAt: test.path, environment: environment)
        let error = #expect(throws: LedgerError.self) {
            try waiting.append(.denied("me", resource: "camera", at: phone))
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("20 ms") == true)
        // Reading is not kept waiting.
        let query = StatusQuery("me", resource: "camera", at: phone)
        #expect(try waiting.status(query).status == .notDetermined)
        try holder.execute("ROLLBACK")
        try waiting.append(.denied("me", resource: "camera", at: phone))
    }

    @Test func `a checkpoint covers at most 1024 events and the tail before it leaves`() throws {
        let test = try TestLedger()
        let drafts = (0..<1500).map {
            Draft.primerShown("p\($0 % 9)", resource: "camera", at: phone)
        }
        try test.ledger.append(drafts)
        let log = try #require(test.ledger.log)
        let before = try Ledger(openAt: test.path, access: .readOnly).verify().logs
        #expect(before.map(\.log) == [log] && before.map(\.signedSize) == [1024])
        #expect(try test.ledger.tips().map(\.size) == [1501])
        let tip = try test.ledger.tips()[0]
        let intervals = try test.ledger.intervals(of: tip, from: 0, bytesMax: .max)
        #expect(intervals.map(\.checkpoint.size) == [1024, 1501])
    }

    @Test func `proofs hold at any size and for no other event`() throws {
        let test = try TestLedger()
        let drafts = (0..<2500).map {
            Draft.primerShown("p\($0 % 9)", resource: "camera", at: phone)
        }
        let receipts = try test.ledger.append(drafts)
        for index in [0, 1, 1022, 1023, 1024, 2047, 2048, 2499] {
            let proof = try test.ledger.inclusionProof(of: receipts[index].event.id)
            #expect(proof.sequence == UInt64(index + 1))
            #expect(proof.checkpoint.isSigned(by: proof.author))
            func holds(_ id: EventID) -> Bool {
                MerkleTree.verifyInclusion(
                    proof.path, of: id, at: proof.sequence, size: proof.checkpoint.size,
                    root: proof.checkpoint.root)
            }
            #expect(holds(proof.event))
            #expect(!holds(receipts[(index + 7) % 2500].event.id))
        }
        let log = try #require(test.ledger.log)
        for (old, new) in [(1, 2501), (1024, 2501), (1025, 2048), (7, 9), (2500, 2501)] {
            let sizes = (UInt64(old), UInt64(new))
            let proof = try test.ledger.consistencyProof(of: log, from: sizes.0, to: sizes.1)
            let oldRoot = try test.ledger.root(of: log, size: sizes.0)
            let root = try test.ledger.root(of: log, size: sizes.1)
            #expect(
                MerkleTree.verifyConsistency(
                    proof, from: sizes.0, root: oldRoot, to: sizes.1, root: root))
            #expect(
                !MerkleTree.verifyConsistency(
                    proof, from: sizes.0, root: root, to: sizes.1, root: root))
        }
    }

    @Test func `files of a ledger are for its owner alone`() throws {
        let test = try TestLedger()
        func mode(_ path: String) -> UInt32 {
            var status = stat()
            stat(path, &status)
            return UInt32(status.st_mode) & 0o777
        }
        #expect(mode(test.path) == 0o700)
        for name in ["ledger.db", "ledger.db-wal", "replica.key"] {
            #expect(mode(test.path + "/" + name) == 0o600)
        }
    }
}

import TestSupport
import Testing

@testable import Ledger

/// How the states of a subject lie in one row, and what happens when its bytes are lost.
@Suite struct StateBundleTests {
    private static func key(_ tag: UInt64, _ resource: String) -> StateKey {
        StateKey(
            tag: SubjectTag(raw: Bytes16(a: 7, b: tag)), resource: resource,
            place: Place(device: "d", install: "1"))
    }

    private static func state(_ row: Int64) -> KeyState {
        var state = KeyState()
        state.sampleRow = row
        return state
    }

    private static func rows(_ store: EventStore) throws -> [StateKey: Int64] {
        var rows: [StateKey: Int64] = [:]
        try store.forEachState { (key, state) in
            if case .state(let state) = state { rows[key] = state.sampleRow }
            return true
        }
        return rows
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `what was put last is there, whatever lies in the same row`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let directory = TemporaryDirectory()
        let store = try EventStore.open(
            directory.path + "/a.db", mode: .create, lockWaitMilliseconds: 1000)
        var expected: [StateKey: Int64] = [:]
        for step in 0..<30 as Range<Int64> {
            var changes = StateBundle.Changes()
            let keys = (0..<(1 + random.next() % 6)).map { _ in
                Self.key(random.next() % 3, "r\(random.next() % 12)")
            }
            for key in Set(keys).sorted() {
                changes.append(key, Self.state(step))
                expected[key] = step
            }
            #expect(try store.putStates(changes))
            if random.next() % 8 == 0 {
                let tag = Self.key(random.next() % 3, "").tag
                try store.deleteStates(of: tag)
                expected = expected.filter { $0.key.tag != tag }
            }
            #expect(try Self.rows(store) == expected, "seed \(seed)")
        }
        for (key, row) in expected {
            guard case .state(let state) = try store.projectedState(key) else {
                Issue.record("a key is not found")
                continue
            }
            #expect(state.sampleRow == row)
        }
        guard case .nothing = try store.projectedState(Self.key(1, "none")) else {
            Issue.record("a key is found that was not put")
            return
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `bytes that do not add up are no bundle, and nothing traps`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var bytes: [UInt8] = []
        Self.key(1, "camera").bytes.withUnsafeBytes {
            StateBundle.append($0, random.bytes(40), to: &bytes)
        }
        for count in 1..<bytes.count {
            #expect(bytes.prefix(count).withUnsafeBytes { StateBundle.items($0) } == nil)
        }
        let noise = random.bytes(Int(random.next() % 60))
        noise.withUnsafeBytes { noise in
            let length = StateBundle.items(noise)?.reduce(0) {
                $0 + 6 + $1.key.count + $1.state.count
            }
            #expect(length == nil || length == noise.count)
        }
    }

    @Test(arguments: [false, true])
    func `where a row does not decode the events tell, and it is made anew`(writes: Bool) throws {
        let test = try TestLedger()
        for resource in ["camera", "location"] {
            try test.ledger.append(.allowed("me", resource: resource, at: phone))
        }
        try test.ledger.append(.allowed("you", resource: "camera", at: phone))
        try test.ledger.rebuild()
        do {
            let database = try Database(
                path: test.path + "/ledger.db", mode: .readWrite, lockWaitMilliseconds: 1000)
            try database.execute("UPDATE projection SET states=x'80'")
        }
        let ledger = try Ledger(openAt: test.path, environment: test.clock.environment)
        #expect(try !ledger.verify().isSound)
        if writes {
            try ledger.append(.denied("me", resource: "camera", at: phone))
            try ledger.append(.denied("you", resource: "camera", at: phone))
            try ledger.withCore { (core) throws(LedgerError) in try core.flush(all: true) }
            #expect(try ledger.verify().isSound)
        }
        for (subject, resource) in [("me", "camera"), ("me", "location"), ("you", "camera")] {
            let expected: PermissionStatus =
                writes && resource == "camera" ? .denied : .authorized
            let query = StatusQuery(subject, resource: resource, at: phone)
            #expect(try ledger.status(query).status == expected)
            let again = try Ledger(openAt: test.path, access: .readOnly)
            #expect(try again.status(query).status == expected)
        }
    }
}

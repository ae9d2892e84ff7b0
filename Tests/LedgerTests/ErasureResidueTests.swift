import TestSupport
import Testing

@testable import Ledger

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads the files as a thief of the disk would.
@Suite struct ErasureResidueTests {
    private func occurrences(of text: String, in path: String) throws -> Int {
        guard let file = fopen(path, "rb") else { return 0 }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let needle = Array(text.utf8)
        guard let first = needle.first, bytes.count >= needle.count else { return 0 }
        return bytes.indices.dropLast(needle.count - 1).count {
            bytes[$0] == first && bytes[$0..<$0 + needle.count].elementsEqual(needle)
        }
    }

    private func occurrences(of text: String, at directory: String) throws -> Int {
        try ["", "-wal", "-shm"].reduce(0) {
            $0 + (try occurrences(of: text, in: "\(directory)/ledger.db\($1)"))
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `no byte of an erased person is left in the files`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let test = try TestLedger()
        let tablet = try test.joined()
        let canaries = (0..<40).map { "canary-\(seed)-\($0)-\(random.next())" }
        for round in 0..<300 {
            let canary = canaries[round % canaries.count]
            var draft = Draft.allowed(
                canary, resource: "r-\(random.below(4))-\(canary)",
                at: Place(device: "d-\(canary)", install: "i-\(random.below(3))"))
            draft.payload.idempotencyKey = "k-\(canary)-\(round)"
            draft.payload.note = String(repeating: canary, count: random.below(12))
            try test.ledger.append(draft)
            if round == 200 { try test.ledger.rebuild() }
        }
        try test.ledger.rebuild()
        try Exchange.pull(from: test.ledger, into: tablet.ledger)
        for canary in canaries.dropLast(2) { try test.ledger.erase(canary) }
        try Exchange.pull(from: test.ledger, into: tablet.ledger)
        for replica in [test, tablet] {
            for canary in canaries.dropLast(2) {
                #expect(try occurrences(of: canary, at: replica.path) == 0, "\(canary)")
            }
            // The search itself finds what is there.
            #expect(try occurrences(of: canaries[39], at: replica.path) > 0)
            #expect(try replica.ledger.verify().findings == [])
        }
    }

    @Test func `a long read in progress delays the scrub, and says so`() throws {
        let test = try TestLedger()
        try test.ledger.append(.allowed("ada", resource: "camera", at: phone))
        try test.ledger.append(.allowed("me", resource: "camera", at: phone))
        let other = try Ledger(
            openAt: test.path,
            environment: LedgerEnvironment(
                wallClock: { test.clock.milliseconds }, lockWaitMilliseconds: 10))
        var erasure: Erasure?
        try test.ledger.history(HistoryFilter()) { (_) throws(LedgerError) in
            if erasure == nil { erasure = try other.erase("ada") }
            return true
        }
        #expect(erasure?.isScrubbedHere == false)
        #expect(try other.finishErasures())
        #expect(try other.erasure(of: "ada")?.isScrubbedHere == true)
        #expect(try occurrences(of: "ada", at: test.path) == 0)
    }
}

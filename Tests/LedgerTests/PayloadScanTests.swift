import TestSupport
import Testing

@testable import Ledger

/// The scan of a payload in place against the decoder that makes values of it; every test's
/// argument is its seed.
@Suite struct PayloadScanTests {
    private static let names = ["me", "ada", "", "Zoë", "Zoe\u{308}", "名", "a\u{0}b", "camera"]
    private static let revisions = ["0", "1", "9", "10", "1.2", "1.0", "01", "4294967296", "x", ""]

    private static let words = [
        Payload.Key.scope, Payload.Key.outcome, Payload.Key.status, Payload.Key.authority,
        Payload.Key.unitKind, Payload.Key.oldStatus,
    ]

    /// A payload whose fields are mostly legal, in order, and now and then neither.
    private func payload(_ random: inout SplitMix) -> [UInt8] {
        var keys = (0..<UInt64(36)).filter { _ in random.below(4) == 0 }
        if random.below(12) == 0, let key = keys.first { keys.append(key) }
        if random.below(12) == 0 { keys.append(random.pick([200, 70_000, 1 << 40, .max])) }
        if random.below(20) == 0 { keys.append(.max) }
        var writer = CBORWriter()
        writer.map(count: random.below(12) == 0 ? keys.count + 1 : keys.count)
        for key in keys {
            writer.unsigned(key)
            value(of: key, &random).encode(to: &writer)
        }
        return writer.bytes
    }

    private func value(of key: UInt64, _ random: inout SplitMix) -> CBORValue {
        guard random.below(24) > 0 else { return anything(&random, depth: 0) }
        switch key {
        case Payload.Key.scope, Payload.Key.unitKind: return .unsigned(UInt64(random.below(4)))
        case Payload.Key.outcome: return .unsigned(UInt64(random.below(10)))
        case Payload.Key.status, Payload.Key.oldStatus: return .unsigned(UInt64(random.below(8)))
        case Payload.Key.authority: return .unsigned(UInt64(random.below(7)))
        case Payload.Key.extent, Payload.Key.oldExtent, Payload.Key.askedExtent:
            return .unsigned(UInt64(random.below(66)))
        case Payload.Key.answers, Payload.Key.unit:
            return .bytes([UInt8](repeating: 7, count: random.below(8) == 0 ? 31 : 32))
        case Payload.Key.revision: return .text(random.pick(Self.revisions))
        case Payload.Key.wall, Payload.Key.windowStart, Payload.Key.windowEnd,
            Payload.Key.occurredAt, Payload.Key.end:
            return random.below(2) == 0
                ? .unsigned(random.next() >> UInt64(random.below(64)))
                : .negative(random.next() >> UInt64(random.below(3)))
        case Payload.Key.buttons:
            return .array((0..<random.below(18)).map { _ in .text(random.pick(Self.names)) })
        case Payload.Key.unitContent: return .bytes([1, 2, 3])
        case 34...: return anything(&random, depth: 0)
        default: return .text(random.pick(Self.names))
        }
    }

    private func anything(_ random: inout SplitMix, depth: Int) -> CBORValue {
        if depth > 0, random.below(2) == 0 || depth > 17 { return .unsigned(random.next() >> 40) }
        switch random.below(9) {
        case 0: return .unsigned(random.next() >> UInt64(random.below(64)))
        case 1: return .negative(random.next() >> UInt64(random.below(64)))
        case 2: return .bytes([1])
        case 3: return .text(random.pick(Self.names))
        case 4: return .bool(random.below(2) == 0)
        case 5: return .null
        case 6: return .array([anything(&random, depth: depth + 1)])
        case 7: return nested(random.below(20))
        default:
            return .map(
                [anything(&random, depth: depth + 1), anything(&random, depth: depth + 1)].map {
                    CBORValue.Pair(key: $0, value: .null)
                })
        }
    }

    private func nested(_ depth: Int) -> CBORValue {
        depth == 0 ? .null : .array([nested(depth - 1)])
    }

    private func mutate(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<random.below(3) {
            let place = random.below(bytes.count + 1)
            switch random.below(4) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
            default: bytes = Array(bytes[..<place])
            }
        }
        return bytes
    }

    private func header(_ random: inout SplitMix) -> EventHeader {
        let kinds = [0, 1, 2, 3, 4, 4, 4, 5, 5, 6, 7, 8, 9, 777]
        return EventHeader(
            log: LogID(raw: .zero), sequence: 3, timestamp: Timestamp(milliseconds: 1_000_000),
            kind: EventKind(code: UInt16(random.pick(kinds))), isCritical: random.below(3) == 0,
            replaces: [],
            subjectTag: random.below(8) == 0 ? .none : SubjectTag(raw: Bytes16(a: 1, b: 2)),
            payloadLength: 0, commitment: .zero)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what is scanned in place is judged as what is decoded`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var accepted = 0
        for _ in 0..<500 {
            let payload = mutate(payload(&random), &random)
            let header = header(&random)
            let body = [UInt8](repeating: 0, count: StoredRow.saltLength) + payload
            let decoded = try? Payload(encoded: payload)
            let fields = payload.withUnsafeBytes { PayloadScan($0)?.fields }
            let isScanned = fields != nil
            #expect(
                fields.map { "\($0)" } == decoded.map { "\(FactFields($0))" }, "\(payload)")
            #expect(isScanned == (decoded != nil), "\(payload)")
            if isScanned { accepted += 1 }
            let id = EventID(raw: .zero)
            let old = Fact(Event(id: id, header: header, body: body), row: 1)
            let new = body.withUnsafeBytes {
                Fact(id, header, ScannedBody(header.kind, $0), row: 1)
            }
            #expect(new.key == old.key, "\(payload)")
            #expect(new.answers == old.answers, "\(payload)")
            #expect(new.variant == old.variant, "\(payload)")
            #expect(String(describing: new.role) == String(describing: old.role), "\(payload)")
        }
        // Neither side may only ever refuse.
        #expect(accepted > 30)
        #expect(accepted < 470)
    }

    @Test func `a word of another number is refused, though its last byte is a word's`() {
        for key in Self.words {
            for (number, isWord) in [(UInt64(1), true), (257, false), (1 << 32 | 1, false)] {
                var writer = CBORWriter()
                writer.map(count: 1)
                writer.unsigned(key)
                writer.unsigned(number)
                let payload = writer.bytes
                let decoded = try? Payload(encoded: payload)
                #expect((decoded != nil) == isWord)
                let isScanned = payload.withUnsafeBytes { PayloadScan($0) != nil }
                #expect(isScanned == isWord, "\(key): \(number)")
            }
        }
    }

    @Test(arguments: 200..<206 as Range<UInt64>)
    func `what is folded as it comes, late answers too, is what is folded at once`(
        seed: UInt64
    ) throws {
        var life = try RandomLife(seed: seed, replicas: 2)
        try life.run(steps: 120)
        try life.settle()
        for replica in life.replicas {
            try replica.ledger.withReader { (core) throws(LedgerError) in
                try core.withSnapshot { () throws(LedgerError) in try compare(core) }
            }
        }
    }

    private func compare(_ core: Core) throws(LedgerError) {
        var states: [StateKey: KeyState] = [:]
        var facts: [StateKey: [Fact]] = [:]
        for row in 1...core.rows.chains.maxRow {
            guard let fact = try core.rows.fact(row), let key = fact.key else { continue }
            facts[key, default: []].append(fact)
            var state = states[key] ?? KeyState()
            let whole = KeyState.fold(facts[key] ?? [])
            if state.apply(fact, blockers: []) {
                #expect(state.storedBytes == whole.storedBytes)
            }
            states[key] = whole
        }
    }
}

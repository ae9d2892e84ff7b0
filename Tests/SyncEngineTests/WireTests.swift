import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

@Suite struct WireTests {
    static let host = EmptyHost()

    static func interval(_ random: inout SplitMix) throws -> Interval {
        var sample = IntervalSample(&random)
        return try sample.interval(Int(random.next() % 30 + 1), &random)
    }

    static func encode(_ interval: Interval) throws -> [UInt8] {
        var encoder = IntervalEncoder(host: host)
        return try encoder.encode(interval)
    }

    static func decode(_ bytes: [UInt8], of log: LogID) throws(SyncError) -> Interval {
        var decoder = IntervalDecoder(host: host)
        return try decoder.decode(bytes, of: log)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `an interval comes back exactly`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let interval = try Self.interval(&random)
        let bytes = try Self.encode(interval)
        let back = try Self.decode(bytes, of: interval.tip.log)
        #expect(back == interval, "seed \(seed)")
        #expect(back.events.map(\.header.bytes) == interval.events.map(\.header.bytes))
    }

    @Test(arguments: 0..<40 as Range<UInt64>, [false, true])
    func `the intervals of a stream come back, each with what was said before`(
        seed: UInt64, wholeIDs: Bool
    ) throws {
        var random = SplitMix(seed: seed)
        var sample = IntervalSample(&random)
        var encoder = IntervalEncoder(host: Self.host, wholeIDs: wholeIDs)
        var decoder = IntervalDecoder(host: Self.host)
        for _ in 0..<10 {
            let interval = try sample.interval(Int(random.next() % 300 + 1), &random)
            let bytes = try encoder.encode(interval)
            #expect(try decoder.decode(bytes, of: sample.log) == interval, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            (.narrow, true), (.wide, false),
            (StreamMemory(entriesMax: 60, bytesMax: 1 << 20), true),
            (StreamMemory(entriesMax: 4096, bytesMax: 20_000), true),
        ] as [(StreamMemory, Bool)])
    func `what a stream remembers is forgotten on both sides when it is much`(
        memory: StreamMemory, forgets: Bool
    ) throws {
        var random = SplitMix(seed: 3)
        var sample = IntervalSample(&random)
        var encoder = IntervalEncoder(host: Self.host, memory: memory)
        var decoder = IntervalDecoder(host: Self.host, memory: memory)
        for _ in 0..<15 {
            let interval = try sample.interval(700, &random)
            #expect(try decoder.decode(encoder.encode(interval), of: sample.log) == interval)
            #expect(decoder.remembered.entries <= memory.entriesMax)
            #expect(decoder.remembered.bytes <= memory.bytesMax)
        }
        #expect((decoder.forgettings > 0) == forgets)
    }

    @Test func `ids that are there when an interval begins are there until it ends`() {
        let log = LogID(raw: Bytes16(a: 1, b: 2))
        var recent = RecentIDs()
        var (oldest, next) = (UInt64(0), UInt64(0))
        for length in 1..<800 as Range<UInt64> {
            recent.begin(at: next, of: log)
            while oldest < next, recent.id(at: oldest) == nil { oldest += 1 }
            #expect(next - oldest >= min(next, UInt64(StreamMemory.recentMax)))
            for sequence in next..<(next + length) {
                recent.add(EventID(raw: Bytes32(a: sequence, b: 0, c: 0, d: 0)))
            }
            next += length
            for sequence in [oldest, next - 1] {
                #expect(recent.id(at: sequence)?.raw.firstWord == sequence)
            }
        }
        #expect(recent.id(at: 0) == nil)
        recent.begin(at: next + 1, of: log)
        #expect(recent.id(at: next - 1) == nil)
    }

    @Test func `what the receiver computes is not sent`() throws {
        var random = SplitMix(seed: 1)
        let interval = try Self.interval(&random)
        let bytes = try Self.encode(interval)
        #expect(bytes.firstRange(of: interval.tip.log.bytes) == nil)
        for event in interval.events where event.body != nil {
            #expect(bytes.firstRange(of: event.header.commitment.bytes) == nil)
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `changed or cut bytes never trap, and what comes back keeps to the layout`(seed: UInt64)
        throws
    {
        var random = SplitMix(seed: seed)
        let interval = try Self.interval(&random)
        let bytes = try Self.encode(interval)
        for _ in 0..<20 {
            let changed = Self.mutate(bytes, &random)
            guard changed != bytes else { continue }
            let back = try? Self.decode(changed, of: interval.tip.log)
            // Deflate has several spellings of one content, so the same may come back.
            #expect(back.map { $0.tip.log } ?? interval.tip.log == interval.tip.log)
            for event in back?.events ?? [] {
                #expect(throws: Never.self) { try EventHeader(bytes: event.header.bytes) }
            }
        }
    }

    static func mutate(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var changed = bytes
        for _ in 0...(random.next() % 3) where !changed.isEmpty {
            let place = Int(random.next() % UInt64(changed.count))
            switch random.next() % 5 {
            case 0: changed[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: changed[place] ^= 1 << UInt8(random.next() % 8)
            case 2: changed.removeSubrange(place...)
            case 3: changed.insert(0xFF, at: place)
            default: changed.replaceSubrange(place..., with: random.bytes(20))
            }
        }
        return changed
    }

    @Test func `lengths that promise more than there is take no memory`() {
        // First 0, 65,536 events, root, signature, and then nothing.
        let start: [UInt8] = [0, 0x80, 0x80, 0x04]
        let bytes = start + [UInt8](repeating: 0, count: 96)
        #expect(throws: SyncError(.malformed, "")) {
            try Self.decode(bytes, of: LogID(raw: .zero))
        }
        #expect(throws: SyncError(.limit, "")) {
            try Self.decode(
                [0, 0xFF, 0xFF, 0xFF, 0x7F] + bytes, of: LogID(raw: .zero))
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `frames of nonsense end a session with an error and not with a trap`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var attacked = try SessionProtocolTests.Attacked()
        let tip = Tip(log: attacked.ledger.log, size: 6, root: .zero)
        let messages: [Message] = [
            .ranges(
                [
                    TipRange(end: tip.log, .fingerprint(.zero)),
                    TipRange(
                        end: nil, .list([TipEntry(tip: tip, missingCount: 2, missingDigest: 7)])),
                ], isLast: true),
            .news([TipEntry(tip: tip)]), .ping(.zero), .pong(.zero),
            .push(Push(log: tip.log, bytes: [1, 2, 3])),
            .taken(Taken(log: tip.log, size: 300, newEvents: 7)),
            .want(Want(stream: 1, tip: tip, first: 0, end: 6, credit: 1000)),
            .part(Part(stream: 1, isLast: true, bytes: random.bytes(300))),
            .end(StreamEnd(stream: 1, outcome: .complete)),
            .acknowledge(Acknowledgement(stream: 1, size: 3, newEvents: 1, credit: 9)),
            .setAside(Refusal(log: tip.log, size: 1, reason: "why")),
            .digest(RoundEnd(round: 1, digest: .zero)),
        ]
        for _ in 0..<30 where attacked.error == nil {
            let index = Int(random.next() % UInt64(messages.count))
            let isHonest = random.next() % 3 == 0
            let bytes = messages[index].encoded
            attacked.receive(isHonest ? bytes : Self.mutate(bytes, &random))
            attacked.take(attacked.session.drained())
        }
        #expect(try attacked.ledger.tips().count == 1, "seed \(seed)")
    }

    @Test(arguments: [1, 2] as [UInt16])
    func `segments of each format are read, however much they say`(format: UInt16) throws {
        var random = SplitMix(seed: 4)
        var sample = IntervalSample(&random)
        var builder = SegmentBuilder(
            ledger: LedgerID(raw: .zero), host: Self.host, format: format)
        var intervals: [Interval] = []
        for _ in 0..<15 {
            intervals.append(try sample.interval(700, &random))
            try builder.append(intervals[intervals.count - 1])
        }
        let key = random.bytes(32)
        let file = try builder.sealed(key: key, generation: 0, salt: random.bytes(32)).file
        let prologue = try SegmentPrologue(file)
        #expect(prologue.format == format)
        #expect(
            try SegmentFormat.open(file, prologue, host: Self.host, keys: [key]).all() == intervals)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a made-up segment never traps, not even with the right key and trailer`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        let interval = try Self.interval(&random)
        let (ledger, key) = (LedgerID(raw: .zero), random.bytes(32))
        let file = try SegmentFormat.encode(
            [interval], of: ledger, host: Self.host, key: key, generation: 0, salt: random.bytes(32)
        )
        let prologue = try SegmentPrologue(file)
        #expect(
            try SegmentFormat.open(file, prologue, host: Self.host, keys: [key]).all() == [interval]
        )
        let fileKey = try Sealing.fileKey(key, salt: prologue.salt)
        let sealed = file[SegmentPrologue.length..<(file.count - SegmentTrailer.length)]
        let content = try #require(
            try Sealing.open(sealed, key: fileKey, prologue: prologue.encoded))
        for _ in 0..<10 {
            let bad = Self.mutate(content, &random)
            guard bad != content else { continue }
            var forged = prologue
            forged.contentLength = UInt64(bad.count)
            var made = forged.encoded
            try Sealing.seal(bad, key: fileKey, prologue: made, to: &made)
            try SegmentTrailer.append(to: &made)
            try SegmentFormat.checkWhole(made, forged)
            let back = try? SegmentFormat.open(made, forged, host: Self.host, keys: [key]).all()
            #expect(back?.allSatisfy { $0.tip.log == prologue.log } ?? true, "seed \(seed)")
            _ = try? SegmentPrologue(Self.mutate(made, &random))
        }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func `content of any length is sealed and opened, and any change is noticed`(count: Int) throws
    {
        var random = SplitMix(seed: UInt64(count))
        let (key, content) = (random.bytes(32), random.bytes(count))
        var sealed: [UInt8] = []
        try Sealing.seal(content, key: key, prologue: [1], to: &sealed)
        #expect(sealed.count == Sealing.sealedLength(of: count))
        #expect(try Sealing.open(sealed[...], key: key, prologue: [1]) == content)
        #expect(try Sealing.open(sealed[...], key: key, prologue: [2]) == nil)
        let chunk = Sealing.chunkLength + Sealing.tagLength
        for edge in stride(from: chunk, to: sealed.count, by: chunk) {
            #expect(try Sealing.open(sealed[..<edge], key: key, prologue: [1]) == nil)
        }
        #expect(try Sealing.open(sealed[...], key: random.bytes(32), prologue: [1]) == nil)
        for _ in 0..<10 {
            let bad = Self.mutate(sealed, &random)
            #expect(try bad == sealed || Sealing.open(bad[...], key: key, prologue: [1]) == nil)
        }
    }

    @Test(arguments: [UInt64(0), 1, 127, 128, 16_383, 16_384, 1 << 53, .max])
    func `numbers come back and have one form only`(value: UInt64) throws {
        var writer = ByteWriter()
        writer.number(value)
        #expect(
            try ByteReader.decode(writer.bytes) { (r) throws(SyncError) in try r.number() } == value
        )
        var padded = writer.bytes
        padded[padded.count - 1] |= 0x80
        #expect(throws: SyncError.self) {
            try ByteReader.decode(padded + [0]) { (r) throws(SyncError) in try r.number() }
        }
        writer = ByteWriter()
        writer.signed(Int64(bitPattern: value))
        let signed = try ByteReader.decode(writer.bytes) { (r) throws(SyncError) in try r.signed() }
        #expect(signed == Int64(bitPattern: value))
    }
}

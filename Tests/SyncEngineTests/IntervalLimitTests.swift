import Testing

@testable import Ledger
@testable import SyncEngine

/// A few bytes must not become many without limit.
@Suite struct IntervalLimitTests {
    /// An interval's bytes around columns that a test makes up.
    static func bytes(
        count: Int, raw: [UInt8], columns: [(Int, [UInt8])], packed: Bool = true,
        announcing length: Int? = nil
    ) throws -> [UInt8] {
        var content = ByteWriter()
        content.number(UInt64(columns.count))
        for (number, column) in columns {
            content.number(UInt64(number))
            content.number(UInt64(column.count))
        }
        for (_, column) in columns { content.raw(column) }
        var writer = ByteWriter()
        writer.number(0)
        writer.number(UInt64(count))
        writer.raw([UInt8](repeating: 0, count: 96))
        writer.number(UInt64(raw.count))
        writer.raw(raw)
        writer.number(UInt64(length ?? content.bytes.count) << 1 | (packed ? 1 : 0))
        writer.raw(
            packed
                ? try Deflate.compress(content.bytes, edges: [content.bytes.count])
                : content.bytes)
        return writer.bytes
    }

    static func decode(_ bytes: [UInt8]) throws(SyncError) -> Interval {
        try WireTests.decode(bytes, of: LogID(raw: .zero))
    }

    @Test func `a promise that no compressed bytes can keep is refused before memory is taken`()
        throws
    {
        for length in [200_000, 1 << 23] {
            let bytes = try Self.bytes(
                count: 1, raw: [UInt8](repeating: 0, count: 16), columns: [(0, [0])],
                announcing: length)
            #expect(throws: SyncError(.malformed, "")) { try Self.decode(bytes) }
        }
        let over = try Self.bytes(
            count: 1, raw: [UInt8](repeating: 0, count: 16), columns: [(0, [0])],
            announcing: WireLimits.intervalContentMax + 1)
        #expect(throws: SyncError(.limit, "")) { try Self.decode(over) }
    }

    @Test func `an expansion that is longer or shorter than announced is refused`() throws {
        let column = [UInt8](repeating: 0, count: 3000)
        for length in [2990, 3100] {
            let bytes = try Self.bytes(
                count: 1, raw: [UInt8](repeating: 0, count: 16), columns: [(0, column)],
                announcing: length)
            #expect(throws: SyncError(.malformed, "")) { try Self.decode(bytes) }
        }
    }

    @Test func `small tokens for large values do not add up without limit`() throws {
        // One opaque value of 256 bytes, named by one byte each 65,535 times more, in shapes of one
        // byte each: 16 MiB of payloads come from 130 KiB.
        let events = 65_536
        var literal = ByteWriter()
        literal.number(0)
        literal.number(256 << 2)
        literal.raw([UInt8](repeating: 1, count: 256))
        func columns(_ fields: [UInt8]) -> [(Int, [UInt8])] {
            let shape = [UInt8(0)] + [UInt8](repeating: 1, count: events - 1)
            let zeros = [UInt8](repeating: 0, count: events)
            var result: [(Int, [UInt8])] = [
                (0, shape), (1, [0, 9, ShapeFlag.fields, UInt8(fields.count)] + fields),
                (2, zeros), (3, zeros),
            ]
            for key in fields {
                let own = [UInt8(0)] + [UInt8](repeating: 1, count: events - 1)
                result.append((16 + 2 * Int(key), own))
                result.append((17 + 2 * Int(key), literal.bytes))
            }
            return result
        }
        let raw = [UInt8](repeating: 0, count: 16 * events)
        let bytes = try Self.bytes(count: events, raw: raw, columns: columns([2, 3, 4]))
        #expect(bytes.count < 2 << 20)
        #expect(throws: SyncError(.limit, "")) { try Self.decode(bytes) }
    }

    @Test func `references to later events, to before the log or to nothing are refused`() throws {
        let id = [UInt8](repeating: 0, count: 16)
        func interval(_ reference: [UInt8]) throws -> [UInt8] {
            try Self.bytes(
                count: 2, raw: id + id,
                columns: [
                    (0, [0, 1]), (1, [0, 5, ShapeFlag.fields | ShapeFlag.replaces, 0]),
                    (2, [0, 0]), (3, [0, 0]), (4, reference), (5, [1, 1]),
                ], packed: false)
        }
        for reference: [UInt8] in [[1, 1], [2, 2], [3, 3], [0x80, 0x80, 0x80, 1, 2]] {
            #expect(throws: SyncError(.malformed, "")) { try Self.decode(interval(reference)) }
        }
    }

    @Test func `columns doubled, out of order, empty or left over are refused`() throws {
        let id = [UInt8](repeating: 0, count: 16)
        let good: [(Int, [UInt8])] = [
            (0, [0]), (1, [0, 5, ShapeFlag.fields, 0]), (2, [0]), (3, [0]),
        ]
        #expect(throws: Never.self) {
            try Self.decode(try Self.bytes(count: 1, raw: id, columns: good, packed: false))
        }
        let bad: [[(Int, [UInt8])]] = [
            good + [(3, [0])], [good[1], good[0], good[2], good[3]], good + [(5, [])],
            good + [(6, [1])], Array(good.dropLast()), good + [(Column.count, [0])],
        ]
        for columns in bad {
            #expect(throws: SyncError.self) {
                try Self.decode(try Self.bytes(count: 1, raw: id, columns: columns, packed: false))
            }
        }
        #expect(throws: SyncError(.malformed, "")) {
            try Self.decode(try Self.bytes(count: 1, raw: id + [1], columns: good, packed: false))
        }
    }

    @Test func `shapes whose flags do not go together are refused`() throws {
        let id = [UInt8](repeating: 0, count: 32)
        let tag = { (mode: UInt8) in mode << ShapeFlag.tagShift }
        let bad: [[UInt8]] = [
            [0x80], [tag(3)], [ShapeFlag.fields | 2, 0], [tag(1) | 2], [ShapeFlag.fields, 65],
            [ShapeFlag.fields, 1, 64], [ShapeFlag.fields, 2, 4, 4], [tag(1) | ShapeFlag.fields, 0],
        ]
        for shape in bad {
            let columns = [(0, [UInt8(0)]), (1, [0, 5] + shape), (2, [0]), (3, [0])]
            let bytes = try Self.bytes(count: 1, raw: id, columns: columns, packed: false)
            #expect(throws: SyncError.self) { try Self.decode(bytes) }
        }
    }
}

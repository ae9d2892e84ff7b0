package import Ledger

/// Builds a message in one growing buffer.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// LEB128, least significant group first, in the fewest bytes.
    package mutating func number(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small magnitudes in few bytes, whatever the sign (zigzag).
    package mutating func signed(_ value: Int64) {
        number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    package mutating func fixed(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func hash(_ value: Bytes32) {
        value.withBytes { bytes.append(contentsOf: $0) }
    }

    package mutating func half(_ value: Bytes16) {
        value.withBytes { bytes.append(contentsOf: $0) }
    }

    package mutating func raw(_ value: [UInt8]) { bytes += value }

    package mutating func raw(_ value: ArraySlice<UInt8>) { bytes += value }

    package mutating func text(_ value: String) {
        number(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }
}

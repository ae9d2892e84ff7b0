/// Thirty-two bytes held as four words, so that they compare and hash without touching the heap.
///
/// ```swift
/// let root = Bytes32(bytes)
/// ```
public struct Bytes32: Hashable, Comparable, Sendable {
    let a, b, c, d: UInt64

    /// All zero.
    public static let zero = Bytes32(a: 0, b: 0, c: 0, d: 0)

    init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }

    package init(at pointer: UnsafeRawPointer) {
        a = UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
        b = UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        c = UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        d = UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    }

    /// Takes exactly 32 bytes; nil when there are not 32 of them.
    ///
    /// - Parameter bytes: the bytes, most significant first.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self = Array(bytes).withUnsafeBytes { buffer in
            buffer.baseAddress.map(Bytes32.init(at:)) ?? .zero
        }
    }

    /// The first sixteen bytes.
    package var firstHalf: Bytes16 { Bytes16(a: a, b: b) }

    /// The first eight bytes.
    package var firstWord: UInt64 { a }

    /// The bytes, most significant first.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian), body)
    }

    /// Orders by bytes.
    public static func < (left: Bytes32, right: Bytes32) -> Bool {
        (left.a, left.b, left.c, left.d) < (right.a, right.b, right.c, right.d)
    }
}

/// Sixteen bytes held as two words.
///
/// ```swift
/// let nonce = Bytes16(try Crypto.random(16))
/// ```
public struct Bytes16: Hashable, Comparable, Sendable {
    let a, b: UInt64

    /// All zero.
    public static let zero = Bytes16(a: 0, b: 0)

    init(a: UInt64, b: UInt64) {
        self.a = a
        self.b = b
    }

    /// The first eight bytes.
    package var firstWord: UInt64 { a }

    package init(at pointer: UnsafeRawPointer) {
        a = UInt64(bigEndian: pointer.loadUnaligned(as: UInt64.self))
        b = UInt64(bigEndian: pointer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Takes exactly 16 bytes; nil when there are not 16 of them.
    ///
    /// - Parameter bytes: the bytes, most significant first.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self = Array(bytes).withUnsafeBytes { buffer in
            buffer.baseAddress.map(Bytes16.init(at:)) ?? .zero
        }
    }

    /// The bytes, most significant first.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: (a.bigEndian, b.bigEndian), body)
    }

    /// Orders by bytes.
    public static func < (left: Bytes16, right: Bytes16) -> Bool {
        (left.a, left.b) < (right.a, right.b)
    }
}

internal import COpenSSL

/// SHA-256.
package final class Digester: Sendable {
    /// The digest of nothing (FIPS 180-4).
    private static let empty = Bytes32(
        a: 0xe3b0_c442_98fc_1c14, b: 0x9afb_f4c8_996f_b924, c: 0x27ae_41e4_649b_934c,
        d: 0xa495_991b_7852_b855)

    /// A known answer first: a library that hashes wrongly must not touch a ledger.
    package init() throws(LedgerError) {
        guard digest([]) == Self.empty else { throw .opensslFailed("SHA-256") }
    }

    func digest(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bytes32 {
        Self.digest(first, second)
    }

    package func digest(_ bytes: UnsafeRawBufferPointer) -> Bytes32 { Self.digest(bytes) }

    func digest(_ bytes: [UInt8]) -> Bytes32 { bytes.withUnsafeBytes { digest($0) } }

    /// RFC 6962 leaf hash: SHA-256(0x00 ‖ leaf).
    func leaf(_ header: UnsafeRawBufferPointer) -> Bytes32 {
        withUnsafeBytes(of: UInt8(0)) { Self.digest($0, header) }
    }

    /// RFC 6962 node hash: SHA-256(0x01 ‖ left ‖ right).
    func node(_ left: Bytes32, _ right: Bytes32) -> Bytes32 {
        withUnsafeBytes(of: UInt8(1)) { prefix in
            left.withBytes { left in right.withBytes { Self.digest(prefix, left, $0) } }
        }
    }

    private static func digest(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = .init(start: nil, count: 0),
        _ third: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) -> Bytes32 {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return .zero }
            copenssl_sha256(
                first.baseAddress, first.count, second.baseAddress, second.count,
                third.baseAddress, third.count, base.assumingMemoryBound(to: UInt8.self))
            return Bytes32(at: UnsafeRawPointer(base))
        }
    }
}

extension LedgerError {
    static func opensslFailed(_ what: String) -> LedgerError {
        LedgerError(.crypto, "OpenSSL refused \(what); check that OpenSSL 3 is installed whole.")
    }
}

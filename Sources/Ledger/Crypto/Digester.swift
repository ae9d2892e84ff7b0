internal import COpenSSL

/// SHA-256, without the state and the indirection of EVP: most of what is hashed is about as short as
/// the way to an EVP method is long.
package final class Digester: Sendable {
    /// Throws nothing today; a way of hashing that could fail to start would fail here and not at
    /// every hash.
    package init() throws(LedgerError) {}

    func digest(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bytes32 {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return .zero }
            copenssl_sha256(
                first.baseAddress, first.count, second.baseAddress, second.count,
                base.assumingMemoryBound(to: UInt8.self))
            return Bytes32(at: UnsafeRawPointer(base))
        }
    }

    package func digest(_ bytes: UnsafeRawBufferPointer) -> Bytes32 {
        digest(bytes, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    package func digest(_ bytes: [UInt8]) -> Bytes32 { bytes.withUnsafeBytes { digest($0) } }

    /// RFC 6962 leaf hash: SHA-256(0x00 ‖ leaf).
    package func leaf(_ header: UnsafeRawBufferPointer) -> Bytes32 {
        withUnsafeBytes(of: UInt8(0)) { digest($0, header) }
    }

    /// RFC 6962 node hash: SHA-256(0x01 ‖ left ‖ right).
    func node(_ left: Bytes32, _ right: Bytes32) -> Bytes32 {
        withUnsafeTemporaryAllocation(byteCount: 65, alignment: 1) { buffer in
            buffer[0] = 1
            left.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[1..<33]).copyMemory(from: $0)
            }
            right.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[33..<65]).copyMemory(from: $0)
            }
            return digest(UnsafeRawBufferPointer(buffer))
        }
    }
}

extension LedgerError {
    static func opensslFailed(_ what: String) -> LedgerError {
        LedgerError(.crypto, "OpenSSL refused \(what); check that OpenSSL 3 is installed whole.")
    }
}

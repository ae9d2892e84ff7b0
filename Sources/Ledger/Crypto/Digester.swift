internal import COpenSSL

/// SHA-256 with one reused context; not shared between threads.
package final class Digester {
    /// Fetched once: an implicit fetch at every use costs more than hashing a header.
    ///
    /// Immutable after initialisation, and OpenSSL's method objects may be used by many threads
    /// (https://docs.openssl.org/3.0/man7/crypto/#explicit-fetching).
    nonisolated(unsafe) private static let sha256 = EVP_MD_fetch(nil, "SHA256", nil)

    private let context: OpaquePointer

    package init() throws(LedgerError) {
        guard let context = EVP_MD_CTX_new() else { throw .opensslFailed("EVP_MD_CTX_new") }
        guard EVP_DigestInit_ex2(context, Self.sha256, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw .opensslFailed("SHA-256")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// A failure here would be OpenSSL out of memory; the all-zero result then verifies nowhere.
    private func finish() -> Bytes32 {
        var result = Bytes32.zero
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            if EVP_DigestFinal_ex(context, base.assumingMemoryBound(to: UInt8.self), nil) == 1 {
                result = Bytes32(at: UnsafeRawPointer(base))
            }
        }
        return result
    }

    private func begin() { EVP_DigestInit_ex2(context, nil, nil) }

    private func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    func digest(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bytes32 {
        begin()
        update(first)
        update(second)
        return finish()
    }

    package func digest(_ bytes: UnsafeRawBufferPointer) -> Bytes32 {
        begin()
        update(bytes)
        return finish()
    }

    package func digest(_ bytes: [UInt8]) -> Bytes32 { bytes.withUnsafeBytes { digest($0) } }

    /// RFC 6962 leaf hash: SHA-256(0x00 ‖ leaf).
    package func leaf(_ header: UnsafeRawBufferPointer) -> Bytes32 { prefixed(0, header) }

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

    private func prefixed(_ prefix: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bytes32 {
        begin()
        withUnsafeBytes(of: prefix) { update($0) }
        update(bytes)
        return finish()
    }
}

extension LedgerError {
    static func opensslFailed(_ what: String) -> LedgerError {
        LedgerError(.crypto, "OpenSSL refused \(what); check that OpenSSL 3 is installed whole.")
    }
}

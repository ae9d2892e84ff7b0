internal import COpenSSL

/// HMAC-SHA-256 (RFC 2104) under one key, with one reused context; not shared between threads.
final class KeyedHash {
    /// Fetched once, as for ``Digester``: a fetch at every use costs more than the hash.
    ///
    /// `nonisolated(unsafe)`: set once, by the language's own lock, and never changed; OpenSSL's
    /// method objects may be used by many threads at once.
    nonisolated(unsafe) private static let hmac = EVP_MAC_fetch(nil, "HMAC", nil)

    private let context: OpaquePointer

    init(key: [UInt8]) throws(LedgerError) {
        guard let context = EVP_MAC_CTX_new(Self.hmac) else { throw .opensslFailed("HMAC") }
        var name = Array("SHA256".utf8CString)
        let started = name.withUnsafeMutableBufferPointer { name in
            var parameters = [
                OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_init(context, key, key.count, &parameters)
        }
        guard started == 1 else {
            EVP_MAC_CTX_free(context)
            throw .opensslFailed("HMAC")
        }
        self.context = context
    }

    deinit { EVP_MAC_CTX_free(context) }

    func code(of message: [UInt8]) throws(LedgerError) -> Bytes32 {
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        guard EVP_MAC_init(context, nil, 0, nil) == 1,
            EVP_MAC_update(context, message, message.count) == 1,
            EVP_MAC_final(context, &code, &count, code.count) == 1, let result = Bytes32(code)
        else { throw .opensslFailed("HMAC") }
        return result
    }
}

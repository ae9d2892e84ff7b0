internal import COpenSSL

/// HMAC, HKDF, random bytes and base64, all by OpenSSL.
///
/// ```swift
/// let nonce = Bytes16(try Crypto.random(16))
/// ```
public enum Crypto {
    /// HMAC-SHA-256 (RFC 2104).
    package static func hmac(
        key: [UInt8], _ message: some Collection<UInt8>
    ) throws(LedgerError) -> Bytes32 {
        try KeyedHash(key: key).code(of: Array(message))
    }

    /// HKDF-SHA-256 (RFC 5869) without salt; 32 bytes.
    package static func derive(
        from secret: [UInt8], label: String
    ) throws(LedgerError) -> [UInt8] {
        // With an empty salt, extract is HMAC(zero key, secret) and one block of expand is
        // HMAC(prk, info ‖ 1): two calls of a primitive, as RFC 5869 sections 2.2 and 2.3 say.
        let key = try hmac(key: [UInt8](repeating: 0, count: 32), secret)
        return try hmac(key: key.bytes, Array(label.utf8) + [1]).bytes
    }

    /// SHA-256 of the whole.
    package static func sha256(_ bytes: [UInt8]) throws(LedgerError) -> Bytes32 {
        try Digester().digest(bytes)
    }

    /// Bytes from OpenSSL's generator.
    @Sendable public static func random(_ count: Int) throws(LedgerError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, CInt(count)) == 1 else { throw .opensslFailed("random bytes") }
        return bytes
    }

    /// Standard base64 with padding (RFC 4648 section 4).
    package static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// Nil unless the text is canonical base64.
    package static func decodeBase64(_ text: String) -> [UInt8]? {
        let input = Array(text.utf8)
        guard input.count % 4 == 0, input.count < 1 << 24 else { return nil }
        var bytes = [UInt8](repeating: 0, count: input.count / 4 * 3 + 1)
        let count = EVP_DecodeBlock(&bytes, input, CInt(input.count))
        let padding = input.reversed().prefix(while: { $0 == UInt8(ascii: "=") }).count
        guard count >= 0, padding <= 2 else {
            ERR_clear_error()
            return nil
        }
        let decoded = Array(bytes.prefix(Int(count) - padding))
        return base64(decoded) == text ? decoded : nil
    }
}

/// An Ed25519 key pair (RFC 8032).
///
/// The secret half stays in this process and the key file.
package struct SigningKey: Sendable {
    package let seed: [UInt8]
    package let publicKey: Bytes32
    /// Made once: OpenSSL derives the public half anew for each, which costs as much as a signature.
    private let key: RawKey

    /// Takes a 32-byte seed.
    package init(seed: [UInt8]) throws(LedgerError) {
        self.seed = seed
        key = try RawKey(EVP_PKEY_ED25519, secret: seed, "an Ed25519 key")
        publicKey = try key.publicKey("an Ed25519 key")
    }

    /// Signs; the same message gives the same signature (RFC 8032, section 5.1.6).
    package func sign(_ message: [UInt8]) throws(LedgerError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .opensslFailed("an Ed25519 key") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var count = 64
        guard EVP_DigestSignInit(context, nil, nil, nil, key.handle) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
        else { throw .opensslFailed("an Ed25519 signature") }
        return signature
    }

    package static func verify(
        _ signature: [UInt8], of message: [UInt8], by publicKey: Bytes32
    ) -> Bool {
        guard signature.count == 64,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey.bytes, 32)
        else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let valid =
            EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, 64, message, message.count) == 1
        if !valid { ERR_clear_error() }
        return valid
    }
}

/// An X25519 key pair (RFC 7748), to which later folder keys are sealed.
package struct SealingKey: Sendable {
    package let secret: [UInt8]
    package let publicKey: Bytes32

    package init(secret: [UInt8]) throws(LedgerError) {
        self.secret = secret
        publicKey = try RawKey(EVP_PKEY_X25519, secret: secret, "an X25519 key")
            .publicKey("an X25519 key")
    }
}

/// OpenSSL's form of a secret key.
///
/// `@unchecked Sendable`: the handle is set once and only read; OpenSSL's keys are counted
/// atomically and may be used by many threads at once as long as none changes them, and nothing
/// here does.
private final class RawKey: @unchecked Sendable {
    let handle: OpaquePointer

    init(_ type: CInt, secret: [UInt8], _ what: String) throws(LedgerError) {
        guard secret.count == 32, let key = EVP_PKEY_new_raw_private_key(type, nil, secret, 32)
        else { throw .opensslFailed(what) }
        handle = key
    }

    deinit { EVP_PKEY_free(handle) }

    func publicKey(_ what: String) throws(LedgerError) -> Bytes32 {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = 32
        guard EVP_PKEY_get_raw_public_key(handle, &bytes, &count) == 1, let result = Bytes32(bytes)
        else { throw .opensslFailed(what) }
        return result
    }
}

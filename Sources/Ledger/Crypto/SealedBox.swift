internal import COpenSSL

/// Seals 32 bytes to an X25519 key, so that only its holder opens them.
///
/// An ephemeral key pair for each, HKDF-SHA-256 over the shared secret and both public keys, and
/// AES-256-GCM. The key is used once, so the nonce is zero.
enum SealedBox {
    static let keyLength = 32
    private static let tagLength = 16
    /// The ephemeral public key, the sealed key and the tag.
    static let length = 32 + keyLength + tagLength
    private static let label = "consent-ledger/sealed-key/1"

    /// Seals a key.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - recipient: an X25519 public key.
    ///   - context: what the sealed bytes are good for; authenticated, not sent.
    ///   - ephemeral: 32 fresh random bytes.
    /// - Returns: ``length`` bytes.
    /// - Throws: `crypto`, also for a recipient's key of low order.
    static func seal(
        _ key: [UInt8], to recipient: Bytes32, context: [UInt8], ephemeral: [UInt8]
    ) throws(LedgerError) -> [UInt8] {
        let pair = try SealingKey(secret: ephemeral)
        let secret = try X25519.agree(secret: ephemeral, with: recipient)
        let cipherKey = try cipherKey(secret, pair.publicKey, recipient)
        return pair.publicKey.bytes
            + (try AEAD.seal(key, key: cipherKey, aad: context))
    }

    /// Opens a sealed key.
    ///
    /// - Returns: nil when it is sealed to another key or for something else, or was changed.
    static func open(
        _ sealed: [UInt8], with key: SealingKey, context: [UInt8]
    ) throws(LedgerError) -> [UInt8]? {
        guard sealed.count == length, let ephemeral = Bytes32(sealed[..<32]),
            let secret = try? X25519.agree(secret: key.secret, with: ephemeral)
        else { return nil }
        let cipherKey = try cipherKey(secret, ephemeral, key.publicKey)
        return try AEAD.open(Array(sealed[32...]), key: cipherKey, aad: context)
    }

    private static func cipherKey(
        _ secret: [UInt8], _ ephemeral: Bytes32, _ recipient: Bytes32
    ) throws(LedgerError) -> [UInt8] {
        try Crypto.derive(from: secret + ephemeral.bytes + recipient.bytes, label: label)
    }
}

private enum X25519 {
    /// The shared secret (RFC 7748); OpenSSL refuses a public key that makes it all zero.
    static func agree(
        secret: [UInt8], with other: Bytes32
    ) throws(LedgerError) -> [UInt8] {
        guard
            let own = EVP_PKEY_new_raw_private_key(
                EVP_PKEY_X25519, nil, secret, secret.count),
            let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, other.bytes, 32)
        else { throw .opensslFailed("an X25519 key") }
        defer {
            EVP_PKEY_free(own)
            EVP_PKEY_free(peer)
        }
        guard let context = EVP_PKEY_CTX_new(own, nil) else { throw .opensslFailed("X25519") }
        defer { EVP_PKEY_CTX_free(context) }
        var shared = [UInt8](repeating: 0, count: 32)
        var count = 32
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
            EVP_PKEY_derive(context, &shared, &count) == 1, count == 32
        else {
            ERR_clear_error()
            throw .opensslFailed("X25519")
        }
        return shared
    }
}

/// AES-256-GCM with a key that is used once: the nonce is zero.
private enum AEAD {
    private static let nonce = [UInt8](repeating: 0, count: 12)
    private static let tagLength = 16

    static func seal(
        _ plain: [UInt8], key: [UInt8], aad: [UInt8]
    ) throws(LedgerError) -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw .opensslFailed("AES-256-GCM") }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plain.count)
        var rest = [UInt8](repeating: 0, count: 16)
        var tag = [UInt8](repeating: 0, count: tagLength)
        var count: CInt = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &count, aad, CInt(aad.count)) == 1,
            EVP_EncryptUpdate(context, &sealed, &count, plain, CInt(plain.count)) == 1,
            EVP_EncryptFinal_ex(context, &rest, &count) == 1,
            copenssl_gcm_get_tag(context, CInt(tagLength), &tag) == 1
        else { throw .opensslFailed("AES-256-GCM") }
        return sealed + tag
    }

    /// Nil when a byte was changed or the key is another.
    static func open(
        _ sealed: [UInt8], key: [UInt8], aad: [UInt8]
    ) throws(LedgerError) -> [UInt8]? {
        guard sealed.count >= tagLength else { return nil }
        guard let context = EVP_CIPHER_CTX_new() else { throw .opensslFailed("AES-256-GCM") }
        defer { EVP_CIPHER_CTX_free(context) }
        let content = Array(sealed.dropLast(tagLength))
        var tag = Array(sealed.suffix(tagLength))
        var plain = [UInt8](repeating: 0, count: content.count)
        var rest = [UInt8](repeating: 0, count: 16)
        var count: CInt = 0
        guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &count, aad, CInt(aad.count)) == 1,
            EVP_DecryptUpdate(context, &plain, &count, content, CInt(content.count)) == 1,
            copenssl_gcm_set_tag(context, CInt(tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(context, &rest, &count) == 1
        else {
            ERR_clear_error()
            return nil
        }
        return plain
    }
}

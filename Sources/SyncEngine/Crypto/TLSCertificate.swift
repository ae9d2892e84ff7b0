internal import COpenSSL
internal import COpenSSL.TLS
internal import Ledger

/// A self-signed certificate that holds a replica's public key and nothing else.
///
/// It is a function of the key alone (Ed25519 signatures are), without names, extensions or a time
/// that means anything: it is made anew at every start and tells what the key tells.
enum TLSCertificate {
    private static let notBefore = "19700101000000Z"
    /// "Has no well-defined expiration date" (RFC 5280 section 4.1.2.5).
    private static let notAfter = "99991231235959Z"

    static func use(_ key: SigningKey, in context: OpaquePointer) throws(SyncError) {
        guard
            let secret = EVP_PKEY_new_raw_private_key(
                EVP_PKEY_ED25519, nil, key.seed, key.seed.count)
        else { throw .opensslFailed("an Ed25519 key") }
        defer { EVP_PKEY_free(secret) }
        guard let certificate = X509_new() else { throw .opensslFailed("a certificate") }
        defer { X509_free(certificate) }
        guard fill(certificate, secret),
            SSL_CTX_use_certificate(context, certificate) == 1,
            SSL_CTX_use_PrivateKey(context, secret) == 1
        else { throw .opensslFailed("a certificate") }
    }

    private static func fill(_ certificate: OpaquePointer, _ secret: OpaquePointer) -> Bool {
        // Version 3 is written as 2 (RFC 5280 section 4.1.2.1).
        X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1
            && ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), notBefore) == 1
            && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), notAfter) == 1
            && X509_set_pubkey(certificate, secret) == 1
            && X509_sign(certificate, secret, nil) > 0
    }

    /// The Ed25519 key that the other side proved to hold; nil for another kind of key or none.
    static func provenKey(_ connection: OpaquePointer) -> ReplicaID? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        guard let key = X509_get0_pubkey(certificate),
            EVP_PKEY_get_id(key) == EVP_PKEY_ED25519
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = 32
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32 else { return nil }
        return ReplicaID(bytes: bytes)
    }
}

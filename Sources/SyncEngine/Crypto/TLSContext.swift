internal import COpenSSL
internal import COpenSSL.TLS
package import Ledger

/// What all TLS connections of a replica share: its certificate, and what is spoken.
///
/// TLS 1.3 alone, with one key exchange and one kind of signature: both ends are this program, and
/// what is not offered cannot be forced on anyone. No tickets, no resumption and no early data, so
/// every connection proves both keys anew. Not shared between threads.
package final class TLSContext {
    static let applicationProtocol = "consent-ledger/1"
    /// More than a certificate with nothing but an Ed25519 key can need.
    private static let certificatesLengthMax = 4096

    let context: OpaquePointer

    /// Makes a context that proves the replica's key.
    ///
    /// - Throws: `notPossible` where the replica's key is not here, `crypto`.
    package convenience init(of ledger: Ledger) throws(SyncError) {
        var result: Result<OpaquePointer, SyncError>?
        try fromLedger { () throws(LedgerError) in
            try ledger.withSigningKey { key in
                result = Result { () throws(SyncError) in try Self.make(key) }
            }
        }
        guard let result else { throw .opensslFailed("a context for TLS") }
        self.init(owning: try result.get())
    }

    /// Makes a context that proves a key.
    package convenience init(_ key: SigningKey) throws(SyncError) {
        self.init(owning: try Self.make(key))
    }

    private init(owning context: OpaquePointer) { self.context = context }

    deinit { SSL_CTX_free(context) }

    private static func make(_ key: SigningKey) throws(SyncError) -> OpaquePointer {
        guard let context = SSL_CTX_new(TLS_method()) else {
            throw .opensslFailed("a context for TLS")
        }
        do throws(SyncError) {
            try restrict(context)
            try TLSCertificate.use(key, in: context)
            try negotiate(in: context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        return context
    }

    private static func restrict(_ context: OpaquePointer) throws(SyncError) {
        guard copenssl_set_version(context, TLS1_3_VERSION) == 1,
            SSL_CTX_set_ciphersuites(
                context, "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") == 1,
            copenssl_set_groups(context, "X25519") == 1,
            copenssl_set_signatures(context, "ed25519") == 1,
            SSL_CTX_set_num_tickets(context, 0) == 1,
            SSL_CTX_set_max_early_data(context, 0) == 1,
            SSL_CTX_set_recv_max_early_data(context, 0) == 1
        else { throw .opensslFailed("TLS 1.3 with Ed25519") }
        copenssl_forbid_resumption(context)
        copenssl_set_certificates_max(context, certificatesLengthMax)
        copenssl_set_modes(context)
        // The certificate is only a wrapping for the key: names, times and signers say nothing.
        // Whose key it is, and whether that is a member's, is judged once it is proven to be the
        // peer's; a verdict any earlier would tell whoever shows another's key what it is worth.
        SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        SSL_CTX_set_verify(
            context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    private static func negotiate(in context: OpaquePointer) throws(SyncError) {
        let offer = wireProtocols
        guard SSL_CTX_set_alpn_protos(context, offer, CUnsignedInt(offer.count)) == 0 else {
            throw .opensslFailed("the application protocol")
        }
        SSL_CTX_set_alpn_select_cb(
            context,
            { (_, chosen, chosenLength, offered, offeredLength, _) in
                let offer = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
                guard let position = TLSContext.position(in: offer) else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                chosen?.pointee = offered.map { $0 + position }
                chosenLength?.pointee = UInt8(TLSContext.applicationProtocol.utf8.count)
                return SSL_TLSEXT_ERR_OK
            }, nil)
    }

    /// The protocol as the extension carries it: its length, its name.
    private static var wireProtocols: [UInt8] {
        [UInt8(applicationProtocol.utf8.count)] + applicationProtocol.utf8
    }

    /// Where our protocol's name stands in a client's list.
    private static func position(in offer: UnsafeBufferPointer<UInt8>) -> Int? {
        var start = 0
        while start < offer.count {
            let end = start + 1 + Int(offer[start])
            guard end <= offer.count else { return nil }
            if offer[(start + 1)..<end].elementsEqual(applicationProtocol.utf8) { return start + 1 }
            start = end
        }
        return nil
    }
}

extension SyncError {
    static func opensslFailed(_ what: String) -> SyncError {
        ERR_clear_error()
        return SyncError(
            .crypto, "OpenSSL refused \(what); check that OpenSSL 3 is installed whole.")
    }
}

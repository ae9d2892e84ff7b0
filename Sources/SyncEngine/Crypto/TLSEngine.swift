internal import COpenSSL
internal import COpenSSL.TLS
package import Ledger

/// One TLS connection without I/O: what came in goes in, what must leave comes out.
///
/// It says nothing on failure. An alert would tell a stranger why it was refused, and a member
/// learns it from its own side's log. Once the handshake is done the other side's key is proven;
/// what that key may do is for the owner to judge, before it passes on a byte.
/// Not shared between threads.
package final class TLSEngine {
    package enum Role: Sendable {
        /// Who connects knows whom it wants to reach; it shows its own key to nobody else.
        case client(ReplicaID)
        case server
    }

    package enum State: Sendable, Equatable {
        case handshaking, open, failed
    }

    /// What a handshake may take: ours takes under 1 KiB.
    static let handshakeLengthMax = 16 << 10

    package private(set) var state = State.handshaking
    /// Whose key the other side proved to hold.
    package private(set) var peer: ReplicaID?
    private let role: Role
    private let connection: OpaquePointer
    /// What came in and what must leave; both belong to the connection.
    private let input: OpaquePointer
    private let output: OpaquePointer
    private var handshakeLength = 0

    package init(_ role: Role, _ context: TLSContext) throws(SyncError) {
        guard let connection = SSL_new(context.context) else {
            throw .opensslFailed("a connection")
        }
        guard let input = BIO_new(BIO_s_mem()) else {
            SSL_free(connection)
            throw .opensslFailed("a buffer")
        }
        guard let output = BIO_new(BIO_s_mem()) else {
            BIO_free(input)
            SSL_free(connection)
            throw .opensslFailed("a buffer")
        }
        SSL_set_bio(connection, input, output)
        (self.role, self.connection, self.input, self.output) = (role, connection, input, output)
        switch role {
        case .client: SSL_set_connect_state(connection)
        case .server: SSL_set_accept_state(connection)
        }
    }

    deinit { SSL_free(connection) }

    /// Takes bytes as they come, cut anywhere, and moves the handshake on.
    ///
    /// - Throws: `refused` when the handshake cannot come to its end, `limit`. Nothing leaves then.
    package func receive(_ bytes: [UInt8]) throws(SyncError) {
        guard state != .failed else { return }
        if state == .handshaking {
            handshakeLength += bytes.count
            guard handshakeLength <= Self.handshakeLengthMax else {
                fail()
                throw SyncError(.limit, "The peer's handshake is too long; it was dropped.")
            }
        }
        // A buffer in memory takes everything, or memory is at its end.
        guard bytes.isEmpty || BIO_write(input, bytes, CInt(bytes.count)) == bytes.count else {
            fail()
            throw .opensslFailed("a buffer")
        }
        try advance()
    }

    /// Moves the handshake on; who connects begins with it.
    package func advance() throws(SyncError) {
        guard state == .handshaking else { return }
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result == 1 else {
            guard SSL_get_error(connection, result) != SSL_ERROR_WANT_READ else { return }
            throw failed(
                .refused,
                "The peer is not one to talk to by TLS 1.3; check the address and both versions.")
        }
        try judge()
    }

    private func judge() throws(SyncError) {
        guard SSL_version(connection) == TLS1_3_VERSION, hasProtocol else {
            throw failed(.refused, "The peer speaks another protocol; check the address.")
        }
        peer = TLSCertificate.provenKey(connection)
        guard let peer else { throw failed(.refused, "The peer has no key of a replica.") }
        if case .client(let wanted) = role, wanted != peer {
            throw failed(
                .refused,
                "Another replica, \(peer.short), answers at this address; check id and address.")
        }
        state = .open
    }

    private var hasProtocol: Bool {
        var name: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        SSL_get0_alpn_selected(connection, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length))
            .elementsEqual(TLSContext.applicationProtocol.utf8)
    }

    /// What the peer said, up to `count` bytes; nil when there is nothing now, empty at its end.
    package func read(upTo count: Int) throws(SyncError) -> [UInt8]? {
        guard state == .open else { return nil }
        ERR_clear_error()
        var result: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var length = 0
            result = SSL_read_ex(connection, buffer.baseAddress, count, &length)
            filled = result == 1 ? length : 0
        }
        if result == 1 { return bytes }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ: return nil
        case SSL_ERROR_ZERO_RETURN: return []
        default: throw failed(.malformed, "What arrived is not what the peer sent; it was dropped.")
        }
    }

    /// Takes what the peer is to be told and says how much of it: at most one record's worth.
    package func write(_ bytes: ArraySlice<UInt8>) throws(SyncError) -> Int {
        guard state == .open, !bytes.isEmpty else { return 0 }
        ERR_clear_error()
        var written = 0
        let result = bytes.withUnsafeBytes {
            SSL_write_ex(connection, $0.baseAddress, $0.count, &written)
        }
        if result == 1 { return written }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return 0
        default: throw failed(.closed, "The peer closed the connection; connect again to go on.")
        }
    }

    /// How many bytes must leave.
    package var pending: Int { Int(BIO_ctrl_pending(output)) }

    /// Takes up to `count` of the bytes that must leave.
    package func takeOutput(upTo count: Int) -> [UInt8] {
        let count = min(count, pending)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Int(BIO_read(output, buffer.baseAddress, CInt(clamping: count))))
        }
    }

    /// Says goodbye; what that takes comes out as everything else does.
    package func close() {
        guard state == .open else { return }
        ERR_clear_error()
        SSL_shutdown(connection)
        ERR_clear_error()
    }

    /// Ends the connection without a word: what waited to leave stays.
    package func fail() {
        state = .failed
        copenssl_bio_clear(output)
        ERR_clear_error()
    }

    private func failed(_ code: SyncError.Code, _ message: String) -> SyncError {
        let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) }
        fail()
        return SyncError(code, message, cause: reason)
    }
}

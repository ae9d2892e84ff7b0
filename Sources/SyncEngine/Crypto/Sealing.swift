internal import COpenSSL
internal import Ledger

/// Seals the content of a segment: AES-256-GCM in chunks of 64 KiB, as STREAM does
/// (Hoang, Reyhanitabar, Rogaway, Vizár: "Online Authenticated-Encryption", 2015).
///
/// Every file has a key of its own, derived from the folder key and 32 random bytes, so a nonce is
/// just the chunk's number and whether it is the last: neither can repeat under that key. A chunk
/// that was cut off, moved or doubled therefore opens nowhere. The prologue is authenticated with
/// each chunk.
enum Sealing {
    static let chunkLength = 64 << 10
    static let tagLength = 16
    static let saltLength = 32
    private static let label = "consent-ledger/segment/1"

    /// The length of `count` bytes once sealed; an empty content is one empty chunk.
    static func sealedLength(of count: Int) -> Int {
        count + max(1, (count + chunkLength - 1) / chunkLength) * tagLength
    }

    static func fileKey(_ folderKey: [UInt8], salt: [UInt8]) throws(LedgerError) -> [UInt8] {
        try Crypto.derive(from: folderKey + salt, label: label)
    }

    /// Appends the sealed content to `output`.
    static func seal(
        _ content: [UInt8], key: [UInt8], prologue: [UInt8], to output: inout [UInt8]
    ) throws(SyncError) {
        let cipher = try Cipher()
        var (start, index) = (0, UInt64(0))
        repeat {
            let end = min(start + chunkLength, content.count)
            guard
                cipher.seal(
                    content[start..<end], key: key, aad: prologue,
                    nonce: nonce(index, isLast: end == content.count), to: &output)
            else {
                throw SyncError(.crypto, "OpenSSL refused AES-256-GCM; check its installation.")
            }
            (start, index) = (end, index + 1)
        } while start < content.count
    }

    /// Opens a sealed content.
    ///
    /// - Returns: nil when the key is another, or a byte was changed.
    static func open(
        _ sealed: ArraySlice<UInt8>, key: [UInt8], prologue: [UInt8]
    ) throws(SyncError) -> [UInt8]? {
        let cipher = try Cipher()
        var content: [UInt8] = []
        content.reserveCapacity(sealed.count)
        var (start, index) = (sealed.startIndex, UInt64(0))
        repeat {
            let end = min(start + chunkLength + tagLength, sealed.endIndex)
            guard end - start >= tagLength,
                cipher.open(
                    sealed[start..<end], key: key, aad: prologue,
                    nonce: nonce(index, isLast: end == sealed.endIndex), to: &content)
            else { return nil }
            (start, index) = (end, index + 1)
        } while start < sealed.endIndex
        return content
    }

    private static func nonce(_ index: UInt64, isLast: Bool) -> [UInt8] {
        var writer = ByteWriter(reserving: 12)
        writer.raw([0, 0, 0])
        writer.fixed(index)
        writer.byte(isLast ? 1 : 0)
        return writer.bytes
    }
}

/// One cipher context, used for one file after the other chunk.
private struct Cipher: ~Copyable {
    /// Fetched once; OpenSSL's method objects may be used by many threads
    /// (https://docs.openssl.org/3.0/man7/crypto/#explicit-fetching).
    nonisolated(unsafe) private static let aes = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    private let context: OpaquePointer

    init() throws(SyncError) {
        guard let context = EVP_CIPHER_CTX_new() else {
            throw SyncError(.crypto, "OpenSSL is out of memory.")
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    borrowing func seal(
        _ chunk: ArraySlice<UInt8>, key: [UInt8], aad: [UInt8], nonce: [UInt8],
        to output: inout [UInt8]
    ) -> Bool {
        let start = output.count
        output += [UInt8](repeating: 0, count: chunk.count + Sealing.tagLength)
        return chunk.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                guard let target = output.baseAddress.map({ $0 + start }) else { return false }
                var count: CInt = 0
                return EVP_EncryptInit_ex2(context, Self.aes, key, nonce, nil) == 1
                    && EVP_EncryptUpdate(context, nil, &count, aad, CInt(aad.count)) == 1
                    && EVP_EncryptUpdate(
                        context, target, &count, input.baseAddress, CInt(input.count)) == 1
                    && EVP_EncryptFinal_ex(context, target + input.count, &count) == 1
                    && copenssl_gcm_get_tag(
                        context, CInt(Sealing.tagLength), target + input.count) == 1
            }
        }
    }

    borrowing func open(
        _ chunk: ArraySlice<UInt8>, key: [UInt8], aad: [UInt8], nonce: [UInt8],
        to output: inout [UInt8]
    ) -> Bool {
        let start = output.count
        let length = chunk.count - Sealing.tagLength
        var tag = Array(chunk.suffix(Sealing.tagLength))
        output += [UInt8](repeating: 0, count: length)
        let isOpen = chunk.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                // An empty array may lend no address; OpenSSL then takes any for no bytes.
                let target = output.baseAddress.map { $0 + start }
                var rest = [UInt8](repeating: 0, count: 16)
                var count: CInt = 0
                return EVP_DecryptInit_ex2(context, Self.aes, key, nonce, nil) == 1
                    && EVP_DecryptUpdate(context, nil, &count, aad, CInt(aad.count)) == 1
                    && (length == 0
                        || EVP_DecryptUpdate(
                            context, target, &count, input.baseAddress, CInt(length)) == 1)
                    && copenssl_gcm_set_tag(context, CInt(Sealing.tagLength), &tag) == 1
                    && EVP_DecryptFinal_ex(context, &rest, &count) == 1
            }
        }
        if !isOpen { ERR_clear_error() }
        return isOpen
    }
}

@_spi(_Unicode) import Swift

/// Rules for names given from outside (subject, device, resource …): kept and shown as given,
/// compared by the bytes of their NFC form.
package enum Identifier {
    /// The most UTF-8 bytes a name may have.
    package static let bytesMax = 512

    /// Refuses what cannot be compared safely.
    ///
    /// Unassigned code points are refused since NFC is stable only for assigned ones
    /// (Unicode Standard Annex 15, section 3).
    package static func validate(_ text: String, field: String) throws(LedgerError) {
        guard !text.isEmpty else {
            throw LedgerError(.invalid, "The \(field) is empty; give one or leave it out.")
        }
        guard text.utf8.count <= bytesMax else {
            throw LedgerError(
                .invalid, "The \(field) has more than \(bytesMax) bytes; shorten it.")
        }
        if isPrintableASCII(text) { return }
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control:
                throw LedgerError(
                    .invalid, "The \(field) holds the control character \(hex(scalar)); remove it.")
            case .unassigned:
                throw LedgerError(
                    .invalid,
                    "The \(field) holds \(hex(scalar)), which Unicode has not assigned; remove it.")
            default: continue
            }
        }
    }

    /// The bytes by which two names are the same.
    package static func canonicalBytes(_ text: String) -> [UInt8] {
        if isPrintableASCII(text) { return Array(text.utf8) }
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return Array(String(scalars).utf8)
    }

    /// Whether two names are the same name.
    package static func same(_ left: String, _ right: String) -> Bool {
        canonicalBytes(left) == canonicalBytes(right)
    }

    /// Appends the bytes by which two names are the same.
    static func appendCanonical(_ text: String, to bytes: inout [UInt8]) {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard isPrintableASCII(utf8) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isPlain != true { bytes.append(contentsOf: canonicalBytes(text)) }
    }

    private static func isPrintableASCII(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isPrintableASCII)
            ?? text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    private static func isPrintableASCII(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var isPrintable = true
        for byte in utf8 { isPrintable = isPrintable && byte >= 0x20 && byte < 0x7F }
        return isPrintable
    }

    private static func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

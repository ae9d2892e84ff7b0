/// Checks names from a foreign file before they reach the ledger.
enum ImportedNames {
    /// - Throws: `invalid`, naming the field.
    static func validate(_ payload: Payload) throws(LedgerError) {
        let names: [(String, String?)] = [
            ("subject", payload.subject), ("resource", payload.resource),
            ("device", payload.device), ("install", payload.install),
            ("application", payload.application), ("source", payload.source),
            ("signing identity", payload.signingIdentity),
            ("application version", payload.applicationVersion),
        ]
        for (field, name) in names {
            if let name { try Identifier.validate(name, field: field) }
        }
    }
}

/// Hexadecimal text.
enum Hex {
    /// Nil for anything but pairs of digits.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
                let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}

/// Text from events made safe for a terminal: what could move the cursor, hide or reorder what
/// stands around it is shown as an escape.
enum PrintableText {
    static func make(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isSafe(scalar) {
                result.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                result.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: false
        // Bidirectional controls (Unicode Technical Report 36, section 2.10) and other invisible
        // format characters but the two joiners, which scripts and emoji need.
        case 0x200C, 0x200D: true
        default: scalar.properties.generalCategory != .format
        }
    }
}

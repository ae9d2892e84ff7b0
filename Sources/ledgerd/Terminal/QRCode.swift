#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A QR code as a square of dark and light modules, made by libqrencode.
///
/// The library is loaded when a code is asked for and not before: Debian has no archive of it to
/// link in, and a shared library would cost every other command a part of its start.
struct QRCode {
    /// Modules a side.
    let width: Int
    private let isDark: [Bool]

    init(width: Int, isDark: [Bool]) {
        self.width = width
        self.isDark = isDark
    }

    /// Beyond the edge it is light.
    func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<width).contains(x) && (0..<width).contains(y) && isDark[y * width + x]
    }

    #if canImport(Glibc)
    private static let libraryName = "libqrencode.so.4"
    #else
    private static let libraryName = "libqrencode.4.dylib"
    #endif

    private typealias Encode =
        @convention(c) (
            UnsafePointer<CChar>, CInt, CInt, CInt, CInt
        ) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Encodes a text.
    ///
    /// - Throws: `notFound` where the library is not installed, `invalid` for a text too long.
    init(_ text: String) throws(Failure) {
        guard let library = dlopen(Self.libraryName, RTLD_NOW | RTLD_LOCAL) else {
            throw Failure(
                .noInput, code: "notFound",
                "QR codes are drawn by libqrencode, which is not installed: on Debian, "
                    + "apt install libqrencode4.")
        }
        defer { dlclose(library) }
        guard let encode = dlsym(library, "QRcode_encodeString"),
            let free = dlsym(library, "QRcode_free")
        else {
            throw Failure(
                .noInput, code: "notFound", "This libqrencode is not version 4; install that.")
        }
        let encoding = unsafeBitCast(encode, to: Encode.self)
        let freeing = unsafeBitCast(free, to: Free.self)
        // Version 0 chooses; level 0 (L) suits a screen; hint 2 (8 bits) still finds the runs of
        // capitals and digits; the last argument keeps the case.
        guard let code = encoding(text, 0, 0, 2, 1) else {
            throw Failure(.data, code: "invalid", "The text is too long for a QR code.")
        }
        defer { freeing(code) }
        // struct QRcode { int version; int width; unsigned char *data; } (qrencode.h): one byte a
        // module, whose lowest bit says that it is dark.
        let width = Int(code.load(fromByteOffset: 4, as: CInt.self))
        guard let data = code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>?.self), width > 0
        else { throw Failure(.software, code: "software", "libqrencode made an empty code.") }
        self.width = width
        isDark = (0..<width * width).map { data[$0] & 1 == 1 }
    }
}

/// Draws a QR code with characters.
enum QRDrawing {
    /// The light margin that readers need (ISO/IEC 18004 asks for 4 modules).
    static let margin = 4

    /// How modules become characters.
    enum Form {
        /// Two modules on top of each other in one character.
        case halfBlocks
        /// Two characters a module, for terminals without UTF-8.
        case ascii

        var columnsPerModule: Int { self == .halfBlocks ? 1 : 2 }
    }

    /// Draws a code for the terminal that `call` writes to.
    ///
    /// - Returns: `partial` where it is too narrow, or there is no encoder.
    static func show(_ text: String, _ call: Invocation) throws(Failure) -> ExitCode {
        let code: QRCode
        do { code = try QRCode(text) } catch {
            call.printer.message(error.message)
            return .partial
        }
        let form: Form = takesUTF8(call.console) ? .halfBlocks : .ascii
        let needed = (code.width + 2 * margin) * form.columnsPerModule
        if let columns = call.console.columns, columns < needed {
            call.printer.message(
                "The QR code takes \(needed) columns and the terminal has \(columns): make it "
                    + "wider and invite again, or pass the string on.")
            return .partial
        }
        for line in lines(code, form, colour: call.printer.style.isOn) { call.printer.line(line) }
        return .done
    }

    /// The lines, light modules in the colour of text, as on a dark terminal; with colour the same
    /// on any.
    static func lines(_ code: QRCode, _ form: Form, colour: Bool) -> [String] {
        let side = -margin..<(code.width + margin)
        var lines: [String] = []
        for y in stride(from: -margin, to: code.width + margin, by: form == .ascii ? 1 : 2) {
            var line = ""
            for x in side {
                let (upper, lower) = (!code.isDark(x, y), !code.isDark(x, y + 1))
                switch form {
                case .ascii: line += upper ? "##" : "  "
                case .halfBlocks:
                    line +=
                        upper && lower ? "\u{2588}" : upper ? "\u{2580}" : lower ? "\u{2584}" : " "
                }
            }
            lines.append(colour ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line)
        }
        return lines
    }

    /// By the first of the variables that is set, as setlocale(3) goes by them.
    static func takesUTF8(_ console: any Console) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap(console.variable).first ?? ""
        let folded = locale.lowercased()
        return folded.contains("utf-8") || folded.contains("utf8")
    }
}

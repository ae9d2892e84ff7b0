/// Standard output and standard error of one command: data to the first, messages to the second.
///
/// A reader that closed the pipe is no failure: what comes after is dropped, and commands that only
/// print stop early by asking ``isOpen``.
final class Printer {
    private static let bufferBytesMax = 64 * 1024

    private let console: any Console
    private var buffer: [UInt8] = []
    private var outputError: Int32?
    private var isProgressShown = false
    /// Colours and weights for standard output.
    let style: Style
    /// Colours and weights for standard error.
    let errorStyle: Style

    init(_ console: any Console) {
        self.console = console
        style = Style(console, .output)
        errorStyle = Style(console, .error)
    }

    /// Whether standard output still takes data.
    var isOpen: Bool { outputError == nil }

    /// Whether a person watches standard error.
    private(set) lazy var showsProgress = console.isTerminal(.error)

    /// One line of data.
    func line(_ text: String) {
        raw(Array(text.utf8))
        raw([0x0A])
    }

    /// Bytes of data as they are.
    func raw(_ bytes: [UInt8]) {
        guard isOpen else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferBytesMax { flush() }
    }

    /// Hands what is buffered to the reader.
    func flush() {
        guard isOpen, !buffer.isEmpty else { return }
        outputError = console.write(buffer, to: .output)
        buffer.removeAll(keepingCapacity: true)
    }

    /// One line for the person who runs the command.
    func message(_ text: String) {
        flush()
        clearProgress()
        _ = console.write(Array("ledgerd: \(text)\n".utf8), to: .error)
    }

    /// Bytes to standard error as they are.
    func rawMessage(_ bytes: [UInt8]) {
        flush()
        clearProgress()
        _ = console.write(bytes, to: .error)
    }

    /// Replaces the progress line; shown on terminals alone.
    func progress(_ text: String) {
        guard showsProgress else { return }
        isProgressShown = true
        _ = console.write(Array("\r\u{1B}[K\(text)".utf8), to: .error)
    }

    private func clearProgress() {
        guard isProgressShown else { return }
        isProgressShown = false
        _ = console.write(Array("\r\u{1B}[K".utf8), to: .error)
    }

    /// Writes what is left.
    ///
    /// - Throws: when data could not be written for another reason than a reader that went away.
    func finish() throws(Failure) {
        flush()
        clearProgress()
        if let outputError, outputError != SystemError.brokenPipe {
            throw Failure(
                .io, code: "io",
                "Cannot write to standard output: \(SystemError.text(outputError)).")
        }
    }
}

/// Terminal colours; plain text wherever nobody looks at a terminal.
struct Style: Sendable {
    let isOn: Bool

    /// Colour is for terminals that can show it, and for people who did not turn it off
    /// (no-color.org).
    init(_ console: any Console, _ stream: Stream) {
        isOn =
            console.isTerminal(stream) && console.variable("NO_COLOR") == nil
            && console.variable("TERM") != "dumb"
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func good(_ text: String) -> String { wrap(text, "32") }
    func bad(_ text: String) -> String { wrap(text, "31") }
    func open(_ text: String) -> String { wrap(text, "33") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

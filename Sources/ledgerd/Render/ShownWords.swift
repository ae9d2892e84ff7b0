internal import Ledger

/// The words of a published catalog unit, as they were shown.
struct ShownWords: Sendable, Equatable {
    /// Each text with what it is: title, message, purpose …
    let texts: [(name: String, text: String)]

    init?(unit: [UInt8]) { return nil }

    /// For people, safe for a terminal.
    var lines: [String] { texts.map { "\($0.name): “\(PrintableText.make($0.text))”" } }

    func write(to writer: inout JSONWriter) {
        for (name, text) in texts { writer.field(name, text) }
    }

    static func == (left: ShownWords, right: ShownWords) -> Bool {
        left.texts.elementsEqual(right.texts) { $0 == $1 }
    }
}

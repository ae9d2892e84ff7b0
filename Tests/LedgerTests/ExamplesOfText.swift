import Ledger
import Testing

/// The example in the documentation of the writer that the command shares with the library.
@Suite struct ExamplesOfText {
    @Test func `JSON is written piece by piece in the order given`() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("status", "denied")
            writer.arrayField("evidence") { $0.value("abc") }
        }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == #"{"status":"denied","evidence":["abc"]}"#)
    }
}

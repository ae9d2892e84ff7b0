internal import Ledger

/// Words for an error that name what was probably meant.
enum Suggestion {
    /// `; did you mean X?` or nothing.
    static func phrase(_ given: String, _ known: [String], prefix: String = "") -> String {
        NearestName.find(given, among: known).map { "; did you mean \(prefix)\($0)?" } ?? ""
    }

    /// The text with a full stop, unless it ends with a question.
    static func sentence(_ text: String) -> String { text.hasSuffix("?") ? text : text + "." }
}

/// One text in several languages.
///
/// ```swift
/// let purpose: LocalizedText = resource.purpose
/// let words: LocalizedText.Entry? = purpose.best(for: languages, fallback: "en")
/// ```
public struct LocalizedText: Sendable, Hashable {
    /// The text in one language.
    public struct Entry: Sendable, Hashable {
        /// The BCP 47 tag.
        public let language: String
        /// The text.
        public let text: String
    }

    /// The texts, in the order of the catalog.
    public let entries: [Entry]

    /// The tags of all languages.
    public var languages: [String] { entries.map(\.language) }

    /// The text in exactly one language.
    public subscript(language: String) -> String? {
        entries.first { LanguageTag.same($0.language, language) }?.text
    }

    /// The text in the language that a person reads best.
    ///
    /// - Parameters:
    ///   - languages: BCP 47 ranges, the best first.
    ///   - fallback: the language to take when none of them is there.
    /// - Returns: nil only when there is no text at all.
    public func best(for languages: [String], fallback: String) -> Entry? {
        LanguageTag.lookup(languages, among: self.languages, fallback: fallback).map { entries[$0] }
    }
}

/// Lookup of languages (RFC 4647 section 3.4).
package enum LanguageTag {
    package static func same(_ left: String, _ right: String) -> Bool {
        left == right || left.lowercased() == right.lowercased()
    }

    /// The index of the best tag: the first range that matches, each shortened subtag by subtag;
    /// then the fallback, shortened too; then the first tag.
    package static func lookup(
        _ ranges: [String], among tags: [String], fallback: String
    ) -> Int? {
        if tags.count <= 1 { return tags.isEmpty ? nil : 0 }
        let lowered = tags.map { $0.lowercased() }
        for range in ranges {
            if let index = match(normalized(range), among: lowered) { return index }
        }
        return match(normalized(fallback), among: lowered) ?? 0
    }

    private static func match(_ range: String, among tags: [String]) -> Int? {
        var subtags = range.split(separator: "-")
        while !subtags.isEmpty {
            let candidate = subtags.joined(separator: "-")
            if let index = tags.firstIndex(of: candidate) { return index }
            subtags.removeLast()
            // A singleton introduces what followed it and means nothing alone.
            if subtags.last?.utf8.count == 1 { subtags.removeLast() }
        }
        return nil
    }

    /// `de_AT.UTF-8`, as systems name their locales, is read as `de-at`.
    private static func normalized(_ range: String) -> String {
        let name = range.prefix { $0 != "." && $0 != "@" }
        return String(name.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    /// Whether it is built like a BCP 47 tag: subtags of one to eight letters and digits, the
    /// first of two or three letters, or of up to eight (RFC 5646 section 2.1).
    package static func isWellFormed(_ tag: String) -> Bool {
        let subtags = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard tag.utf8.count <= 64, let first = subtags.first, first.utf8.count >= 2,
            first.utf8.allSatisfy(isLetter)
        else { return false }
        return subtags.allSatisfy { subtag in
            (1...8).contains(subtag.utf8.count)
                && subtag.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// The rules, one function each.
enum LintRules {
    static func purposeMissing(_ input: LintInput) -> [LintHit] {
        input.catalog.resources.compactMap { resource in
            guard resource.purpose.entries.isEmpty else { return nil }
            return LintHit(
                place: "resources[\(resource.id)].purpose",
                message: "No purpose is given; on Apple's systems asking without one ends the app.",
                fix: "Say in one sentence what the app does with it.")
        }
    }

    static func purposeVague(_ input: LintInput) -> [LintHit] {
        var hits: [LintHit] = []
        for resource in input.catalog.resources {
            for entry in resource.purpose.entries {
                guard let message = PurposeText(entry).fault(isApple: input.isApple) else {
                    continue
                }
                hits.append(
                    LintHit(
                        place: "resources[\(resource.id)].purpose.\(entry.language)",
                        message: message,
                        fix: "Say what the app does with it and what the person gains, as in "
                            + "“The camera reads the total from your receipts.”"))
            }
        }
        return hits
    }
}

/// Judges one purpose string.
private struct PurposeText {
    let text: String
    let isEnglish: Bool

    init(_ entry: LocalizedText.Entry) {
        text = entry.text
        isEnglish = entry.language.lowercased().prefix { $0 != "-" } == "en"
    }

    func fault(isApple: Bool) -> String? {
        let lowered = text.lowercased()
        if Self.placeholders.contains(where: lowered.contains) {
            return "It still holds a placeholder."
        }
        if letterWeight < 12 { return "It is too short to tell anything." }
        if isEnglish, tellingWords < 2 {
            return "It says that access is needed, but not what for."
        }
        if isApple, text.last(where: { !$0.isWhitespace }).map(Self.ends.contains) != true {
            return "It is not a full sentence."
        }
        return nil
    }

    private static let placeholders = ["lorem ipsum", "todo", "tbd", "xxx", "$(", "%@", "{{"]
    private static let ends: Set<Character> = [".", "!", "?", "…", "。", "！", "？", "।", "۔", "؟"]

    /// An ideograph says as much as two letters or more.
    private var letterWeight: Int {
        text.unicodeScalars.reduce(0) { sum, scalar in
            guard scalar.properties.isAlphabetic else { return sum }
            return sum + (scalar.value >= 0x2E80 ? 3 : 1)
        }
    }

    /// How many words say something beyond “the app needs access to it to work well”.
    private var tellingWords: Int {
        let words = text.lowercased().split { !$0.isLetter && $0 != "'" && $0 != "’" }
        return Set(words).filter { !Self.emptyWords.contains(String($0)) }.count
    }

    private static let emptyWords: Set<String> = Set(
        """
        a an all and any app application are at be better best by can camera contacts correctly \
        could device enable enables experience feature features for from full function \
        functionality functions get give grant has have i if improve improved improves in is it \
        its like library location make microphone may must need needed needs notifications of on \
        or order our permission permissions photo photos phone please properly provide required \
        requires require service services so that the them this to turn tracking use used user \
        users uses using want wants we will with work working works would you your access allow \
        allows
        """.split(separator: " ").map(String.init))
}

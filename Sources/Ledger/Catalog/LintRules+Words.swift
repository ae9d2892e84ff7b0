extension LintRules {
    /// Every text in every language that the catalog speaks at all.
    static func translationMissing(_ input: LintInput) -> [LintHit] {
        let texts = texts(input.catalog)
        var spoken = [input.catalog.language]
        for language in texts.flatMap(\.languages)
        where !spoken.contains(where: { LanguageTag.same($0, language) }) {
            spoken.append(language)
        }
        let missing = texts.flatMap { text in
            spoken.filter { !text.speaks($0) }.map { language in
                LintHit(
                    place: "\(text.place).\(language)",
                    message: "It is missing in \(language), which other texts are in.",
                    fix: "Translate it.")
            }
        }
        return missing + untranslatedButtons(input.catalog)
    }

    private struct Text {
        let place: String
        let languages: [String]

        /// In the language itself or a broader one: `de` serves who reads `de-AT`.
        func speaks(_ language: String) -> Bool {
            languages.contains { tag in
                LanguageTag.same(tag, language)
                    || language.lowercased().hasPrefix(tag.lowercased() + "-")
            }
        }
    }

    private static func texts(_ catalog: Catalog) -> [Text] {
        var texts: [Text] = []
        for resource in catalog.resources {
            let place = "resources[\(resource.id)]"
            // One without any words is another rule's finding.
            if !resource.purpose.entries.isEmpty {
                texts.append(
                    Text(place: "\(place).purpose", languages: resource.purpose.languages))
            }
            if let title = resource.alternative?.title {
                texts.append(
                    Text(place: "\(place).alternative.title", languages: title.languages))
            }
        }
        for primer in catalog.primers {
            texts.append(
                Text(
                    place: "primers[\(primer.id)].texts",
                    languages: primer.texts.map(\.language)))
        }
        for feature in catalog.features {
            guard let title = feature.alternative?.title else { continue }
            texts.append(
                Text(
                    place: "features[\(feature.id)].alternative.title", languages: title.languages))
        }
        return texts
    }

    /// The defaults of the buttons are English.
    private static func untranslatedButtons(_ catalog: Catalog) -> [LintHit] {
        var hits: [LintHit] = []
        for primer in catalog.primers {
            for text in primer.texts where text.language.lowercased().prefix(2) != "en" {
                let buttons = [
                    ("continueTitle", text.continueTitle == "Continue"),
                    ("skipTitle", text.skipTitle == "Not Now"),
                ]
                for (key, isEnglish) in buttons where isEnglish {
                    hits.append(
                        LintHit(
                            place: "primers[\(primer.id)].texts.\(text.language).\(key)",
                            message: "The button is in English.", fix: "Translate it."))
                }
            }
        }
        return hits
    }
}

// MARK: - Revisions

extension LintRules {
    static func revisionLowered(_ input: LintInput) -> [LintHit] {
        pairs(input).compactMap { old, new in
            guard new.revision < old.revision else { return nil }
            return LintHit(
                place: "resources[\(new.id)].revision",
                message: "It is \(new.revision), and \(old.revision) is published.",
                fix: "Keep \(old.revision), or raise it if the meaning changed.")
        }
    }

    static func revisionNotRaised(_ input: LintInput) -> [LintHit] {
        pairs(input).compactMap { old, new in
            guard new.revision == old.revision, let change = change(from: old, to: new) else {
                return nil
            }
            return LintHit(
                place: "resources[\(new.id)].revision",
                message: "\(change), and the revision is still \(new.revision).",
                fix: "Raise the revision, or undo the change; a corrected typo needs neither.")
        }
    }

    private static func pairs(
        _ input: LintInput
    ) -> [(old: Catalog.Resource, new: Catalog.Resource)] {
        input.catalog.resources.compactMap { new in
            input.published?.resource(new.id).map { ($0, new) }
        }
    }

    private static func change(
        from old: Catalog.Resource, to new: Catalog.Resource
    ) -> String? {
        if old.scope != new.scope { return "The scope changed" }
        if old.kind != new.kind { return "The kind changed" }
        if !Set(new.variants).isSubset(of: old.variants) { return "More can be asked for" }
        if isLonger(new.validity, than: old.validity) { return "A grant holds for longer" }
        for entry in new.purpose.entries {
            guard let before = old.purpose[entry.language] else { continue }
            if !TypoCheck.isTypo(from: before, to: entry.text) {
                return "The purpose in \(entry.language) says something else"
            }
        }
        return nil
    }

    private static func isLonger(_ new: Period?, than old: Period?) -> Bool {
        guard let old else { return false }
        guard let new else { return true }
        return new.end(from: 0) > old.end(from: 0)
    }
}

/// Tells a corrected typo from another meaning, and when in doubt says another meaning.
package enum TypoCheck {
    /// Whether only case, space, punctuation or the spelling of up to two longer words differs.
    package static func isTypo(from old: String, to new: String) -> Bool {
        let (before, after) = (words(old), words(new))
        guard before.count == after.count else { return false }
        let changed = zip(before, after).filter { $0 != $1 }
        return changed.count <= 2 && changed.allSatisfy { isRespelled($0, $1) }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }
            .map(String.init)
    }

    /// Short words and numbers decide meanings: no and on, 30 and 90.
    private static func isRespelled(_ old: String, _ new: String) -> Bool {
        let isWord = (old + new).allSatisfy(\.isLetter)
        let length = min(old.count, new.count)
        guard isWord, length >= 5 else { return false }
        return NearestName.distance(old, new) <= (length >= 8 ? 2 : 1)
    }
}

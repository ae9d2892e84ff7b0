extension LintRules {
    /// Apple: one button, which opens the system's question; nothing to close, cancel or skip.
    static func primerSkip(_ input: LintInput) -> [LintHit] {
        guard input.isApple else { return [] }
        return texts(input) { primer, text in
            guard text.skipTitle != nil else { return nil }
            let tracks = primer.resources.contains {
                input.catalog.resource($0)?.isTracking == true
            }
            return LintHit(
                place: "\(place(primer, text)).skipTitle",
                message: tracks
                    ? "A screen before the question about tracking must not offer a way around it."
                    : "A screen before the system's question must not offer a way around it.",
                fix: "Set skipTitle to null.")
        }
    }

    /// Apple: the button must not pretend to be the system's.
    static func primerAllow(_ input: LintInput) -> [LintHit] {
        guard input.isApple else { return [] }
        return texts(input) { primer, text in
            let words = text.continueTitle.lowercased().split { !$0.isLetter }
            guard words.contains(where: { allowWords.contains(String($0)) }) else { return nil }
            return LintHit(
                place: "\(place(primer, text)).continueTitle",
                message: "The button is named like the one of the system's question.",
                fix: "Name it Continue or Next.")
        }
    }

    /// Android: an explanation must offer a way to go on without granting.
    static func primerNoCancel(_ input: LintInput) -> [LintHit] {
        guard input.catalog.platform == .android else { return [] }
        return texts(input) { primer, text in
            guard text.skipTitle == nil else { return nil }
            return LintHit(
                place: "\(place(primer, text)).skipTitle",
                message: "The explanation offers no way to go on without granting.",
                fix: "Give a skipTitle such as No thanks.")
        }
    }

    private static func texts(
        _ input: LintInput, _ check: (Catalog.Primer, Catalog.PrimerText) -> LintHit?
    ) -> [LintHit] {
        input.catalog.primers.filter(input.leadsToSystem).flatMap { primer in
            primer.texts.compactMap { check(primer, $0) }
        }
    }

    private static func place(_ primer: Catalog.Primer, _ text: Catalog.PrimerText) -> String {
        "primers[\(primer.id)].texts.\(text.language)"
    }

    /// “Allow” as the systems' own questions say it in the larger languages.
    private static let allowWords: Set<String> = [
        "allow", "permit", "grant", "authorize", "authorise", "erlauben", "zulassen",
        "autoriser", "permettre", "permitir", "autorizar", "consenti", "consentire", "toestaan",
        "tillåt", "tillad", "tillat", "salli", "zezwól", "zezwalaj", "povolit", "разрешить",
        "дозволити", "izin", "允许", "允許", "许可", "許可", "허용", "السماح", "אפשר", "अनुमति",
    ]
}

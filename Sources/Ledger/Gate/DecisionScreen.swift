/// Turns a verdict into a decision, with the words that a screen needs.
struct DecisionScreen {
    let input: GateInput
    let facts: GateResource
    let need: Catalog.Need

    init(_ input: GateInput, _ index: Int) {
        self.input = input
        facts = input.facts(index)
        need = input.feature.needs[index]
    }

    func decision(_ verdict: Verdict) -> Decision {
        var screen = Decision.Screen()
        screen.settingsWouldHelp = verdict.settingsWouldHelp
        screen.purpose = purpose
        screen.alternative = alternative
        if case .serviceOff(let name)? = facts.live { screen.switchOff = name }
        if verdict.reason == .primerSkipped { screen.askAgainAt = askAgainAt }
        let action: Decision.Action
        switch verdict.way {
        case .proceed, .proceedReduced: action = .proceed
        case .showPrimer:
            screen.primer = primer
            action = .showPrimer
        case .askSystem: action = .askSystem
        case .offerSettings: action = .offerSettings
        case .fallBack: action = screen.alternative == nil ? .unavailable : .useAlternative
        }
        var decision = Decision(action, verdict.reason, feature: input.feature.id)
        decision.resource = need.resource
        decision.evidence = facts.evidence
        decision.screen = screen
        if case .proceedReduced(let extent) = verdict.way {
            decision.isReduced = true
            decision.extent = extent
        }
        if verdict.asks { decision.asksFor = need.asksFor }
        return decision
    }

    private var primer: Decision.PrimerWords? {
        guard let primer = input.catalog.primer(forResource: need.resource) else { return nil }
        let index = LanguageTag.lookup(
            input.languages, among: primer.texts.map(\.language),
            fallback: input.catalog.language)
        guard let index,
            let unit = input.catalog.unit(
                forPrimer: primer.id, language: primer.texts[index].language)
        else { return nil }
        return Decision.PrimerWords(
            id: primer.id, unit: unit.digest, text: primer.texts[index],
            systemImage: primer.systemImage, tint: primer.tint)
    }

    private var purpose: Decision.PurposeWords? {
        guard let resource = input.catalog.resource(need.resource),
            let unit = input.catalog.unit(forResource: need.resource),
            let words = resource.purpose.best(
                for: input.languages, fallback: input.catalog.language)
        else { return nil }
        return Decision.PurposeWords(
            unit: unit.digest, revision: resource.revision, language: words.language,
            text: words.text)
    }

    /// The feature's own alternative, or the resource's.
    private var alternative: Decision.AlternativeWords? {
        let declared =
            input.feature.alternative ?? input.catalog.resource(need.resource)?.alternative
        guard let declared,
            let title = declared.title.best(
                for: input.languages, fallback: input.catalog.language)
        else { return nil }
        return Decision.AlternativeWords(
            kind: declared.kind, language: title.language, title: title.text)
    }

    private var askAgainAt: Int64? {
        guard let skipped = facts.primer.skipped else { return nil }
        return input.catalog.primer(forResource: need.resource)?.askAgainAfter?
            .end(from: skipped.milliseconds)
    }
}

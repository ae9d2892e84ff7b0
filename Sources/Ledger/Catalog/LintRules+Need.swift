extension LintRules {
    static func resourceNotNeeded(_ input: LintInput) -> [LintHit] {
        let catalog = input.catalog
        let needed = Set(catalog.features.flatMap { $0.needs.map(\.resource) })
        var hits: [LintHit] = []
        for resource in catalog.resources
        where resource.scope == .device && !needed.contains(resource.id) {
            hits.append(
                LintHit(
                    place: "resources[\(resource.id)]", message: "No feature needs it.",
                    fix: "Remove it, or name it where a feature needs it."))
        }
        for feature in catalog.features {
            hits += wider(feature)
            hits += besides(feature, catalog)
        }
        return hits
    }

    /// More is asked for than the feature needs.
    private static func wider(_ feature: Catalog.Feature) -> [LintHit] {
        feature.needs.compactMap { need in
            guard need.asksFor != need.extent, need.asksFor.covers(need.extent),
                need.because == nil
            else { return nil }
            return LintHit(
                place: "features[\(feature.id)].needs[\(need.resource)].asksFor",
                message: "It asks for \(need.asksFor) and needs only \(need.extent).",
                fix: "Ask for what is needed, or say in because why not.")
        }
    }

    /// Its primer leads to questions about other resources as well.
    private static func besides(_ feature: Catalog.Feature, _ catalog: Catalog) -> [LintHit] {
        let needed = Set(feature.needs.map(\.resource))
        var hits: [LintHit] = []
        for need in feature.needs {
            guard let primer = catalog.primer(forResource: need.resource) else { continue }
            for other in primer.resources where !needed.contains(other) {
                let hit = LintHit(
                    place: "features[\(feature.id)].needs[\(need.resource)]",
                    message: "Its primer \(primer.id) also asks for \(other), which the feature "
                        + "does not need.",
                    fix: "Give \(need.resource) a primer of its own.")
                if !hits.contains(where: { $0.message == hit.message }) { hits.append(hit) }
            }
        }
        return hits
    }

    static func asksAtLaunch(_ input: LintInput) -> [LintHit] {
        input.catalog.features.compactMap { feature in
            guard feature.asks == .launch else { return nil }
            return LintHit(
                place: "features[\(feature.id)].asks",
                message: "It asks when the app starts, before the person can see why.",
                fix: "Ask when the feature is used: set asks to use.")
        }
    }

    /// Full access to what a picker of the system hands out piece by piece.
    static func pickerSuffices(_ input: LintInput) -> [LintHit] {
        let kinds = pickerKinds(input.catalog.platform)
        return input.catalog.features.flatMap { feature in
            feature.needs.compactMap { need in
                guard let resource = input.catalog.resource(need.resource),
                    resource.scope == .device, kinds.contains(resource.kind),
                    need.asksFor.selection != .selected, need.because == nil
                else { return nil }
                return LintHit(
                    place: "features[\(feature.id)].needs[\(need.resource)]",
                    message: "It asks for all of \(resource.kind), which a picker of the system "
                        + "hands out without permission.",
                    fix: "Use the picker, ask for selected, or say in because why all is needed.")
            }
        }
    }

    private static func pickerKinds(_ platform: Platform) -> Set<String> {
        switch platform {
        case .ios: ["photos", "contacts", "calendar", "calendars", "media", "music"]
        case .macos: ["photos", "contacts", "files"]
        case .android: ["photos", "videos", "contacts", "files"]
        case .web: ["contacts", "files"]
        case .xdg: ["files", "photos", "screenshot"]
        }
    }

    static func noAlternative(_ input: LintInput) -> [LintHit] {
        input.catalog.features.flatMap { feature in
            feature.needs.compactMap { need in
                guard feature.alternative == nil,
                    let resource = input.catalog.resource(need.resource),
                    resource.scope == .device, resource.alternative == nil
                else { return nil }
                return LintHit(
                    place: "features[\(feature.id)].needs[\(need.resource)]",
                    message: "Who denies \(need.resource) has no other way to do it.",
                    fix: "Give the feature or the resource an alternative: a picker, or entering "
                        + "it by hand.")
            }
        }
    }
}

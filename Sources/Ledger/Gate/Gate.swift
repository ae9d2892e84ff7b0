/// Decides whether a feature may run now.
///
/// A pure function: nothing is remembered between entries, so that no change in Settings is missed.
package enum Gate {
    /// Decides one entry.
    ///
    /// Each resource is judged for itself, the first rule that matches winning. Then the narrowest
    /// judgement holds, the first of equals: nobody is asked for the camera while the microphone
    /// that the feature needs as well is denied.
    package static func decide(_ input: GateInput) -> Decision {
        var worst: (verdict: Verdict, index: Int)?
        for index in input.feature.needs.indices {
            if isPlainlyGranted(input, index) { continue }
            let verdict = ResourceRules(input, index).verdict()
            if verdict.rank > worst?.verdict.rank ?? 0 { worst = (verdict, index) }
        }
        guard let worst else {
            var decision = Decision(.proceed, .granted, feature: input.feature.id)
            decision.evidence = evidence(input)
            return decision
        }
        return DecisionScreen(input, worst.index).decision(worst.verdict)
    }

    /// Reads the resource where it lies: an array's subscript would copy it.
    private static func isPlainlyGranted(_ input: borrowing GateInput, _ index: Int) -> Bool {
        let need = input.feature.needs.withUnsafeBufferPointer { $0[index].extent }
        return input.resources.withUnsafeBufferPointer { resources in
            index < resources.count
                && resources[index].isPlainlyGranted(need, identity: input.signingIdentity)
        }
    }

    private static func evidence(_ input: GateInput) -> [EventID] {
        if input.resources.count == 1 { return input.resources[0].evidence }
        var all: [EventID] = []
        for resource in input.resources {
            for id in resource.evidence where !all.contains(id) { all.append(id) }
        }
        return all.sorted()
    }
}

extension GateInput {
    /// What is known for a need; of a resource that was left out, nothing.
    func facts(_ index: Int) -> GateResource {
        index < resources.count ? resources[index] : GateResource()
    }
}

extension GateResource {
    var evidence: [EventID] {
        guard let device else { return person?.evidence ?? [] }
        guard let person, !person.evidence.isEmpty else { return device.evidence }
        return (device.evidence + person.evidence).sorted()
    }
}

/// What the rules say about one resource.
struct Verdict: Equatable {
    enum Way: Equatable {
        case proceed
        case proceedReduced(Extent)
        /// The primer, or the question if the primer's current version was continued.
        case showPrimer
        case askSystem
        case fallBack
        case offerSettings
    }
    let way: Way
    let reason: Decision.Reason
    /// Whether Settings could change it.
    var settingsWouldHelp = false

    /// The narrower, the higher.
    var rank: Int {
        switch way {
        case .proceed: reason == .granted ? 0 : 1
        case .proceedReduced: 2
        case .showPrimer, .askSystem: 3
        case .fallBack, .offerSettings: 4
        }
    }

    var asks: Bool { way == .showPrimer || way == .askSystem }
}

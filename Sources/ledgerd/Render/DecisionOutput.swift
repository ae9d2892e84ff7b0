internal import Ledger

/// A decision as text and as JSON, and the code a process ends with.
struct DecisionOutput {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "feature": "the feature",
        "action":
            "proceed, showPrimer, askSystem, offerSettings, useAlternative or unavailable",
        "reduced": "proceed, but with less than the feature needs",
        "reason":
            "why, as one of \(Decision.Reason.allCases.map(\.rawValue).joined(separator: ", "))",
        "resource": "the resource that decided; absent where all are granted in full",
        "extent": "what may be used of it, where it is granted",
        "asksFor": "the extent to ask for, for showPrimer and askSystem",
        "evidence": "ids of the events it rests on",
        "screen": "what to show: primer, purpose, alternative, settingsWouldHelp, switchOff, "
            + "askAgainAt; absent for proceed in full",
    ]

    /// The code for each decision; proceed in full is 0.
    static func exit(_ decision: Decision) -> ExitCode {
        switch decision.action {
        case .proceed: decision.isReduced ? .proceedReduced : .done
        case .showPrimer: .showPrimer
        case .askSystem: .askSystem
        case .offerSettings: .offerSettings
        case .useAlternative: .useAlternative
        case .unavailable: .unavailable
        }
    }

    let decision: Decision
    let zone: TimeZoneRules

    /// For people.
    func lines(_ style: Style) -> [String] {
        let name = decision.isReduced ? "proceed, reduced" : decision.action.rawValue
        let coloured = decision.action == .proceed ? style.good(name) : style.open(name)
        var lines = ["\(coloured)  because \(decision.reason.rawValue)"]
        if let resource = decision.resource { lines.append("  resource \(shown(resource))") }
        if let extent = decision.extent { lines.append("  granted \(extent)") }
        if let extent = decision.asksFor { lines.append("  asks for \(extent)") }
        for id in decision.evidence { lines.append("  rests on \(id.short)") }
        guard let screen = decision.screen else { return lines }
        if let primer = screen.primer { lines += self.lines(primer) }
        if let purpose = screen.purpose { lines.append("  purpose: \(shown(purpose.text))") }
        if let alternative = screen.alternative {
            lines.append(
                "  alternative (\(alternative.kind.rawValue)): \(shown(alternative.title))")
        }
        if let name = screen.switchOff { lines.append("  switched off: \(shown(name))") }
        if screen.settingsWouldHelp { lines.append("  Settings would help, on the person's tap") }
        if let time = screen.askAgainAt { lines.append("  ask again from \(zone.text(time))") }
        return lines
    }

    private func lines(_ primer: Decision.PrimerWords) -> [String] {
        let text = primer.text
        var lines = [
            "  primer \(shown(primer.id)) in \(shown(text.language)), "
                + "unit \(Base32.encode(primer.unit.bytes))",
            "    \(shown(text.title))", "    \(shown(text.message))",
        ]
        for benefit in text.benefits {
            lines.append(
                "    - \(shown(benefit.title))" + (benefit.text.map { ": \(shown($0))" } ?? ""))
        }
        let buttons = [text.continueTitle, text.skipTitle].compactMap(\.self).map {
            "[\(shown($0))]"
        }
        return lines + ["    \(buttons.joined(separator: " "))"]
    }

    private func shown(_ text: String) -> String { PrintableText.make(text) }

    /// Writes the members into the object that is open.
    func write(to writer: inout JSONWriter) {
        writer.field("feature", decision.feature)
        writer.field("action", decision.action.rawValue)
        writer.field("reduced", decision.isReduced)
        writer.field("reason", decision.reason.rawValue)
        writer.field("resource", ifPresent: decision.resource)
        writer.field("extent", ifPresent: decision.extent?.description)
        writer.field("asksFor", ifPresent: decision.asksFor?.description)
        writer.arrayField("evidence") { writer in
            for id in decision.evidence { writer.value(id.description) }
        }
        guard let screen = decision.screen else { return }
        writer.objectField("screen") { writer in write(screen, to: &writer) }
    }

    private func write(_ screen: Decision.Screen, to writer: inout JSONWriter) {
        if let primer = screen.primer {
            writer.objectField("primer") { writer in write(primer, to: &writer) }
        }
        if let purpose = screen.purpose {
            writer.objectField("purpose") { writer in
                writer.field("unit", Base32.encode(purpose.unit.bytes))
                writer.field("revision", purpose.revision.description)
                writer.field("language", purpose.language)
                writer.field("text", purpose.text)
            }
        }
        if let alternative = screen.alternative {
            writer.objectField("alternative") { writer in
                writer.field("kind", alternative.kind.rawValue)
                writer.field("language", alternative.language)
                writer.field("title", alternative.title)
            }
        }
        writer.field("settingsWouldHelp", screen.settingsWouldHelp)
        writer.field("switchOff", ifPresent: screen.switchOff)
        writer.field("askAgainAt", ifPresent: screen.askAgainAt.map(zone.text))
    }

    private func write(_ primer: Decision.PrimerWords, to writer: inout JSONWriter) {
        writer.field("id", primer.id)
        writer.field("unit", Base32.encode(primer.unit.bytes))
        writer.field("language", primer.text.language)
        writer.field("title", primer.text.title)
        writer.field("message", primer.text.message)
        writer.arrayField("benefits") { writer in
            for benefit in primer.text.benefits {
                writer.object { writer in
                    writer.field("systemImage", ifPresent: benefit.systemImage)
                    writer.field("title", benefit.title)
                    writer.field("text", ifPresent: benefit.text)
                }
            }
        }
        writer.field("continueTitle", primer.text.continueTitle)
        writer.field("skipTitle", ifPresent: primer.text.skipTitle)
        writer.field("systemImage", ifPresent: primer.systemImage)
        writer.field("tint", ifPresent: primer.tint)
    }
}

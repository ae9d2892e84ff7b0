internal import Ledger

/// An event as lines for people.
struct EventText {
    let zone: TimeZoneRules
    let style: Style
    /// This machine's clock, to tell times that cannot be right.
    let now: Int64

    /// The first line.
    func headline(_ entry: HistoryEntry) -> String {
        let event = entry.event
        var words = [
            style.dim(zone.text(event.header.timestamp.milliseconds)),
            style.bold(event.header.kind.description),
        ]
        if let payload = event.payload {
            words += body(payload)
        } else {
            words.append(content(event))
        }
        words.append(style.dim(event.id.short))
        return words.joined(separator: "  ")
    }

    /// The lines below it; each stands for something that is there.
    func details(_ entry: HistoryEntry, words: ShownWords?) -> [String] {
        guard let payload = entry.event.payload else { return [] }
        var lines: [String] = []
        if let words {
            lines += words.lines(locale: payload.locale).map { "shown \($0)" }
        }
        if let buttons = payload.buttons, !buttons.isEmpty {
            lines.append("buttons: \(buttons.map { "“\(shown($0))”" }.joined(separator: ", "))")
        }
        if let answers = payload.answers { lines.append("answers \(answers.short)") }
        if !entry.event.header.replaces.isEmpty {
            let ids = entry.event.header.replaces.map(\.short).joined(separator: ", ")
            lines.append("replaces \(ids)")
        }
        if let occurred = payload.occurredAt { lines.append("happened \(zone.text(occurred))") }
        if let start = payload.windowStart, let end = payload.windowEnd {
            lines.append("changed between \(zone.text(start)) and \(zone.text(end))")
        }
        if let end = payload.end { lines.append("ends \(zone.text(end))") }
        if entry.event.hasDoubtfulClock, let wall = payload.wall {
            lines.append("doubtful clock: the writer's clock said \(zone.text(wall))")
        } else if entry.event.isAhead(of: now) {
            lines.append("doubtful clock: this machine's clock says \(zone.text(now))")
        }
        if let source = payload.source { lines.append("source: \(shown(source))") }
        if let note = payload.note { lines.append("note: \(shown(note))") }
        return lines
    }

    private func body(_ payload: Payload) -> [String] {
        var words: [String] = []
        if let resource = payload.resource { words.append(shown(resource)) }
        if let outcome = payload.outcome { words.append(outcome.description) }
        if let old = payload.oldStatus, let new = payload.status {
            words.append("\(old) → \(new)")
        } else if let status = payload.status {
            words.append(status.description)
        }
        if let extent = payload.extent, extent != .full { words.append("(\(extent))") }
        if let authority = payload.authority { words.append("by \(authority)") }
        if let subject = payload.subject { words.append("subject \(shown(subject))") }
        if let device = payload.device {
            words.append("on \(shown(device))" + (payload.install.map { "/\(shown($0))" } ?? ""))
        } else if payload.scope == .person {
            words.append("everywhere")
        }
        if let feature = payload.feature { words.append("for \(shown(feature))") }
        if let unit = payload.unitKind {
            let id = payload.unitContent.flatMap { ShownWords(unit: $0)?.json["id"]?.text }
            words.append(id.map { "\(unit) \(shown($0))" } ?? unit.description)
        }
        return words
    }

    private func content(_ event: Event) -> String {
        switch event.content {
        case .opening(let opening): "replica \(opening.replica.short) (\(opening.reason))"
        case .admission(let admission): "replica \(admission.replica.short)"
        case .removal(let removal): "replica \(removal.replica.short)"
        case .undecodable: "(cannot be read by this version)"
        case .missing: "(payload not here yet)"
        case .erased: "(erased)"
        case .payload: ""
        }
    }

    private func shown(_ text: String) -> String { PrintableText.make(text) }
}

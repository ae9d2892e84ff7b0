internal import Ledger

/// A status as lines for people.
struct StatusText {
    let zone: TimeZoneRules
    let style: Style

    /// One line: key, status and marks.
    func line(_ entry: KeyedStatus) -> String {
        var words = [style.bold(shown(entry.resource))]
        words.append(entry.subject.map { "subject \(shown($0))" } ?? "subject not known here")
        words.append(
            entry.place.map { "on \(shown($0.device))/\(shown($0.install))" } ?? "everywhere")
        let status = entry.status
        let extent = status.extent == .full ? "" : " (\(status.extent))"
        words.append(coloured("\(status.status)\(extent)", status.status))
        if status.authority != .unknown { words.append("by \(status.authority)") }
        if let end = status.end { words.append("until \(zone.text(end))") }
        let marks = self.marks(entry)
        if !marks.isEmpty { words.append("[\(marks.joined(separator: ", "))]") }
        return words.joined(separator: "  ")
    }

    /// The rule behind a status.
    static func rule(_ reason: Status.Reason) -> String {
        switch reason {
        case .nothingRecorded: "No deciding event is recorded for this key."
        case .inForce: "One event is in force: nothing replaced it, so it holds."
        case .mostRestrictive:
            "Several events are in force, written without knowing of each other: "
                + "the most restrictive holds."
        case .expired: "The grant's end has passed: it reads as not determined."
        case .undecodable:
            "A deciding event cannot be read: not granted until a later decision names it."
        case .erased: "The subject was erased."
        }
    }

    private func marks(_ entry: KeyedStatus) -> [String] {
        let status = entry.status
        var marks: [String] = []
        if status.isConflicting { marks.append("conflicting") }
        if status.isExpired { marks.append("expired") }
        if entry.isOutdated { marks.append("outdated words") }
        if status.isPending { marks.append("pending") }
        if status.changedWithoutPerson { marks.append("changed without the person") }
        if status.hasDoubtfulClock { marks.append("doubtful clock") }
        if status.canAsk != .unknown { marks.append("can ask: \(status.canAsk)") }
        return marks
    }

    private func coloured(_ text: String, _ status: PermissionStatus) -> String {
        if status.isGranting { return style.good(text) }
        return status == .notDetermined ? style.open(text) : style.bad(text)
    }

    private func shown(_ text: String) -> String { PrintableText.make(text) }
}

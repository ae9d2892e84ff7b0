internal import Ledger

/// Makes drafts from options and from lines of JSON.
struct DraftReader {
    /// The kinds that can be recorded, by their names on the command line.
    static let kinds: [(name: String, kind: EventKind)] = [
        ("primer-shown", .primerShown), ("prompt-asked", .promptAsked),
        ("answer", .answerGiven), ("settings-changed", .settingsChanged),
    ]

    private let fields = DraftField.all
    private let resolve: EventResolver

    /// - Parameter resolve: finds an event by a prefix of its id.
    init(resolve: @escaping EventResolver) { self.resolve = resolve }

    /// The kind of a name, as option or as in a history.
    static func kind(_ name: String) -> EventKind? {
        kinds.first { $0.name == name || $0.kind.description == name }?.kind
    }

    /// The draft that the options describe.
    func read(_ kind: EventKind, options call: Invocation) throws(Failure) -> Draft {
        var draft = Draft(kind, Payload())
        for field in fields {
            for text in call.values(field.option.name) {
                guard try field.set(&draft, text, resolve) else {
                    throw call.usage("--\(field.option.name) must be \(field.form)")
                }
            }
        }
        return draft
    }

    /// The draft that one line of JSON describes.
    ///
    /// - Parameters:
    ///   - line: one JSON object.
    ///   - name: the file's name for errors.
    ///   - number: the line's number.
    /// - Returns: the draft.
    /// - Throws: a failure that names the line and the key, and no value.
    func read(line: [UInt8], name: String, number: Int) throws(Failure) -> Draft {
        let value = try lifted { () throws(LedgerError) in
            try JSONReader.parse(line, file: name, firstLine: number)
        }
        return try read(value, name: name, number: number)
    }

    /// The draft that a JSON object describes.
    ///
    /// - Parameters:
    ///   - value: the object.
    ///   - name: the source's name for errors.
    ///   - number: the line it begins on.
    /// - Returns: the draft.
    /// - Throws: as ``read(line:name:number:)``.
    func read(_ value: JSONValue, name: String, number: Int) throws(Failure) -> Draft {
        guard let members = value.members else {
            throw .data("\(name):\(number): an object expected, not \(value.kindName).")
        }
        guard let kindName = value["kind"]?.text, let kind = Self.kind(kindName) else {
            let names = Self.kinds.map(\.name).joined(separator: ", ")
            throw .data("\(name):\(number): “kind” must be one of \(names).")
        }
        var draft = Draft(kind, Payload())
        for member in members where member.key != "kind" {
            let place = "\(name):\(number):\(member.column)"
            do {
                try set(member, in: &draft, place)
            } catch {
                throw Failure(
                    error.exit, code: error.code,
                    error.message.hasPrefix(place) ? error.message : "\(place): \(error.message)")
            }
        }
        return draft
    }

    private func set(
        _ member: JSONMember, in draft: inout Draft, _ place: String
    ) throws(Failure) {
        if member.key == "critical" {
            guard let truth = member.value.truth else {
                throw .data("\(place): “critical” must be true or false.")
            }
            draft.isCritical = truth
            return
        }
        guard let field = fields.first(where: { $0.key == member.key }) else {
            throw .data(
                Suggestion.sentence(
                    "\(place): unknown key\(JSONReader.shown(member.key))"
                        + Suggestion.phrase(member.key, fields.map(\.key) + ["kind", "critical"])))
        }
        let takesList = field.option.isRepeatable || field.key == "expect"
        if takesList, field.key == "expect" { draft.expect = [] }
        let values = takesList ? member.value.elements : [member.value]
        for value in values ?? [.null] {
            guard let text = value.text, try field.set(&draft, text, resolve) else {
                throw .data(
                    "\(place): “\(field.key)” must be \(takesList ? "a list of values, each " : "")"
                        + "\(field.form).")
            }
        }
    }
}

extension Ledger {
    /// Finds an event by a prefix of its id.
    func resolve(_ prefix: String) throws(Failure) -> EventID {
        if let id = EventID(prefix) { return id }
        let found = try lifted { () throws(LedgerError) in try events(withPrefix: prefix) }
        guard let first = found.first else {
            throw Failure(.noInput, code: "notFound", "No event's id begins with that prefix.")
        }
        guard found.count == 1 else {
            throw .data("The ids of several events begin with that prefix; give more of it.")
        }
        return first.event.id
    }
}

internal import Ledger

/// One line of a client: what it asks for.
struct ControlRequest {
    /// The most bytes of a line; a payload is at most 64 KiB, and many may come together.
    static let bytesMax = 1 << 20
    /// The name of the source in errors.
    static let name = "request"
    private static let envelope = ["op", "id"]

    /// The number of the line in its connection, from 1.
    let line: Int
    /// What the client calls it; answers repeat it.
    let id: JSONValue?
    let operation: String
    /// The rest of the line.
    let members: [JSONMember]

    /// - Throws: `malformed` and the like, with the place.
    init(_ bytes: [UInt8], line: Int) throws(Failure) {
        self.line = line
        let value = try lifted { () throws(LedgerError) in
            try JSONReader.parse(
                bytes, file: Self.name, firstLine: line, bytesMax: Self.bytesMax)
        }
        guard let members = value.members else {
            throw .data("\(Self.name):\(line): an object expected, not \(value.kindName).")
        }
        switch value["id"] {
        case nil: id = nil
        case .string?, .number?: id = value["id"]
        default: throw .data("\(Self.name):\(line): “id” must be a text or a number.")
        }
        guard let operation = value["op"]?.text else {
            throw .data("\(Self.name):\(line): “op” must name what is asked for.")
        }
        self.operation = operation
        self.members = members.filter { !Self.envelope.contains($0.key) }
    }

    /// Refuses members that the operation does not know.
    func allow(_ known: [String]) throws(Failure) {
        for member in members where !known.contains(member.key) {
            throw unknown(member, known)
        }
    }

    func unknown(_ member: JSONMember, _ known: [String]) -> Failure {
        .data(
            Suggestion.sentence(
                "\(place(member)): unknown key\(JSONReader.shown(member.key))"
                    + Suggestion.phrase(member.key, known + Self.envelope)))
    }

    func member(_ key: String) -> JSONMember? { members.first { $0.key == key } }

    /// A member's text; nil when it is not given.
    func text(_ key: String) throws(Failure) -> String? {
        guard let member = member(key) else { return nil }
        guard let text = member.value.text else {
            throw .data("\(place(member)): “\(key)” must be a text.")
        }
        return text
    }

    func required(_ key: String) throws(Failure) -> String {
        guard let text = try text(key) else {
            throw .data("\(Self.name):\(line): “\(key)” is missing.")
        }
        return text
    }

    func place(_ member: JSONMember) -> String { "\(Self.name):\(member.line):\(member.column)" }
}

/// What may stand in an option's or argument's value, for completion.
enum ValueKind: Sendable, Equatable {
    case text
    case file
    case directory
    case words([String])

    /// The words, where it is one of a few.
    var words: [String] {
        if case .words(let words) = self { words } else { [] }
    }
}

/// One option of a command; parsing, help, suggestions and completion all come from it.
struct OptionSpec: Sendable {
    let name: String
    /// The one-letter form, for the few options that have one.
    let letter: Character?
    /// The value's name in help; nil for an option without value.
    let valueName: String?
    let kind: ValueKind
    let isRepeatable: Bool
    let help: String

    static func flag(_ name: String, letter: Character? = nil, _ help: String) -> OptionSpec {
        OptionSpec(
            name: name, letter: letter, valueName: nil, kind: .text, isRepeatable: false, help: help
        )
    }

    static func value(
        _ name: String, _ valueName: String, kind: ValueKind = .text, repeatable: Bool = false,
        _ help: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, letter: nil, valueName: valueName, kind: kind, isRepeatable: repeatable,
            help: help)
    }

    /// An option whose value is one of a few words.
    static func word(
        _ name: String, _ valueName: String, _ words: [String], _ help: String
    ) -> OptionSpec {
        .value(name, valueName, kind: .words(words), "\(help): \(words.joined(separator: ", ")).")
    }

    /// `--name VALUE`, as in help.
    var synopsis: String {
        let long = valueName.map { "--\(name) \($0)" } ?? "--\(name)"
        return letter.map { "-\($0), \(long)" } ?? long
    }

    static let help = OptionSpec.flag("help", letter: "h", "Show this help and end.")
    static let json = OptionSpec.flag("json", "Print JSON instead of text.")
    static let directory = OptionSpec.value(
        "dir", "DIR", kind: .directory,
        "The ledger's state directory; else LEDGERD_DIR, else $XDG_STATE_HOME/ledgerd, "
            + "else $HOME/.local/state/ledgerd.")
}

/// One argument that is told by its place.
struct ArgumentSpec: Sendable {
    let name: String
    let kind: ValueKind
    let isRequired: Bool
    let help: String

    static func required(_ name: String, _ kind: ValueKind, _ help: String) -> ArgumentSpec {
        ArgumentSpec(name: name, kind: kind, isRequired: true, help: help)
    }

    static func optional(_ name: String, _ kind: ValueKind, _ help: String) -> ArgumentSpec {
        ArgumentSpec(name: name, kind: kind, isRequired: false, help: help)
    }
}

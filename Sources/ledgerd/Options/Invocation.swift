internal import Ledger

/// One call of one command: its options and the world it runs in.
final class Invocation {
    let spec: CommandSpec
    let console: any Console
    let printer: Printer
    /// What the command runs on inside the daemon; nil on the command line.
    let host: LedgerHost?
    let parsed: ParsedArguments

    init(
        _ spec: CommandSpec, _ parsed: ParsedArguments, _ console: any Console, _ printer: Printer,
        host: LedgerHost? = nil
    ) {
        self.host = host
        self.spec = spec
        self.parsed = parsed
        self.console = console
        self.printer = printer
    }

    /// Whether JSON is asked for.
    var isJSON: Bool { parsed.flags.contains("json") }

    /// The wall clock, Unix milliseconds.
    var now: Int64 { console.ledgerEnvironment.wallClock() }

    func flag(_ name: String) -> Bool {
        assert(spec.allOptions.contains { $0.name == name }, "undeclared option \(name)")
        return parsed.flags.contains(name)
    }

    func value(_ name: String) -> String? { values(name).last }

    func values(_ name: String) -> [String] {
        assert(spec.allOptions.contains { $0.name == name }, "undeclared option \(name)")
        return parsed.values[name] ?? []
    }

    func argument(_ index: Int) -> String? {
        index < parsed.arguments.count ? parsed.arguments[index] : nil
    }

    /// An argument that the parser made sure of.
    func requiredArgument(_ index: Int) throws(Failure) -> String {
        guard let argument = argument(index) else { throw usage("an argument is missing") }
        return argument
    }

    func required(_ name: String) throws(Failure) -> String {
        guard let value = value(name) else { throw usage("--\(name) is missing") }
        return value
    }

    /// A value read by `read`; `form` says what it looks like.
    func parsed<T>(
        _ name: String, as form: String, _ read: (String) -> T?
    ) throws(Failure) -> T? {
        guard let text = value(name) else { return nil }
        guard let result = read(text) else { throw usage("--\(name) must be \(form)") }
        return result
    }

    /// A value out of a closed list.
    func word<W: CaseIterable & CustomStringConvertible>(
        _ name: String, _ type: W.Type
    ) throws(Failure) -> W? {
        guard let text = value(name) else { return nil }
        if let word = W.allCases.first(where: { $0.description == text }) { return word }
        let words = W.allCases.map(\.description)
        throw usage(
            "--\(name) must be one of \(words.joined(separator: ", "))"
                + Suggestion.phrase(text, words))
    }

    /// An option that takes `yes` or `no`.
    func yesOrNo(_ name: String) throws(Failure) -> Bool? {
        try parsed(name, as: "yes or no") { $0 == "yes" ? true : $0 == "no" ? false : nil }
    }

    func usage(_ what: String) -> Failure {
        .usage("\(Suggestion.sentence("\(spec.name): \(what)")) Try: ledgerd \(spec.name) --help")
    }
}

/// The ledger that a daemon has open, and the catalog that a request goes by.
struct LedgerHost: Sendable {
    let ledger: Ledger
    let catalog: Catalog?
}

/// Reads a command's options and arguments by its table.
struct ArgumentParser {
    private let spec: CommandSpec
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []
    private var arguments: [String] = []

    /// - Throws: a usage failure for anything the table does not have, naming what is nearest.
    static func parse(
        _ words: ArraySlice<String>, by spec: CommandSpec
    ) throws(Failure) -> ParsedArguments {
        var parser = ArgumentParser(spec: spec)
        try parser.read(words)
        return ParsedArguments(
            values: parser.values, flags: parser.flags, arguments: parser.arguments)
    }

    private init(spec: CommandSpec) { self.spec = spec }

    private mutating func read(_ words: ArraySlice<String>) throws(Failure) {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                for argument in rest { try take(argument: argument) }
                break
            } else if word.hasPrefix("--") {
                try read(long: word, &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try read(letter: word)
            } else {
                try take(argument: word)
            }
        }
        if flags.contains("help") { return }
        if arguments.count < spec.arguments.count, spec.arguments[arguments.count].isRequired {
            throw usage("\(spec.arguments[arguments.count].name) is missing")
        }
    }

    private mutating func take(argument: String) throws(Failure) {
        guard arguments.count < spec.arguments.count else {
            throw usage(
                spec.arguments.isEmpty
                    ? "it takes no arguments, only options" : "one argument too many")
        }
        arguments.append(argument)
    }

    private mutating func read(
        long word: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) {
        let parts = word.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = spec.allOptions.first(where: { $0.name == name }) else {
            let known = spec.allOptions.map(\.name)
            throw usage(
                "unknown option \(Self.shown(name))" + Suggestion.phrase(name, known, prefix: "--"))
        }
        guard let valueName = option.valueName else {
            guard parts.count == 1 else { throw usage("--\(name) takes no value") }
            guard flags.insert(name).inserted else { throw usage("--\(name) is given twice") }
            return
        }
        let value: String
        if parts.count == 2 {
            value = String(parts[1])
        } else if let next = rest.first, !next.hasPrefix("--") {
            value = next
            rest.removeFirst()
        } else {
            throw usage(
                "--\(name) needs a value: --\(name) \(valueName), or --\(name)=\(valueName) "
                    + "where it begins with --")
        }
        guard option.isRepeatable || values[name] == nil else {
            throw usage("--\(name) is given twice")
        }
        values[name, default: []].append(value)
    }

    private mutating func read(letter word: String) throws(Failure) {
        for option in spec.allOptions where option.valueName == nil {
            if let letter = option.letter, word == "-\(letter)" {
                flags.insert(option.name)
                return
            }
        }
        throw usage(
            "unknown option; options are written with two dashes, as in --help, and an argument "
                + "that begins with a dash comes after --")
    }

    /// An option's name as typed, if it can hold nothing but a name.
    private static func shown(_ name: String) -> String {
        let isName =
            name.utf8.count <= 32
            && name.utf8.allSatisfy { $0 == 0x2D || ($0 >= 0x61 && $0 <= 0x7A) }
        return isName ? "--\(name)" : ""
    }

    private func usage(_ what: String) -> Failure {
        .usage("\(Suggestion.sentence("\(spec.name): \(what)")) Try: ledgerd \(spec.name) --help")
    }
}

/// What stood on a command line.
struct ParsedArguments: Sendable, Equatable {
    let values: [String: [String]]
    let flags: Set<String>
    let arguments: [String]
}

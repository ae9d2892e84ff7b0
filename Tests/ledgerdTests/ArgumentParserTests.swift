import Testing

@testable import ledgerd

@Suite struct ArgumentParserTests {
    private static let spec = CommandSpec(
        name: "paint", summary: "Paint",
        arguments: [.required("WALL", .text, "Which."), .optional("ROOM", .text, "Where.")],
        options: [
            .value("colour", "NAME", "Which colour."), .flag("dry", "Only pretend."),
            .value("coat", "NAME", repeatable: true, "A coat."),
        ])

    private func parse(_ words: String...) throws(Failure) -> ParsedArguments {
        try ArgumentParser.parse(words[...], by: Self.spec)
    }

    @Test func `values stand behind a space or an equals sign`() throws {
        let spaced = try parse("north", "--colour", "red", "--dry")
        #expect(spaced == (try parse("--dry", "--colour=red", "north")))
        #expect(spaced.values == ["colour": ["red"]])
        #expect(spaced.flags == ["dry"])
        #expect(spaced.arguments == ["north"])
    }

    @Test func `a value may be empty or hold an equals sign`() throws {
        #expect(try parse("north", "--colour=").values["colour"] == [""])
        #expect(try parse("north", "--colour=a=b").values["colour"] == ["a=b"])
    }

    @Test func `a repeatable option keeps all its values in order`() throws {
        #expect(try parse("north", "--coat", "b", "--coat", "a").values["coat"] == ["b", "a"])
    }

    @Test func `after two dashes everything is an argument`() throws {
        #expect(try parse("--", "--dry", "--colour").arguments == ["--dry", "--colour"])
    }

    @Test func `one dash is an argument`() throws {
        #expect(try parse("-").arguments == ["-"])
    }

    @Test(arguments: [
        (["north", "--color", "red"], "did you mean --colour?"),
        (["north", "--drry"], "did you mean --dry?"),
        (["north", "--quite-another"], "unknown option --quite-another."),
        (["north", "--colour"], "--colour needs a value"),
        (["north", "--colour", "--dry"], "--colour needs a value"),
        (["north", "--colour", "red", "--colour", "blue"], "--colour is given twice"),
        (["north", "--dry", "--dry"], "--dry is given twice"),
        (["north", "--dry=yes"], "--dry takes no value"),
        (["north", "-x"], "two dashes"),
        ([], "WALL is missing"),
        (["north", "attic", "more"], "one argument too many"),
    ])
    func `a wrong command line is refused with what to do`(
        words: [String], part: String
    ) {
        let failure = #expect(throws: Failure.self) {
            try ArgumentParser.parse(words[...], by: Self.spec)
        }
        #expect(failure?.exit == .usage)
        #expect(failure?.message.contains(part) == true, "\(failure?.message ?? "")")
    }

    @Test func `help needs no arguments`() throws {
        #expect(try parse("--help").flags == ["help"])
        #expect(try parse("-h").flags == ["help"])
    }

    @Test func `what may be a person's name is not repeated`() {
        let failure = #expect(throws: Failure.self) { try parse("north", "--Jane Doe", "x") }
        #expect(failure?.message.contains("Jane") == false)
    }
}

internal import Ledger

/// A command of the command line that the daemon runs on its own ledger, so that both ways print
/// the same.
struct HostedCommand {
    /// Commands that the command line may have run here.
    static let relayable: [any Command.Type] = [RecordCommand.self, EnterCommand.self]

    private let command: any Command.Type
    private let arguments: ParsedArguments
    private let catalog: Catalog?

    private init(
        _ command: any Command.Type, _ arguments: ParsedArguments, _ catalog: Catalog?
    ) {
        self.command = command
        self.arguments = arguments
        self.catalog = catalog
    }

    // MARK: Operations

    static func enter(
        _ request: ControlRequest, catalog: Catalog?
    ) throws(Failure) -> HostedCommand {
        guard catalog != nil else {
            throw Failure(
                .configuration, code: "configuration",
                "The daemon has no catalog; start it with --catalog, or send “catalog”.")
        }
        let feature = try request.required("feature")
        var arguments = try read(
            request, EnterCommand.spec, without: ["dir", "catalog", "probe"],
            also: ["feature", "catalog"])
        arguments = arguments.with([feature])
        return HostedCommand(EnterCommand.self, arguments, catalog)
    }

    static func status(
        _ request: ControlRequest, _ catalog: Catalog?
    ) throws(Failure) -> HostedCommand {
        _ = (try request.required("subject"), try request.required("resource"))
        guard (request.member("device") == nil) == (request.member("install") == nil) else {
            throw .data(
                "\(ControlRequest.name):\(request.line): “device” and “install” go together.")
        }
        let lists = ["pending", "unanswered", "expiring", "outdated", "conflicting"]
        let arguments = try read(
            request, StatusCommand.spec, without: ["dir", "catalog"] + lists)
        return HostedCommand(StatusCommand.self, arguments, catalog)
    }

    static func statuses(
        _ request: ControlRequest, _ catalog: Catalog?
    ) throws(Failure) -> HostedCommand {
        let arguments = try read(request, StatusCommand.spec, without: ["dir", "catalog"])
        return HostedCommand(StatusCommand.self, arguments, catalog)
    }

    static func history(_ request: ControlRequest) throws(Failure) -> HostedCommand {
        let arguments = try read(request, HistoryCommand.spec, without: ["dir", "csv"])
        return HostedCommand(HistoryCommand.self, arguments, nil)
    }

    /// Reads members as options: `asOf` is `--as-of`.
    private static func read(
        _ request: ControlRequest, _ spec: CommandSpec, without: [String], also: [String] = []
    ) throws(Failure) -> ParsedArguments {
        let options = spec.options.filter { !without.contains($0.name) }
        let known = options.map { key($0.name) } + also
        var values: [String: [String]] = [:]
        var flags: Set = ["json"]
        for member in request.members where !also.contains(member.key) {
            guard let option = options.first(where: { key($0.name) == member.key }) else {
                throw request.unknown(member, known)
            }
            let place = "\(request.place(member)): “\(member.key)”"
            if option.valueName == nil {
                guard let truth = member.value.truth else {
                    throw .data("\(place) must be true or false.")
                }
                if truth { flags.insert(option.name) }
                continue
            }
            let list = option.isRepeatable ? member.value.elements : nil
            let texts = (list ?? [member.value]).compactMap(\.text)
            guard texts.count == list?.count ?? 1 else {
                throw .data("\(place) must be a text\(option.isRepeatable ? ", or a list" : "").")
            }
            values[option.name] = texts
        }
        return ParsedArguments(values: values, flags: flags, arguments: [])
    }

    private static func key(_ option: String) -> String {
        let words = option.split(separator: "-")
        return words.dropFirst().reduce(String(words.first ?? "")) { key, word in
            key + word.prefix(1).uppercased() + word.dropFirst()
        }
    }

    static func catalog(_ value: JSONValue) throws(Failure) -> Catalog {
        try lifted { () throws(LedgerError) in
            try Catalog(json: value.encoded, file: "catalog")
        }
    }

    // MARK: Running

    /// Runs it and answers with the one object it prints.
    func single(_ daemon: Daemon, _ reply: ControlReply) throws(Failure) {
        let console = ControlConsole(reply, .objects, keepsOne: true)
        let exit = try run(daemon, console)
        reply.result(console.kept ?? Array("{}".utf8), exit: exit)
    }

    /// Runs it and answers with an item for each object it prints.
    func stream(_ daemon: Daemon, _ reply: ControlReply) throws(Failure) {
        let console = ControlConsole(reply, .objects)
        let exit = try run(daemon, console)
        reply.result(exit: exit) { $0.field("items", console.itemCount) }
    }

    private func run(_ daemon: Daemon, _ console: ControlConsole) throws(Failure) -> ExitCode {
        let printer = Printer(console)
        let host = LedgerHost(ledger: daemon.ledger, catalog: catalog)
        let call = Invocation(command.spec, arguments, console, printer, host: host)
        let exit = try command.run(call)
        try printer.finish()
        return exit
    }

    // MARK: Relaying

    /// Runs what the command line was told, and sends back what it would have printed.
    static func relayed(
        _ request: ControlRequest, _ daemon: Daemon, _ reply: ControlReply
    ) throws(Failure) {
        try request.allow(["name", "arguments", "values", "flags", "catalog", "colour"])
        let name = try request.required("name")
        guard let command = relayable.first(where: { $0.name == name }) else {
            throw .data(
                "\(ControlRequest.name):\(request.line): “name” must be one of "
                    + relayable.map { $0.name }.joined(separator: ", ") + ".")
        }
        let catalog = try request.member("catalog").map { (member) throws(Failure) in
            try self.catalog(member.value)
        }
        let hosted = HostedCommand(command, try parsed(request, command.spec), catalog)
        let colour = request.member("colour")?.value.truth ?? false
        let console = ControlConsole(reply, .relay(colour: colour))
        let exit = try hosted.run(daemon, console)
        reply.result(exit: exit) { _ in }
    }

    private static func parsed(
        _ request: ControlRequest, _ spec: CommandSpec
    ) throws(Failure) -> ParsedArguments {
        let broken = Failure.data("\(ControlRequest.name):\(request.line): not a command line.")
        func texts(_ value: JSONValue?) throws(Failure) -> [String] {
            guard let elements = value?.elements else { throw broken }
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { throw broken }
            return texts
        }
        guard let members = request.member("values")?.value.members else { throw broken }
        var values: [String: [String]] = [:]
        for member in members { values[member.key] = try texts(member.value) }
        let flags = Set(try texts(request.member("flags")?.value))
        let arguments = try texts(request.member("arguments")?.value)
        // Only what the command's own table has: a line is not parsed by the table as words are.
        let known = Set(spec.allOptions.map(\.name))
        guard flags.union(values.keys).isSubset(of: known), arguments.count == 1,
            // Files and shell commands are the caller's, and not for the daemon to touch.
            values["probe"] == nil,
            spec.name != RecordCommand.name
                || DraftReader.kind(arguments[0]) != nil
        else { throw broken }
        return ParsedArguments(values: values, flags: flags, arguments: arguments)
    }
}

extension ParsedArguments {
    /// The same with arguments that are told by their place.
    func with(_ arguments: [String]) -> ParsedArguments {
        ParsedArguments(values: values, flags: flags, arguments: arguments)
    }
}

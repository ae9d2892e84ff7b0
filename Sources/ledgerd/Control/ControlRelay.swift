internal import Ledger

extension Invocation {
    private static let answerMillisecondsMax: Int64 = 60_000

    /// Has the daemon of the state directory run this command on its own ledger.
    ///
    /// What is recorded there shares its fsync and is on its way to the peers at once; what is
    /// printed is the same.
    ///
    /// - Returns: how the command ended; nil where no daemon runs, or it does not take this.
    /// - Throws: what the command was refused with.
    func relayed() throws(Failure) -> ExitCode? {
        guard host == nil, let client = try ControlClient.find(try directory()) else { return nil }
        let request = try relayRequest()
        // A large catalog is no reason to fail: the database can be opened as well.
        guard request.count <= ControlRequest.bytesMax else { return nil }
        let answer: JSONValue
        do {
            answer = try client.ask(request, milliseconds: Self.answerMillisecondsMax) { part in
                if let text = part["out"]?.text { printer.raw(Array(text.utf8)) }
                if let text = part["err"]?.text { printer.rawMessage(Array(text.utf8)) }
            }
        } catch {
            // A daemon of another version; nothing was done.
            guard error.code == ControlHandler.unknownOperation else { throw error }
            return nil
        }
        let exit = answer["exit"]?.integer.flatMap { ExitCode(rawValue: Int32(clamping: $0)) }
        return exit ?? .software
    }

    private func relayRequest() throws(Failure) -> [UInt8] {
        let catalog = try value("catalog").map { (path) throws(Failure) in
            let bytes = try InputFile.read(path, bytesMax: JSONReader.bytesMax, console)
            let name = path == "-" ? "standard input" : path
            return try lifted { () throws(LedgerError) in
                // Decoded as the command itself would, so that a broken one is refused in the
                // same words.
                _ = try Catalog(json: bytes, file: name)
                return try JSONReader.parse(bytes, file: name)
            }
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("op", ControlHandler.Operation.command.rawValue)
            writer.field("name", spec.name)
            writer.arrayField("arguments") { writer in
                for argument in parsed.arguments { writer.value(argument) }
            }
            writer.objectField("values") { writer in
                for (name, values) in parsed.values.sorted(by: { $0.key < $1.key })
                where name != OptionSpec.directory.name {
                    writer.arrayField(name) { writer in for value in values { writer.value(value) }
                    }
                }
            }
            writer.arrayField("flags") { writer in
                for flag in parsed.flags.sorted() { writer.value(flag) }
            }
            writer.field("colour", printer.style.isOn)
            if let catalog { writer.field("catalog", catalog) }
        }
        return writer.bytes
    }
}

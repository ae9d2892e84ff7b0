internal import Ledger

/// Answers one request: any number of items, then one result or one error.
struct ControlReply {
    let connection: ControlConnection
    private let head: [UInt8]

    init(_ connection: ControlConnection, line: Int, id: JSONValue?) {
        self.connection = connection
        var head = #"{"line":\#(line)"#
        if let id { head += #","id":\#(id.encodedText)"# }
        self.head = Array(head.utf8)
    }

    /// One of many objects; false when the client is gone.
    @discardableResult
    func item(_ json: some Sequence<UInt8>) -> Bool { put("item", json) }

    /// Text as a command would have printed it.
    @discardableResult
    func text(_ stream: Stream, _ bytes: [UInt8]) -> Bool {
        var writer = JSONWriter()
        writer.value(String(decoding: bytes, as: UTF8.self))
        return put(stream == .error ? "err" : "out", writer.bytes)
    }

    /// The end of a request that was done.
    func result(_ json: some Sequence<UInt8>, exit: ExitCode? = nil) {
        put("result", json, exit.map { #""exit":\#($0.rawValue),"# } ?? "")
    }

    /// The end of a request that was done, with members written by `body`.
    func result(exit: ExitCode? = nil, _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(body)
        result(writer.bytes, exit: exit)
    }

    /// The end of a request that was refused.
    func error(_ failure: Failure) {
        var writer = JSONWriter()
        writer.object { writer in failure.write(to: &writer) }
        put("error", writer.bytes)
    }

    @discardableResult
    private func put(_ name: String, _ json: some Sequence<UInt8>, _ before: String = "") -> Bool {
        var bytes = head
        bytes.append(contentsOf: ",\(before)\"\(name)\":".utf8)
        bytes.append(contentsOf: json)
        bytes.append(contentsOf: "}\n".utf8)
        return connection.write(bytes)
    }
}

extension Failure {
    /// Writes the members of an error object.
    func write(to writer: inout JSONWriter) {
        writer.field("code", code)
        writer.field("exit", exit.rawValue)
        writer.field("message", message)
    }
}

internal import Ledger

/// Does what one line asks for.
struct ControlHandler {
    /// What a client may ask for.
    enum Operation: String, CaseIterable {
        case append, enter, status, statuses, history, subscribe, peers, sync, health, command
    }

    /// The code of a refusal after which another way may be tried: nothing was done.
    static let unknownOperation = "unknownOperation"

    let daemon: Daemon
    let connection: ControlConnection

    init(_ daemon: Daemon, _ connection: ControlConnection) {
        self.daemon = daemon
        self.connection = connection
    }

    /// Answers a line, with an error at the worst.
    func answer(_ line: [UInt8]) {
        let number = connection.lineCount
        let request: ControlRequest
        do throws(Failure) { request = try ControlRequest(line, line: number) } catch {
            daemon.metrics.countRequest("none", failed: true)
            ControlReply(connection, line: number, id: nil).error(error)
            return
        }
        let reply = ControlReply(connection, line: number, id: request.id)
        guard let operation = Operation(rawValue: request.operation) else {
            daemon.metrics.countRequest("none", failed: true)
            let names = Operation.allCases.map(\.rawValue)
            let message = Suggestion.sentence(
                "\(ControlRequest.name):\(number): no such operation"
                    + Suggestion.phrase(request.operation, names))
            reply.error(Failure(.usage, code: Self.unknownOperation, message))
            return
        }
        do throws(Failure) {
            try perform(operation, request, reply)
            daemon.metrics.countRequest(operation.rawValue, failed: false)
        } catch {
            daemon.metrics.countRequest(operation.rawValue, failed: true)
            // The code alone: a message may repeat a word that the client typed.
            daemon.log.debug(
                "refused a control request",
                ["op": .word(operation.rawValue), "code": .word(error.code)])
            reply.error(error)
        }
    }

    private func perform(
        _ operation: Operation, _ request: ControlRequest, _ reply: ControlReply
    ) throws(Failure) {
        switch operation {
        case .append: try append(request, reply)
        case .enter:
            try HostedCommand.enter(request, catalog: try catalog(request)).single(daemon, reply)
        case .status: try HostedCommand.status(request, daemon.catalog).single(daemon, reply)
        case .statuses: try HostedCommand.statuses(request, daemon.catalog).stream(daemon, reply)
        case .history: try HostedCommand.history(request).stream(daemon, reply)
        case .subscribe: try ControlSubscription(request, daemon).run(reply)
        case .peers:
            try request.allow([])
            var writer = JSONWriter()
            try lifted { () throws(LedgerError) in
                try writer.object { (writer) throws(LedgerError) in
                    try PeersReport.write(
                        daemon.peers?.report(), of: daemon.ledger, to: &writer)
                }
            }
            reply.result(writer.bytes)
        case .sync:
            try sync(request, reply)
        case .health:
            try request.allow([])
            let report = daemon.health()
            reply.result(exit: report.exit) { writer in report.write(to: &writer) }
        case .command: try HostedCommand.relayed(request, daemon, reply)
        }
    }

    /// The catalog that the request brings along, else the daemon's.
    private func catalog(_ request: ControlRequest) throws(Failure) -> Catalog? {
        guard let member = request.member("catalog") else { return daemon.catalog }
        return try HostedCommand.catalog(member.value)
    }

    private func sync(_ request: ControlRequest, _ reply: ControlReply) throws(Failure) {
        try request.allow(["seconds"])
        let given = request.member("seconds")
        guard let seconds = given.map({ $0.value.integer }) ?? SyncNow.secondsDefault,
            (0...SyncNow.secondsMax).contains(seconds)
        else {
            throw .data(
                "\(ControlRequest.name):\(request.line): “seconds” must be 0 to "
                    + "\(SyncNow.secondsMax).")
        }
        let (peers, folders) = SyncNow(daemon).wait(seconds: seconds, stop: connection.stop)
        let isComplete = (peers + folders).allSatisfy(\.outcome.isGood)
        reply.result(exit: isComplete ? .done : .partial) { writer in
            writer.field("complete", isComplete)
            writer.arrayField("peers") { for one in peers { one.write(as: "peer", to: &$0) } }
            writer.arrayField("folders") { for one in folders { one.write(as: "folder", to: &$0) } }
        }
    }

    // MARK: append

    private func append(_ request: ControlRequest, _ reply: ControlReply) throws(Failure) {
        try request.allow(["event", "events"])
        let isOne = request.member("event") != nil
        guard isOne != (request.member("events") != nil) else {
            throw .data(
                "\(ControlRequest.name):\(request.line): give either “event” or “events”.")
        }
        let values =
            isOne
            ? request.member("event").map { [$0.value] }
            : request.member("events")?
                .value.elements
        guard let values else {
            throw .data("\(ControlRequest.name):\(request.line): “events” must be a list.")
        }
        let ledger = daemon.ledger
        let reader = DraftReader { (prefix) throws(Failure) in try ledger.resolve(prefix) }
        let facts = daemon.catalogFacts
        var drafts: [Draft] = []
        for value in values {
            var draft = try reader.read(value, name: ControlRequest.name, number: request.line)
            facts.fill(&draft)
            drafts.append(draft)
        }
        let receipts = try daemon.append(drafts)
        if isOne, let receipt = receipts.first {
            reply.result { writer in RecordCommand.write(receipt, to: &writer) }
        } else {
            reply.result { writer in
                writer.arrayField("events") { writer in
                    for receipt in receipts {
                        writer.object { writer in RecordCommand.write(receipt, to: &writer) }
                    }
                }
            }
        }
    }
}

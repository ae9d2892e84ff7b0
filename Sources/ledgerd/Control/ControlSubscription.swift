internal import Ledger

/// Tells the statuses of some keys, and tells each again whenever it has changed.
struct ControlSubscription {
    private static let keysMax = 64
    private static let keyMembers = ["subject", "resource", "device", "install"]
    /// How often the mark of the last commit is looked at, whoever made it: 48 bytes of memory.
    private static let lookMilliseconds: Int32 = 50
    /// How often statuses are read anyway, for a grant expires without a commit.
    private static let readMilliseconds: Int64 = 1000

    private let daemon: Daemon
    private let queries: [StatusQuery]

    /// - Throws: `invalid` for other members, `limit` for too many keys.
    init(_ request: ControlRequest, _ daemon: Daemon) throws(Failure) {
        self.daemon = daemon
        let here = "\(ControlRequest.name):\(request.line)"
        guard let list = request.member("keys") else {
            try request.allow(Self.keyMembers + ["keys"])
            queries = [try Self.query(.object(request.members), here, daemon.catalog)]
            return
        }
        try request.allow(["keys"])
        guard let elements = list.value.elements, !elements.isEmpty else {
            throw .data("\(request.place(list)): “keys” must be a list of keys.")
        }
        guard elements.count <= Self.keysMax else {
            throw Failure(
                .data, code: "limit",
                "\(request.place(list)): at most \(Self.keysMax) keys; use more connections.")
        }
        var queries: [StatusQuery] = []
        for element in elements {
            queries.append(try Self.query(element, request.place(list), daemon.catalog))
        }
        self.queries = queries
    }

    private static func query(
        _ value: JSONValue, _ place: String, _ catalog: Catalog?
    ) throws(Failure) -> StatusQuery {
        let members = value.members ?? []
        let texts = Dictionary(
            members.compactMap { member in member.value.text.map { (member.key, $0) } },
            uniquingKeysWith: { first, _ in first })
        guard texts.count == members.count, Set(texts.keys).isSubset(of: Set(keyMembers)),
            let subject = texts["subject"], let resource = texts["resource"],
            (texts["device"] == nil) == (texts["install"] == nil)
        else {
            throw .data(
                "\(place): a key is “subject” and “resource”, and for device scope “device” and "
                    + "“install”, all texts.")
        }
        var place: Place?
        if let device = texts["device"], let install = texts["install"] {
            place = Place(device: device, install: install)
        }
        var query = StatusQuery(subject, resource: resource, at: place)
        query.currentRevision = catalog?.resource(resource)?.revision
        return query
    }

    /// Runs until the client says something else or hangs up, or the daemon stops.
    func run(_ reply: ControlReply) throws(Failure) {
        var told = [[UInt8]](repeating: [], count: queries.count)
        var items = 0
        while true {
            // Before the statuses are read: a commit in between is seen twice, never missed.
            let mark = try mark()
            for (index, query) in queries.enumerated() {
                let json = try status(query)
                guard json != told[index] else { continue }
                guard reply.item(json) else { return }
                told[index] = json
                items += 1
            }
            let start = now
            repeat {
                if reply.connection.wait(milliseconds: Self.lookMilliseconds) {
                    reply.result { $0.field("items", items) }
                    return
                }
            } while try self.mark() == mark && now - start < Self.readMilliseconds
        }
    }

    private var now: Int64 { SystemClock.monotonicNanoseconds() / 1_000_000 }

    private func mark() throws(Failure) -> [UInt8] {
        try lifted { () throws(LedgerError) in try daemon.ledger.changeMark() }
    }

    private func status(_ query: StatusQuery) throws(Failure) -> [UInt8] {
        let status = try lifted { () throws(LedgerError) in try daemon.ledger.status(query) }
        let entry = KeyedStatus(
            subject: query.subject, resource: query.resource, place: query.place, status: status,
            isOutdated: status.isOutdated)
        var writer = JSONWriter()
        writer.object { writer in StatusJSON(zone: .utc).write(entry, to: &writer) }
        return writer.bytes
    }
}

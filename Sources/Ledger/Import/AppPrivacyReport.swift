/// Reads an App Privacy Report (NDJSON): what applications used, which decides nothing.
struct AppPrivacyReport {
    private static let usesMax = 1_000_000
    private static let resources = [
        "camera": "camera", "contacts": "contacts", "location": "location",
        "mediaLibrary": "media-library", "microphone": "microphone", "photos": "photos",
        "screenRecording": "screen-recording",
    ]
    private static let betaPrefix = "com.apple.privacy.accounting.stream."

    private enum Edge { case begin, end, both }

    private struct Access {
        let application: String
        let resource: String
        let identifier: String
        let edge: Edge
        let time: Int64
        let isOutOfProcess: Bool
    }

    private struct Pair: Hashable {
        let application: String
        let resource: String
        let identifier: String
    }

    private struct Half {
        let line: Int
        let access: Access
    }

    private let options: ImportOptions
    private var batch = ImportBatch()
    private var open: [Pair: Half] = [:]

    private init(_ options: ImportOptions) { self.options = options }

    /// Whether a value is a line of such a report, of this or the older layout.
    static func isLine(_ value: JSONValue) -> Bool {
        switch value["type"]?.text {
        case "access": value["accessor"] != nil
        case "networkActivity": value["bundleID"] != nil
        default: value["stream"]?.text?.hasPrefix(betaPrefix) ?? false
        }
    }

    static func parse(
        _ source: ByteSource, _ options: ImportOptions
    ) throws(LedgerError) -> ImportBatch {
        var lines = LineReader(source)
        var report = AppPrivacyReport(options)
        while let line = try lines.next() {
            if line.problem == nil, line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            report.batch.recordCount += 1
            do throws(LedgerError) { try report.take(line) } catch {
                report.batch.setAside.add(line.number, error.message)
            }
        }
        return report.finish()
    }

    private mutating func take(_ line: TextLine) throws(LedgerError) {
        if let problem = line.problem { throw bad(problem) }
        let value = try JSONReader.parse(line.bytes, file: "")
        let access: Access
        if value["type"] == nil, value["stream"] != nil {
            access = try betaAccess(value)
        } else {
            switch value["type"]?.text {
            case "access": access = try self.access(value)
            case "networkActivity":
                return batch.skipped.add(line.number, "network activity: about no permission")
            default: throw bad("its “type” is neither access nor networkActivity")
            }
        }
        batch.accessCount += 1
        guard batch.uses.count + open.count < Self.usesMax else {
            throw bad("over \(Self.usesMax) uses; split the report")
        }
        pair(access, line.number)
    }

    private func access(_ value: JSONValue) throws(LedgerError) -> Access {
        guard let resource = value["category"]?.text.flatMap({ Self.resources[$0] }) else {
            throw bad("its “category” is none that is known")
        }
        return try access(value, resource, time: "timeStamp")
    }

    /// Lines of the iOS 15 betas have other names for the same things.
    private func betaAccess(_ value: JSONValue) throws(LedgerError) -> Access {
        let stream = value["stream"]?.text ?? ""
        switch stream.hasPrefix(Self.betaPrefix) ? stream.dropFirst(Self.betaPrefix.count) : "" {
        case "tcc":
            guard let service = value["tccService"]?.text, !service.isEmpty else {
                throw bad("an older line without a “tccService”")
            }
            return try access(value, TCCMapping.resource(service), time: "timestamp")
        case "location": return try access(value, "location", time: "timestamp")
        case "replay-kit": return try access(value, "screen-recording", time: "timestamp")
        default: throw bad("an older line whose “stream” is none that is known")
        }
    }

    private func access(
        _ value: JSONValue, _ resource: String, time: String
    ) throws(LedgerError) -> Access {
        guard let application = value["accessor"]?["identifier"]?.text else {
            throw bad("it has no “accessor” with an “identifier”")
        }
        try Identifier.validate(application, field: "accessor")
        guard let identifier = value["identifier"]?.text, identifier.utf8.count <= 64 else {
            throw bad("it has no “identifier” of at most 64 bytes")
        }
        guard let milliseconds = value[time]?.text.flatMap(ISO8601.parse) else {
            throw bad("its “\(time)” is not an ISO 8601 time with an offset")
        }
        let edge: Edge
        switch value["kind"]?.text {
        case "intervalBegin": edge = .begin
        case "intervalEnd": edge = .end
        case "event": edge = .both
        default: throw bad("its “kind” is none of intervalBegin, intervalEnd and event")
        }
        return Access(
            application: application, resource: resource, identifier: identifier, edge: edge,
            time: milliseconds, isOutOfProcess: value["outOfProcess"]?.truth ?? false)
    }

    /// Begin and end may come in any order, and either may be missing.
    private mutating func pair(_ access: Access, _ line: Int) {
        if access.edge == .both { return add([line], access, access.time, access.time) }
        let key = Pair(
            application: access.application, resource: access.resource,
            identifier: access.identifier)
        guard let other = open[key] else {
            open[key] = Half(line: line, access: access)
            return
        }
        guard other.access.edge != access.edge else {
            guard other.access.time != access.time else {
                return batch.skipped.add(line, "the same access as on an earlier line")
            }
            addHalf(other)
            open[key] = Half(line: line, access: access)
            return
        }
        open[key] = nil
        let begin = access.edge == .begin ? access.time : other.access.time
        let end = access.edge == .end ? access.time : other.access.time
        add([other.line, line].sorted(), access, begin, end)
    }

    private mutating func addHalf(_ half: Half) {
        let time = half.access.time
        let isBegin = half.access.edge == .begin
        add([half.line], half.access, isBegin ? time : nil, isBegin ? nil : time)
    }

    private mutating func add(_ lines: [Int], _ access: Access, _ begin: Int64?, _ end: Int64?) {
        for time in [begin, end].compactMap(\.self) {
            let doubt = ClaimedTime(time, now: options.now, earliest: Self.earliest).doubt
            if let doubt, let line = lines.first { batch.doubtful.add(line, doubt) }
        }
        batch.uses.append(
            ResourceUse(
                lines: lines, application: access.application, resource: access.resource,
                begin: begin, end: end, isOutOfProcess: access.isOutOfProcess))
    }

    /// 2021-06-07, when iOS 15 was first shown.
    private static let earliest: Int64 = 1_623_024_000_000

    private consuming func finish() -> ImportBatch {
        for half in open.values.sorted(by: { $0.line < $1.line }) { addHalf(half) }
        batch.uses.sort { ($0.lines.first ?? 0) < ($1.lines.first ?? 0) }
        return batch
    }

    private func bad(_ reason: String) -> LedgerError { LedgerError(.malformed, reason) }
}

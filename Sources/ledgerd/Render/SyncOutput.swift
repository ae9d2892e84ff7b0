internal import Ledger
internal import SyncEngine

/// What the reports of all carriers have in common.
enum SyncOutput {
    static func show(
        forks: [LogID], _ setAside: [SetAside], _ count: Int, _ call: Invocation
    ) {
        for log in forks {
            call.printer.message(
                "log \(log) has forked: its replica was restored or copied; both branches are kept. "
                    + "See: ledgerd forks")
        }
        for item in setAside {
            call.printer.message("set aside: \(PrintableText.make(item.description))")
        }
        if count > setAside.count {
            call.printer.message("\(count - setAside.count) more set aside")
        }
    }

    static func write(forks: [LogID], to writer: inout JSONWriter) {
        writer.arrayField("forks") { writer in
            for log in forks { writer.value(log.description) }
        }
    }

    static func write(
        _ name: String, _ items: [SetAside], count: Int, to writer: inout JSONWriter
    ) {
        writer.field("\(name)Count", count)
        writer.arrayField(name) { writer in
            for item in items {
                writer.object { writer in
                    writer.field("code", item.reason.code.description)
                    writer.field("message", item.reason.message)
                    writer.field("file", ifPresent: item.file)
                    writer.field("log", ifPresent: item.log?.description)
                }
            }
        }
    }
}

extension Failure {
    /// An error of a merge.
    init(_ error: SyncError) {
        let cause = error.cause.map { " (\($0))" } ?? ""
        self.init(
            Self.exit(for: error.code), code: error.code.description, error.message + cause)
    }

    private static func exit(for code: SyncError.Code) -> ExitCode {
        switch code {
        case .malformed, .version, .foreignLedger, .refused, .limit, .invalid, .unknownAuthor,
            .otherKey, .notASegment, .incomplete, .invitationUsed, .invitationExpired,
            .invitationRevoked:
            .data
        case .notVerified: .findings
        case .notFound, .placeholder: .noInput
        case .closed, .timedOut, .inUse, .waiting: .busy
        case .notPossible, .unreadable: .noPermission
        case .noSpace, .io: .io
        default: .software
        }
    }
}

/// Runs calls of the sync engine so that their errors become failures of the command.
func liftedSync<T>(_ body: () throws(SyncError) -> T) throws(Failure) -> T {
    do {
        return try body()
    } catch {
        throw Failure(error)
    }
}

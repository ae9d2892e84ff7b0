internal import Ledger

/// Why a command ends early: what is printed and with which code.
struct Failure: Error, Sendable, Equatable {
    let exit: ExitCode
    /// The stable name, for `--json`.
    let code: String
    let message: String

    init(_ exit: ExitCode, code: String, _ message: String) {
        self.exit = exit
        self.code = code
        self.message = message
    }

    /// A wrong command line.
    static func usage(_ message: String) -> Failure { Failure(.usage, code: "usage", message) }

    /// Input that breaks a rule.
    static func data(_ message: String) -> Failure { Failure(.data, code: "invalid", message) }

    /// The operating system refused something.
    static func io(_ what: String, errno code: Int32) -> Failure {
        let exit: ExitCode =
            switch code {
            case SystemError.notFound: .noInput
            case SystemError.exists: .cannotCreate
            case SystemError.accessDenied: .noPermission
            default: .io
            }
        return Failure(exit, code: "io", "\(what): \(SystemError.text(code)).")
    }

    /// An error of the ledger; `place` says where in the input it arose.
    init(_ error: LedgerError, at place: String? = nil) {
        let cause = error.cause.map { " (\($0))" } ?? ""
        self.init(
            Self.exit(for: error.code), code: error.code.description,
            (place.map { "\($0): " } ?? "") + error.message + cause)
    }

    private static func exit(for code: LedgerError.Code) -> ExitCode {
        switch code {
        case .invalid, .malformed, .unknownAuthor, .limit: .data
        case .notFound: .noInput
        case .exists: .cannotCreate
        case .busy: .busy
        case .noSpace, .io: .io
        case .readOnly, .notMember: .noPermission
        case .damaged: .damaged
        case .newerSchema: .configuration
        case .conflict, .expectation: .conflict
        case .subjectErased: .erased
        case .notVerified: .findings
        default: .software
        }
    }
}

/// Runs ledger calls so that their errors become failures of the command.
func lifted<T>(
    at place: String? = nil, _ body: () throws(LedgerError) -> T
) throws(Failure) -> T {
    do {
        return try body()
    } catch {
        throw Failure(error, at: place)
    }
}

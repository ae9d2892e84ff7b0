/// What went wrong in this module, in words that say what to do next.
///
/// Compare by ``code``; show ``message`` to people. A message names files, lines, offsets and
/// identifiers of events, never a subject, a payload or a key.
///
/// ```swift
/// do throws(LedgerError) {
///     return try Ledger(openAt: directory)
/// } catch {
///     guard error.code == .notFound else { throw error }
///     return try Ledger.create(at: directory).ledger
/// }
/// ```
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure; new kinds may be added, so always handle the rest.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case invalid, malformed, notFound, exists, busy, noSpace, readOnly, damaged, io
            case newerSchema, conflict, expectation, subjectErased, unknownAuthor, notVerified
            case limit, crypto, closed, notMember
        }
        private let kind: Kind

        /// A value from the caller breaks a rule; nothing was written.
        public static let invalid = Code(kind: .invalid)
        /// Bytes from outside do not decode; nothing was written.
        public static let malformed = Code(kind: .malformed)
        /// The ledger, event or file asked for is not there.
        public static let notFound = Code(kind: .notFound)
        /// Something is already where a new thing should go.
        public static let exists = Code(kind: .exists)
        /// Another process or thread held the ledger for the whole of the allowed wait.
        public static let busy = Code(kind: .busy)
        /// The disk is full; nothing was written.
        public static let noSpace = Code(kind: .noSpace)
        /// The ledger was opened for reading, or its medium cannot be written.
        public static let readOnly = Code(kind: .readOnly)
        /// The database or a file beside it is damaged; nothing is repaired unasked.
        public static let damaged = Code(kind: .damaged)
        /// The operating system refused a read or write.
        public static let io = Code(kind: .io)
        /// The database was written by a newer version of this software.
        public static let newerSchema = Code(kind: .newerSchema)
        /// An idempotency key was used before with other content.
        public static let conflict = Code(kind: .conflict)
        /// `expect` named another state than the one in force.
        public static let expectation = Code(kind: .expectation)
        /// The subject was erased; only a bare denial is taken.
        public static let subjectErased = Code(kind: .subjectErased)
        /// The log's author is not known to this ledger.
        public static let unknownAuthor = Code(kind: .unknownAuthor)
        /// This replica is not a member of the ledger, or no longer.
        public static let notMember = Code(kind: .notMember)
        /// A root, signature or contiguity check failed; nothing of the range was taken.
        public static let notVerified = Code(kind: .notVerified)
        /// A documented limit was passed.
        public static let limit = Code(kind: .limit)
        /// The cryptographic library refused an operation.
        public static let crypto = Code(kind: .crypto)
        /// The ledger was closed.
        public static let closed = Code(kind: .closed)

        /// The code's stable name, as printed by `ledgerd --json`.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// One or two sentences: what happened and what to do.
    public let message: String
    /// The failure below this one, in its own words.
    public let cause: String?

    /// Makes an error of this module.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: what happened and what to do next; no personal data.
    ///   - cause: the failure below, in its own words.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Equal when the codes are: messages may change between versions.
    public static func == (left: LedgerError, right: LedgerError) -> Bool {
        left.code == right.code
    }

    /// The message without its full stop, to stand within another sentence.
    var clause: String { message.hasSuffix(".") ? String(message.dropLast()) : message }

    /// The code, the message and the cause on one line.
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}

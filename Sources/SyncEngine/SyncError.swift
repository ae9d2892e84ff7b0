/// What went wrong while merging, in words that say what to do next.
///
/// Compare by ``code``; show ``message`` to people. A message names files (their last component),
/// offsets, logs and replicas, never a subject, a payload or a key.
///
/// ```swift
/// do throws(SyncError) {
///     return try DropFolder(folder, of: ledger).sync()
/// } catch {
///     guard error.code == .notFound else { throw error }
///     return nil
/// }
/// ```
public struct SyncError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure; new kinds may be added, so always handle the rest.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case malformed, version, foreignLedger, refused, closed, timedOut, limit, notVerified
            case incomplete, waiting, unknownAuthor, otherKey, notASegment, placeholder, unreadable
            case notPossible, noSpace, io, crypto, inUse, notFound, ledger, invalid
            case invitationUsed, invitationExpired, invitationRevoked
        }
        private let kind: Kind

        /// Bytes from the peer or a file do not decode.
        public static let malformed = Code(kind: .malformed)
        /// The two sides share no version of the protocol or the file format.
        public static let version = Code(kind: .version)
        /// The peer or the file belongs to another ledger.
        public static let foreignLedger = Code(kind: .foreignLedger)
        /// The peer ended the session and said why.
        public static let refused = Code(kind: .refused)
        /// The connection ended before the session did; connect again, it resumes.
        public static let closed = Code(kind: .closed)
        /// The peer said nothing for too long.
        public static let timedOut = Code(kind: .timedOut)
        /// A documented limit was passed.
        public static let limit = Code(kind: .limit)
        /// A root, signature or contiguity check failed; nothing of the range was taken.
        public static let notVerified = Code(kind: .notVerified)
        /// A file is not whole, or not yet.
        public static let incomplete = Code(kind: .incomplete)
        /// What comes before a range is not here yet; it is taken once that has come.
        public static let waiting = Code(kind: .waiting)
        /// The author of a log is not known to the ledger.
        public static let unknownAuthor = Code(kind: .unknownAuthor)
        /// A file is sealed with a key that is not here.
        public static let otherKey = Code(kind: .otherKey)
        /// A file in the folder is something else.
        public static let notASegment = Code(kind: .notASegment)
        /// A file is known to the folder's provider and not on this machine yet.
        public static let placeholder = Code(kind: .placeholder)
        /// The operating system does not let a file be read.
        public static let unreadable = Code(kind: .unreadable)
        /// The medium or the ledger cannot be written.
        public static let notPossible = Code(kind: .notPossible)
        /// The disk is full.
        public static let noSpace = Code(kind: .noSpace)
        /// The operating system refused a call.
        public static let io = Code(kind: .io)
        /// The cryptographic library refused an operation.
        public static let crypto = Code(kind: .crypto)
        /// A living process serves the socket already.
        public static let inUse = Code(kind: .inUse)
        /// The folder or socket is not there.
        public static let notFound = Code(kind: .notFound)
        /// The ledger failed; the cause says how.
        public static let ledger = Code(kind: .ledger)
        /// Somebody else was admitted with the invitation.
        public static let invitationUsed = Code(kind: .invitationUsed)
        /// The invitation's time is over.
        public static let invitationExpired = Code(kind: .invitationExpired)
        /// The inviter revoked the invitation, or was restored or copied since.
        public static let invitationRevoked = Code(kind: .invitationRevoked)
        /// A value from the caller breaks a rule.
        public static let invalid = Code(kind: .invalid)

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

    /// Another thread was needed.
    static let noThread = SyncError(
        .io, "The system has no thread to give; end other programs or raise the limit of threads.")

    /// Equal when the codes are: messages may change between versions.
    public static func == (left: SyncError, right: SyncError) -> Bool { left.code == right.code }

    /// The code, the message and the cause on one line.
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}

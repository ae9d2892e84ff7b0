internal import Synchronization

/// The consent ledger of one replica.
///
/// All calls are synchronous and may come from any thread; they wait for one another. A durable
/// append costs one fsync, shared with the appends that other threads ask for meanwhile. Call it
/// from a thread that may block, not from inside an actor.
///
/// ```swift
/// let (ledger, recoveryKey) = try Ledger.create(at: "/var/lib/example/consent")
/// let phone = Place(device: "phone", install: "1")
/// try ledger.append(.allowed("me", resource: "camera", at: phone))
/// let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
/// ```
public final class Ledger: Sendable {
    /// What a ledger is opened for.
    public enum Access: Sendable, Hashable {
        /// Record, ask and merge.
        case readWrite
        /// Ask, prove and verify; works on media that cannot be written.
        case readOnly
    }

    /// The ledger's id.
    public var id: LedgerID { LedgerID(raw: .zero) }
    /// The replica's id; nil where its key is not here.
    public var replica: ReplicaID? { nil }
    /// The log this replica writes into; nil where its key is not here.
    public var log: LogID? { nil }

    /// Makes a new ledger.
    ///
    /// - Parameters:
    ///   - directory: where it lives; made with mode 0700 if it is not there.
    ///   - environment: what it takes from outside.
    /// - Returns: the ledger, and the private half of the recovery pair, which is kept nowhere else.
    /// - Throws: `exists` when a ledger is there already, `io` when the directory cannot be made.
    public static func create(
        at directory: String, environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) -> (ledger: Ledger, recoveryKey: RecoveryKey) { throw .stub }

    /// Opens a ledger.
    ///
    /// - Parameters:
    ///   - directory: where it lives.
    ///   - access: what it is opened for.
    ///   - environment: what it takes from outside.
    /// - Throws: `notFound`, `newerSchema`, `damaged`, `busy`, or `io`.
    public init(
        openAt directory: String, access: Access = .readWrite,
        environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) { throw .stub }

    /// Opens a copy of a ledger's database, such as a backup, for reading.
    ///
    /// - Parameters:
    ///   - file: the database file.
    ///   - environment: what it takes from outside.
    /// - Throws: as ``init(openAt:access:environment:)``.
    public init(
        openCopy file: String, environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) { throw .stub }

    /// Makes a new replica of the ledger that an invitation names.
    ///
    /// - Parameters:
    ///   - invitation: what the inviter's ``invitation()`` returned.
    ///   - directory: where the new replica lives.
    ///   - environment: what it takes from outside.
    /// - Throws: as ``create(at:environment:)``.
    public static func join(
        _ invitation: Invitation, at directory: String,
        environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) -> Ledger { throw .stub }

    /// What another device needs to join.
    public func invitation() throws(LedgerError) -> Invitation { throw .stub }

    /// Signs the tail of the own log, writes what is deferred and closes; later calls fail.
    ///
    /// - Throws: `io` or `noSpace` when that cannot be written; everything appended is durable.
    public func close() throws(LedgerError) { throw .stub }
}

extension LedgerError { static let stub = LedgerError(.closed, "stub") }

/// The private half of the recovery pair, to be kept off the machine.
public struct RecoveryKey: Sendable, Hashable, CustomStringConvertible {
    /// The Ed25519 seed.
    public let seed: [UInt8]
    /// The seed in base32.
    public var description: String { Base32.encode(seed) }
}

/// What a device needs to join a ledger; whoever reads it can read the ledger.
public struct Invitation: Sendable, Hashable {
    /// The ledger's id.
    public let ledger: LedgerID
    /// The ledger's key.
    package let key: [UInt8]
    /// Who invites.
    public let inviter: ReplicaID
}

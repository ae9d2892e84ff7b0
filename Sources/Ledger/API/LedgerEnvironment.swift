/// What a ledger takes from outside, so that a test or a simulator can replace it.
///
/// The closures are called from any thread and under the lock of the ledger: they must be quick and
/// must not call the ledger.
///
/// ```swift
/// let environment = LedgerEnvironment(
///     wallClock: { clock.milliseconds }, lockWaitMilliseconds: 250)
/// let ledger = try Ledger.create(at: directory, environment: environment).ledger
/// ```
public struct LedgerEnvironment: Sendable {
    /// The wall clock in Unix milliseconds.
    public var wallClock: @Sendable () -> Int64
    /// Cryptographically random bytes.
    public var random: @Sendable (Int) throws(LedgerError) -> [UInt8]
    /// How long a call waits for another process that holds the ledger, in milliseconds.
    public var lockWaitMilliseconds: Int32
    /// About how many statuses are kept in memory, at some 600 bytes each; at least 1,024.
    ///
    /// With fewer, states are written down after fewer events, and looking up what is not in memory
    /// costs a read. Memory that one ledger takes is about 30 MB and these.
    public var keysInMemory = 200_000
    /// Told how long each commit took, in nanoseconds; nearly all of it is the fsync.
    package var onCommit: (@Sendable (Int64) -> Void)?
    /// Where the replica's key is read from instead of the state directory, such as a credential.
    package var keyFile: String?
    /// What tells this machine or device from others, by default `/etc/machine-id`.
    ///
    /// Nil where there is nothing. Only a digest is kept, to notice that a ledger was moved.
    public var machineID: @Sendable () -> String? = LedgerEnvironment.systemMachineID
    /// Tells a database from a copy of it.
    package var fileIdentity: @Sendable (String) -> FileIdentity? = { FileIdentity(of: $0) }
    /// What reads and writes the mark beside the database.
    package var markFiles: any MarkFiles = SystemMarkFiles()

    /// Makes an environment; the defaults are the system's clock, OpenSSL's generator, 5 seconds.
    ///
    /// - Parameters:
    ///   - wallClock: the wall clock in Unix milliseconds.
    ///   - random: cryptographically random bytes, as many as asked for.
    ///   - lockWaitMilliseconds: how long a call waits for another process that holds the ledger.
    public init(
        wallClock: @escaping @Sendable () -> Int64 = SystemClock.milliseconds,
        random: @escaping @Sendable (Int) throws(LedgerError) -> [UInt8] = Crypto.random,
        lockWaitMilliseconds: Int32 = 5000
    ) {
        self.wallClock = wallClock
        self.random = random
        self.lockWaitMilliseconds = lockWaitMilliseconds
    }
}

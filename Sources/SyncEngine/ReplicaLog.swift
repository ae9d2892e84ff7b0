public import Ledger

/// All that merging needs of a ledger: it reads and extends the log and nothing else.
package protocol ReplicaLog: IntervalHost, FolderCorrespondent {
    /// The ledger's id.
    var id: LedgerID { get }
    /// The replica's id; nil where its key is not here.
    var replica: ReplicaID? { get }
    /// The tips of all chains, ascending; signs the own tail first where that can be written.
    func tips() throws(LedgerError) -> [Tip]
    /// The chains that changed since a stamp (0: all), ascending, and the stamp of now; signs the
    /// own tail first where that can be written.
    func tipStates(
        changedAfter stamp: UInt64
    ) throws(LedgerError) -> (states: [TipState], stamp: UInt64)
    /// SHA-256 over what merging is about, computed from what is stored.
    func stateDigest() throws(LedgerError) -> Bytes32
    /// Who writes a log; nil while the log is not here.
    func author(of log: LogID) throws(LedgerError) -> ReplicaID?
    /// How much of the longest chain of a log is held; 0 for none.
    func heldSize(of log: LogID) throws(LedgerError) -> UInt64
    /// Sequences of a chain whose payloads are missing for another reason than erasure.
    func missingPayloads(of tip: Tip) throws(LedgerError) -> [UInt64]
    /// Signed intervals of a chain; at least one unless `first` is the end.
    func intervals(
        of tip: Tip, from first: UInt64, bytesMax: Int
    ) throws(LedgerError) -> [Interval]
    /// Whether a prefix of one of the log's chains has this size and root.
    func holds(_ tip: Tip) throws(LedgerError) -> Bool
    /// Hears what the peer holds, before anything is taken from it.
    func note(peerTips tips: [Tip]) throws(LedgerError)
    /// Verifies and takes intervals, each whole or not at all; durable once it returns.
    func ingest(
        _ source: IntervalSource
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>]
    /// The keys that drop-folder files of a generation may be sealed with, 32 bytes each.
    func folderKeys(generation: UInt64) throws(LedgerError) -> [[UInt8]]
    /// The key that new files are sealed with, and its generation.
    func newestFolderKey() throws(LedgerError) -> (generation: UInt64, key: [UInt8])
    /// A number that grows with each event that comes in, also by other processes.
    func lastPosition() throws(LedgerError) -> Int64
    /// How many bytes of events came in after a position.
    func storedBytes(after position: Int64) throws(LedgerError) -> Int
    /// Whether a replica is a member; nil where the ledger does not know it at all.
    func isMember(_ replica: ReplicaID) throws(LedgerError) -> Bool?
    /// Admits a replica that shows a token; nil for a token that was not made here.
    func redeem(_ request: JoinRequest) throws(LedgerError) -> JoinOutcome?
    /// What shows the invitation that this replica came with, to the replica that made it; nil
    /// where there is none, or this one is known to have been admitted.
    func pendingRequest(to inviter: ReplicaID) throws(LedgerError) -> JoinRequest?
    /// Has each append sign what it adds at once, or only when it is about to leave.
    func signEachCommit(_ isOn: Bool) throws(LedgerError)
    /// Changes with every commit of anyone; equal when nothing was committed in between.
    func changeMark() throws(LedgerError) -> [UInt8]
}

extension ReplicaLog {
    /// Nobody is known where nobody can be asked about.
    package func isMember(_ replica: ReplicaID) throws(LedgerError) -> Bool? { nil }

    /// Nobody was invited where nobody can be admitted.
    package func redeem(_ request: JoinRequest) throws(LedgerError) -> JoinOutcome? { nil }

    /// Nobody has come with an invitation where nobody can be admitted.
    package func pendingRequest(to inviter: ReplicaID) throws(LedgerError) -> JoinRequest? { nil }

    /// The same for ever where no other process writes.
    package func changeMark() throws(LedgerError) -> [UInt8] { [] }

    /// What is always signed, or never appended to, needs no telling.
    package func signEachCommit(_ isOn: Bool) throws(LedgerError) {}

    /// A log that nobody else can have written into has nothing to learn from them.
    package func note(peerTips tips: [Tip]) throws(LedgerError) {}
}

extension Ledger: ReplicaLog {}

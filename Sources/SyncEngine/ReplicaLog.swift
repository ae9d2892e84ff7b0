public import Ledger

/// All that merging needs of a ledger: it reads and extends the log and nothing else.
package protocol ReplicaLog: Sendable {
    /// The ledger's id.
    var id: LedgerID { get }
    /// The replica's id; nil where its key is not here.
    var replica: ReplicaID? { get }
    /// The tips of all chains, ascending; signs the own tail first where that can be written.
    func tips() throws(LedgerError) -> [Tip]
    /// SHA-256 over what merging is about, computed from what is stored.
    func stateDigest() throws(LedgerError) -> Bytes32
    /// Who writes a log; nil while the log is not here.
    func author(of log: LogID) throws(LedgerError) -> ReplicaID?
    /// Sequences of a chain whose payloads are missing for another reason than erasure.
    func missingPayloads(of tip: Tip) throws(LedgerError) -> [UInt64]
    /// Signed intervals of a chain; at least one unless `first` is the end.
    func intervals(
        of tip: Tip, from first: UInt64, bytesMax: Int
    ) throws(LedgerError) -> [Interval]
    /// Whether a prefix of one of the log's chains has this size and root.
    func holds(_ tip: Tip) throws(LedgerError) -> Bool
    /// Verifies and takes intervals, each whole or not at all; durable once it returns.
    func ingest(
        _ intervals: [Interval]
    ) throws(LedgerError) -> [Result<IngestReceipt, LedgerError>]
    /// The keys that drop-folder files of a generation may be sealed with, 32 bytes each.
    func folderKeys(generation: UInt64) throws(LedgerError) -> [[UInt8]]
    /// The key that new files are sealed with, and its generation.
    func newestFolderKey() throws(LedgerError) -> (generation: UInt64, key: [UInt8])
    /// A number that grows with each event that comes in, also by other processes.
    func lastPosition() throws(LedgerError) -> Int64
    /// How many bytes of events came in after a position.
    func storedBytes(after position: Int64) throws(LedgerError) -> Int
}

extension Ledger: ReplicaLog {}

package import Ledger

/// What a replica reads and writes in a folder besides segments: keys for other members, requests
/// to join and the answers to them.
package protocol FolderCorrespondent {
    /// Which secrets this replica hands on, and to whom.
    func folderShareNames() throws(LedgerError) -> Set<FolderKeyShare.Name>
    /// The same, sealed anew.
    func sealFolderShares() throws(LedgerError) -> [FolderKeyShare]
    /// The key that follows from a secret sealed to this replica; nil for any other.
    func openFolderShare(_ share: FolderKeyShare) throws(LedgerError) -> [UInt8]?
    /// The digest of the token that this replica came with and was not admitted with yet.
    func pendingDigest() throws(LedgerError) -> Bytes32?
    /// The request to whoever made that token.
    func sealJoinRequest() throws(LedgerError) -> SealedJoinRequest?
    /// The token in a request to this replica; nil in any other.
    func open(_ request: SealedJoinRequest) throws(LedgerError) -> JoinRequest?
    /// The answer to a request.
    func seal(
        _ outcome: JoinOutcome, to request: JoinRequest
    ) throws(LedgerError) -> SealedJoinAnswer?
    /// What an answer to this replica says; nil for any other.
    func open(_ answer: SealedJoinAnswer) throws(LedgerError) -> JoinOutcome?
    /// Differs whenever content was erased since.
    func erasureMark() throws(LedgerError) -> Int64
    /// Where events stand whose content was erased.
    func erasedSequences() throws(LedgerError) -> [LogID: [UInt64]]
    /// Asks no more.
    func forgetInvitation() throws(LedgerError)
}

/// Who has nobody to write to.
extension FolderCorrespondent {
    package func folderShareNames() throws(LedgerError) -> Set<FolderKeyShare.Name> { [] }
    package func sealFolderShares() throws(LedgerError) -> [FolderKeyShare] { [] }
    package func openFolderShare(_ share: FolderKeyShare) throws(LedgerError) -> [UInt8]? { nil }
    package func pendingDigest() throws(LedgerError) -> Bytes32? { nil }
    package func sealJoinRequest() throws(LedgerError) -> SealedJoinRequest? { nil }
    package func open(_ request: SealedJoinRequest) throws(LedgerError) -> JoinRequest? { nil }
    package func seal(
        _ outcome: JoinOutcome, to request: JoinRequest
    ) throws(LedgerError) -> SealedJoinAnswer? { nil }
    package func open(_ answer: SealedJoinAnswer) throws(LedgerError) -> JoinOutcome? { nil }
    package func erasureMark() throws(LedgerError) -> Int64 { 0 }
    package func erasedSequences() throws(LedgerError) -> [LogID: [UInt64]] { [:] }
    package func forgetInvitation() throws(LedgerError) {}
}

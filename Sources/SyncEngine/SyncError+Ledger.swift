package import Ledger

extension SyncError {
    /// Says in this module's words what the ledger refused.
    package init(_ error: LedgerError) {
        let code: Code =
            switch error.code {
            case .malformed: .malformed
            case .notVerified: .notVerified
            case .unknownAuthor: .unknownAuthor
            case .limit: .limit
            case .noSpace: .noSpace
            case .readOnly: .notPossible
            case .io: .io
            case .crypto: .crypto
            default: .ledger
            }
        self.init(code, error.message, cause: error.cause)
    }
}

/// Runs a call of the ledger and turns its error into one of this module.
func fromLedger<T>(_ body: () throws(LedgerError) -> T) throws(SyncError) -> T {
    do { return try body() } catch { throw SyncError(error) }
}

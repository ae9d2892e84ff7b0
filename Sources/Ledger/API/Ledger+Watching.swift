/// How much of one chain is here.
package struct LogSize: Sendable, Hashable {
    /// The log.
    package let log: LogID
    /// Its author.
    package let author: ReplicaID
    /// How many events of it are stored.
    package let size: UInt64
}

extension Ledger {
    /// Signs the tail of the own log, if it is not signed; costs one fsync then.
    ///
    /// - Throws: `busy`, `noSpace`, `io`, `closed`.
    package func signTail() throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in try core.signTail() }
    }

    /// Has each append sign what it adds, in its own transaction.
    ///
    /// For as long as somebody waits for new events: they then leave after one fsync less.
    ///
    /// - Parameter isOn: whether to, from the next append of this open ledger on.
    /// - Throws: `closed`.
    package func signEachCommit(_ isOn: Bool) throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in core.signsEachCommit = isOn }
    }

    /// The sizes of all chains, in the order in which they came.
    ///
    /// - Returns: one entry a chain.
    /// - Throws: `busy`, `damaged`, `io`, `closed`.
    package func logSizes() throws(LedgerError) -> [LogSize] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot {
                core.rows.chains.chains.enumerated().map { index, chain in
                    LogSize(
                        log: chain.log, author: chain.author, size: core.rows.chains.size(index))
                }
            }
        }
    }
}

extension Ledger {
    /// The directory the ledger lives in.
    package var directory: String {
        readers.path.lastIndex(of: "/").map { String(readers.path[..<$0]) } ?? "."
    }

    /// How many bytes of events came in after a position; other processes' count as well.
    ///
    /// - Parameter position: what ``lastPosition()`` returned before.
    /// - Returns: of headers and payloads as they are stored.
    /// - Throws: `busy`, `damaged`, `io`.
    package func storedBytes(after position: Int64) throws(LedgerError) -> Int {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                let last = core.rows.chains.maxRow
                return last > position ? try core.store.byteCount((position + 1)...last) : 0
            }
        }
    }

    /// Differs whenever content was erased here since.
    ///
    /// - Throws: `busy`, `damaged`, `io`.
    package func erasureMark() throws(LedgerError) -> Int64 {
        try withCore { (core) throws(LedgerError) in try core.store.metaInteger(.erasureCount) }
    }

    /// Where events stand whose content was erased here, ascending.
    ///
    /// - Throws: `busy`, `damaged`, `io`.
    package func erasedSequences() throws(LedgerError) -> [LogID: [UInt64]] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.erasedSequences() }
        }
    }
}

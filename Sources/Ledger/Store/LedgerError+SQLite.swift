internal import CSQLite

extension LedgerError {
    /// The one mapping from SQLite's result codes (https://sqlite.org/rescode.html).
    static func sqlite(
        _ code: Int32, _ handle: OpaquePointer?, path: String, waited: Int32
    ) -> LedgerError {
        let cause =
            handle.map { String(cString: sqlite3_errmsg($0)) }
            ?? String(cString: sqlite3_errstr(code))
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            let holder = LockHolder.describe(database: path)
            return LedgerError(
                .busy,
                "\(holder) held \(path) for over \(waited) ms; wait for it or stop it, then retry.",
                cause: cause)
        case SQLITE_FULL:
            return LedgerError(
                .noSpace, "The disk holding \(path) is full; nothing was written. Free some space.",
                cause: cause)
        case SQLITE_READONLY:
            return LedgerError(.readOnly, "\(path) cannot be written here.", cause: cause)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return LedgerError(
                .damaged,
                "\(path) is damaged. It was left as it is; keep it and restore a backup beside it.",
                cause: cause)
        case SQLITE_CANTOPEN where Files.exists(path):
            return LedgerError(
                .readOnly,
                "\(path) cannot be opened for writing; make it and its directory writable, or "
                    + "only read it.",
                cause: cause)
        case SQLITE_CANTOPEN:
            return LedgerError(
                .notFound, "\(path) cannot be opened; check that it is there.",
                cause: cause)
        case SQLITE_NOMEM:
            return LedgerError(.io, "Out of memory while using \(path).", cause: cause)
        default:
            return LedgerError(
                .io, "\(path) could not be read or written (SQLite \(code)).", cause: cause)
        }
    }

    /// The error of a statement that reads one database and writes a copy of it.
    ///
    /// SQLite does not say which of the two it could not use; only the copy is written.
    func whileCopying(to path: String) -> LedgerError {
        switch code {
        case .noSpace:
            LedgerError(
                .noSpace,
                "The disk that would hold \(path) is full; no copy was made. Free some space or "
                    + "name another place.",
                cause: cause)
        case .readOnly: LedgerError(.readOnly, "\(path) cannot be written.", cause: cause)
        default: self
        }
    }
}

/// What a restore put in place.
package struct Restoration: Sendable, Hashable {
    /// The copy that was taken.
    package let file: String
    /// How many events of the replica's own logs it holds.
    package let ownEvents: UInt64
    /// How many events it holds in all.
    package let events: Int64
    /// The log the replica goes on in; nil where its key is not there.
    package internal(set) var log: LogID?
}

extension Ledger {
    /// Puts the newest of some copies of a replica's database in place.
    ///
    /// The newest is the one that holds most of the replica's own logs, whatever the files' times
    /// say. Each is verified whole first. Nothing that is there is overwritten. Where the replica's
    /// key lies in the directory, the new log that follows a restore is opened at once.
    ///
    /// - Parameters:
    ///   - files: copies of the database of one replica, such as backups.
    ///   - directory: where the ledger is to live; made if it is not there.
    ///   - environment: what it takes from outside.
    /// - Returns: which one was taken.
    /// - Throws: `exists` when a database, or what is left of one, is there; `damaged` when a copy
    ///   does not verify, or the key is another replica's; `invalid` when the copies are not of one
    ///   replica; `notFound`, `noSpace`, `io`.
    /// - Complexity: O(n) in the number of stored bytes of all copies.
    package static func restore(
        _ files: [String], at directory: String,
        environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) -> Restoration {
        let path = "\(directory)/ledger.db"
        for left in [path, path + "-wal"] where Files.exists(left) {
            throw LedgerError(
                .exists,
                "\(left) is there; stop what uses it and move ledger.db and ledger.db-wal aside "
                    + "together.")
        }
        var restored = try newest(of: files, environment)
        try Files.makeDirectory(directory)
        let temporary = path + ".restoring"
        Files.remove(temporary)
        let copy = try Ledger(openCopy: restored.file, environment: environment)
        try copy.backup(to: temporary)
        // Without a mark it is told for a restored one, whatever the last one said.
        Files.remove(Core.markPath(besides: path))
        try Files.syncDirectory(of: path)
        try Files.rename(temporary, to: path)
        let ledger = try Ledger(openAt: directory, environment: environment)
        try ledger.withCore { (core) throws(LedgerError) in
            guard core.writer != nil else { return }
            try core.write { () throws(LedgerError) in try core.settleDoubt() }
        }
        restored.log = ledger.log
        try ledger.close()
        return restored
    }

    private static func newest(
        of files: [String], _ environment: LedgerEnvironment
    ) throws(LedgerError) -> Restoration {
        var newest: Restoration?
        var owner: (ledger: LedgerID, replica: ReplicaID?)?
        for file in files {
            let copy = try Ledger(openCopy: file, environment: environment)
            guard try copy.verify().isSound else {
                throw LedgerError(
                    .damaged,
                    "\(file) does not verify; keep it, and restore another copy. "
                        + "What is wrong with it says: ledgerd verify --copy \(file)")
            }
            let replica = try copy.withCore { core in core.identity.replica }
            guard owner == nil || owner ?? (copy.id, nil) == (copy.id, replica) else {
                throw LedgerError(
                    .invalid, "\(file) is a copy of another replica; name copies of one.")
            }
            owner = (copy.id, replica)
            let own = try copy.epochs().filter { $0.opening.replica == replica }
            let found = Restoration(
                file: file, ownEvents: own.reduce(0) { $0 + $1.size },
                events: try copy.lastPosition())
            let (position, best) = (
                (found.ownEvents, found.events), (newest?.ownEvents ?? 0, newest?.events ?? -1)
            )
            if position > best { newest = found }
            try copy.close()
        }
        guard let newest else { throw LedgerError(.invalid, "No copy was named.") }
        return newest
    }
}

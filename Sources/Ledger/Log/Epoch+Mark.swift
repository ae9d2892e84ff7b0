extension Core {
    // MARK: Leaving

    /// Signs the tail of the own log and marks how much of it may leave.
    ///
    /// Every door through which own events leave calls this first. What was marked stays marked,
    /// so it costs something only where the log has grown.
    func letOut() throws(LedgerError) {
        guard access == .readWrite, writer != nil else { return }
        try signTail()
        guard epoch.doubt == nil, let writer, writer.signedSize > 0 else { return }
        if let mark = epoch.mark, mark.log == writer.log, mark.size >= writer.signedSize { return }
        guard let checked = try withSnapshot({ () throws(LedgerError) in try readBack() })
        else { return }
        // The transaction writes nothing: it keeps other processes from moving the mark meanwhile,
        // and costs no fsync. The checkpoint is durable, so the mark is never ahead of it.
        try write { () throws(LedgerError) in try advanceMark(to: checked, of: writer.log) }
    }

    /// Checks what was signed since the mark against the rows as they are stored: a bit that
    /// flipped between hashing, signing and storing would be a log that nobody can take.
    ///
    /// - Returns: the newest checkpoint; nil where there is none.
    private func readBack() throws(LedgerError) -> StoredCheckpoint? {
        guard let writer, let chain = rows.chains.indices(of: writer.log).first else { return nil }
        let marked = epoch.mark?.log == writer.log ? epoch.mark?.size ?? 0 : 0
        var newest = try store.checkpoint(chain: writer.chain, atMost: marked)
        var edge = newest?.frontier ?? MerkleFrontier()
        while let next = try store.checkpoint(chain: writer.chain, above: edge.size),
            next.size <= rows.chains.size(chain)
        {
            for leaf in try rows.leaves(chain: chain, edge.size..<next.size) {
                edge.append(leaf, digester)
            }
            // Signing again is cheaper than verifying, and gives the same bytes or has a fault.
            let again = try Checkpoint.sign(
                log: writer.log, size: next.size, root: edge.root(digester),
                with: writer.keys.signing)
            guard again.root == next.root, again.signature == next.signature else {
                throw LedgerError(
                    .damaged,
                    "Events of log \(writer.log) below \(next.size) are not stored as they were "
                        + "signed; nothing of them has left. Run verify and restore a backup.")
            }
            newest = next
        }
        return newest
    }

    private func advanceMark(to newest: StoredCheckpoint, of log: LogID) throws(LedgerError) {
        guard epoch.doubt == nil, let writer, writer.log == log else { return }
        let known = epoch.mark
        if let mark = try readMark(), mark.log == writer.log, mark.size >= newest.size {
            epoch.mark = mark
            return
        }
        guard try known?.place.isOtherFile(than: filePlace()) != true else {
            throw LedgerError(
                .conflict,
                "\(store.database.path) is another file than the one that was opened; close the "
                    + "ledger and open it again.")
        }
        epoch.mark = try writeMark(log: writer.log, size: newest.size, root: newest.root)
    }

    /// How much of a log may leave: of the own one what is marked, of others all that is here.
    ///
    /// After a doubt the own log grows no more, so all that is signed of it may.
    func leavingSize(of log: LogID) throws(LedgerError) -> UInt64 {
        guard log == identity.ownLog else { return .max }
        if writer != nil {
            guard epoch.doubt == nil else { return .max }
            return epoch.mark?.log == log ? epoch.mark?.size ?? 0 : 0
        }
        // A reader may not move the mark. Beside a copy there is none, or one of another place.
        guard let mark = try readMark(), mark.log == log,
            try mark.place == filePlace()
        else { return .max }
        return mark.size
    }

    // MARK: The file

    private var markPath: String { Self.markPath(besides: store.database.path) }

    static func markPath(besides database: String) -> String {
        (database.hasSuffix(".db") ? String(database.dropLast(3)) : database) + ".mark"
    }

    func readMark() throws(LedgerError) -> Mark? {
        guard let file = try environment.markFiles.read(markPath) else { return nil }
        return try Mark(file: file)
    }

    func writeMark(log: LogID, size: UInt64, root: Bytes32) throws(LedgerError) -> Mark {
        try Self.writeMark(
            log: log, size: size, root: root, at: filePlace(), path: markPath, environment)
    }

    static func writeMark(
        log: LogID, size: UInt64, root: Bytes32, at place: FilePlace, path: String,
        _ environment: LedgerEnvironment
    ) throws(LedgerError) -> Mark {
        let file = try environment.markFiles.read(path)
        let before = try file.map { (file) throws(LedgerError) in try Mark(file: file) } ?? nil
        let counter = before?.counter ?? 0
        let mark = Mark(counter: counter &+ 1, log: log, size: size, root: root, place: place)
        try environment.markFiles.write(mark.encoded(), at: mark.offset, to: path)
        return mark
    }

    func filePlace() throws(LedgerError) -> FilePlace {
        try Self.filePlace(of: store.database.path, ledger: identity.id, environment)
    }

    static func filePlace(
        of database: String, ledger: LedgerID, _ environment: LedgerEnvironment
    ) throws(LedgerError) -> FilePlace {
        guard let identity = environment.fileIdentity(database) else {
            throw LedgerError(
                .notFound,
                "\(database) is no longer there; if it was moved, open it at its new place.")
        }
        return FilePlace(
            inode: identity.inode, birthNanoseconds: identity.birthNanoseconds,
            machine: try environment.machineID().map { (name) throws(LedgerError) in
                let digest = try Crypto.sha256(
                    Array("consent-ledger/machine/1".utf8) + ledger.bytes + Array(name.utf8))
                return Bytes16(a: digest.a, b: digest.b)
            })
    }
}

extension Core {
    /// A new replica's core, in the open write transaction that makes it: its first event says
    /// whose log it is.
    static func opening(
        _ store: EventStore, _ keys: ReplicaKeys, _ founding: LogOpening.Founding?,
        _ environment: LedgerEnvironment
    ) throws(LedgerError) -> Core {
        guard let epoch = Bytes16(try environment.random(16)),
            let id = LedgerID(bytes: try store.meta(.ledger) ?? [])
        else { throw LedgerError(.crypto, "The random source returned too few bytes.") }
        let log = try LedgerIdentity.logID(ledger: id, replica: keys.replica, epoch: epoch)
        // Before the commit: a database that was made without a mark would look like a restored one.
        let path = store.database.path
        _ = try writeMark(
            log: log, size: 0, root: .zero, at: filePlace(of: path, ledger: id, environment),
            path: markPath(besides: path), environment)
        try store.setMeta(.replica, keys.replica.bytes)
        try store.setMeta(.ownLog, log.bytes)
        try store.setMeta(.epoch, epoch.bytes)
        let core = try Core(
            store: store, access: .readWrite, keys: keys, environment: environment)
        _ = try core.record(
            LogOpening(
                replica: keys.replica, epoch: epoch, sealingKey: keys.sealing.publicKey,
                founding: founding, continues: nil, reason: .new))
        return core
    }

    /// Commits what waiting appenders want, in one transaction; what one of them may not have
    /// does not keep the others waiting.
    func commit(_ requests: [AppendQueue.Request]) {
        var pending = requests
        while !pending.isEmpty {
            var refused: (index: Int, error: LedgerError)?
            var receipts: [[Receipt]] = []
            do throws(LedgerError) {
                try write { () throws(LedgerError) in
                    for (index, request) in pending.enumerated() {
                        do throws(LedgerError) {
                            receipts.append(try append(request.drafts))
                        } catch {
                            refused = (index, error)
                            throw error
                        }
                    }
                    if signsEachCommit { try signNewest() }
                }
                for (request, receipts) in zip(pending, receipts) {
                    request.outcome = .success(receipts)
                }
                break
            } catch {
                guard let refused else {
                    for request in pending { request.outcome = .failure(error) }
                    break
                }
                pending.remove(at: refused.index).outcome = .failure(refused.error)
            }
        }
        // What is appended is durable; deferred work that fails now is tried again later.
        try? flushIfNeeded()
    }

    /// Signs the tail of the own log, if it is not signed.
    func signTail() throws(LedgerError) {
        guard access == .readWrite, writer != nil else { return }
        try withSnapshot { () throws(LedgerError) in try loadFrontier() }
        guard let writer, writer.unsignedCount > 0 else { return }
        try write { () throws(LedgerError) in
            try settleDoubt()
            try loadFrontier()
            try signNewest()
        }
    }

    private func signNewest() throws(LedgerError) {
        guard var writer, writer.unsignedCount > 0 else { return }
        try sign(&writer)
        self.writer = writer
    }

    func close() throws(LedgerError) {
        // A copy that was only read from opens no log of its own.
        guard epoch.doubt == nil else { return }
        if access == .readWrite, try mustScrub { _ = try finishErasures() }
        try signTail()
    }
}

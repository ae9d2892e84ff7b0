extension Core {
    /// Notes about strangers beyond this number give way to newer ones.
    private static let strangersMax = 1024
    /// More rows than this are judged anew by starting over.
    private static let judgedAnewMax = 20_000

    // MARK: Taking in

    /// Lists a row that holds an event about members.
    func noteMember(
        _ kind: EventKind, _ content: Event.Content, _ row: Int64
    ) throws(LedgerError) {
        if Self.isAboutMembers(kind, content) { try store.insertMemberRow(row) }
    }

    /// Whether an event tells who belongs to the ledger.
    private static func isAboutMembers(_ kind: EventKind, _ content: Event.Content) -> Bool {
        if kind.isAboutMembers { return true }
        if case .opening(let opening) = content { return opening.founding != nil }
        return false
    }

    /// Whether a stored row is about members and is not listed as such.
    func isUnlistedMember(
        _ row: Int64, _ head: UnsafeRawBufferPointer
    ) throws(LedgerError) -> Bool {
        let kind = StoredRow.kind(head)
        guard kind.isAboutMembers || kind == .logOpened, try !store.isMemberRow(row) else {
            return false
        }
        // Where the row is damaged, that is found and named by itself.
        guard let event = try? rows.event(row) else { return false }
        return Self.isAboutMembers(kind, event.content)
    }

    /// Works out the members that the events now imply, and judges again the events on which that
    /// bears; inside a write transaction.
    ///
    /// - Parameter anew: whether the payload of an event about members came late.
    /// - Throws: `damaged`, `io`, `noSpace`.
    func settleMembers(anew: Bool = false) throws(LedgerError) {
        let before = rows.members
        try rows.readMembers(anew: anew)
        let judged = rows.rows(judgedAnewSince: before)
        guard !judged.isEmpty else { return }
        guard judged.count <= Self.judgedAnewMax else { return try rebuild() }
        for row in judged {
            if let fact = try rows.fact(row) { try projector.reconsider(fact) }
        }
        // What changed below the watermark must be on disk for other processes.
        try projector.flush(all: true)
    }

    /// Lets only known replicas' logs in: the founder proves itself, everybody else was admitted.
    func checkKnown(_ author: ReplicaID, _ interval: Interval) throws(LedgerError) {
        if author == identity.replica || rows.members.graph.known.contains(author) { return }
        if let payload = interval.events.first?.body?.payload,
            let founding = try LogOpening(encoded: payload).founding,
            try rows.founds(founding, by: author)
        {
            return
        }
        // What came just before in the same batch may have admitted it.
        try settleMembers()
        if rows.members.graph.known.contains(author) { return }
        try store.noteStranger(
            EventStore.StrangerRow(
                author: author, log: interval.checkpoint.log, size: interval.checkpoint.size,
                milliseconds: environment.wallClock()),
            rowsMax: Self.strangersMax)
        throw LedgerError(
            .unknownAuthor,
            "Replica \(author) is not known to this ledger, so its log was not taken; a member "
                + "admits it (ledgerd members add), then merge again.")
    }

    // MARK: Recording

    /// Admits a replica or names it anew; inside a write transaction.
    ///
    /// With the replica's X25519 key, the secrets of the drop folder go to it in the admission.
    func admit(
        _ replica: ReplicaID, name: String?, sealingKey: Bytes32? = nil
    ) throws(LedgerError) -> Receipt {
        try checkOwnStanding()
        let members = rows.members
        if let receipt = try repeated(replica, name) { return receipt }
        guard replica != members.graph.roots?.recoveryKey else {
            throw LedgerError(.invalid, "That is the recovery key; it needs no admission.")
        }
        guard members.graph.removals[replica] == nil else {
            throw LedgerError(
                .conflict,
                "Replica \(replica) was removed; only the recovery key brings it back.")
        }
        var keys: [MemberAdmission.FolderKey] = []
        if let sealingKey { keys = try currentSecrets(for: replica, sealingKey) }
        let event = try record(MemberAdmission(replica: replica, name: name, folderKeys: keys))
        try settleMembers()
        return Receipt(event: event, isNew: true)
    }

    /// The admission that says the same already.
    private func repeated(
        _ replica: ReplicaID, _ name: String?
    ) throws(LedgerError) -> Receipt? {
        guard rows.members.graph.isMember(replica),
            let last = rows.members.admissions(of: replica).last,
            name == nil || self.name(of: replica) == name
        else { return nil }
        guard let event = try rows.event(last.entry.row) else {
            throw store.damaged("row \(last.entry.row)")
        }
        return Receipt(event: event, isNew: false)
    }

    /// Removes a replica: what is not held here of its logs no longer counts.
    func remove(_ replica: ReplicaID) throws(LedgerError) -> Receipt {
        guard replica != rows.members.graph.roots?.recoveryKey else {
            throw LedgerError(.invalid, "Nobody removes the recovery key.")
        }
        guard rows.members.graph.known.contains(replica) else {
            throw LedgerError(
                .notFound, "Replica \(replica) is not known to this ledger; nothing to remove.")
        }
        guard rows.members.graph.known.contains(identity.replica ?? replica) else {
            throw Self.notMember
        }
        if let standing = rows.members.graph.removals[replica]?.first,
            let entry = rows.members.entries.first(where: { $0.id == standing }),
            let event = try rows.event(entry.row)
        {
            return Receipt(event: event, isNew: false)
        }
        let generation = rows.members.newestGeneration + 1
        let removal = MemberRemoval(
            replica: replica, points: try removalPoints(of: replica), generation: generation,
            sealedKeys: try sealNewSecret(generation: generation, without: replica))
        let event = try record(removal)
        try settleMembers()
        return Receipt(event: event, isNew: true)
    }

    /// How much is here of each of a replica's logs, as far as it is signed; the longest ones
    /// where they are more than an event can name.
    private func removalPoints(
        of replica: ReplicaID
    ) throws(LedgerError) -> [MemberRemoval.Point] {
        var points: [MemberRemoval.Point] = []
        for (index, chain) in rows.chains.chains.enumerated() where chain.author == replica {
            let size = rows.chains.size(index)
            guard let newest = try store.checkpoint(chain: chain.number, atMost: size) else {
                continue
            }
            points.append(.init(log: chain.log, size: newest.size, root: newest.root))
        }
        points.sort { ($1.size, $0.log, $0.root) < ($0.size, $1.log, $1.root) }
        return Array(points.prefix(MemberRemoval.pointsMax))
    }

    /// Someone whose admissions would be void is told, instead of writing them.
    func checkOwnStanding() throws(LedgerError) {
        guard let own = identity.replica, rows.members.graph.isMember(own) else {
            throw Self.notMember
        }
    }

    private static let notMember = LedgerError(
        .notMember,
        "This replica is not a member here: let a member admit it and merge with that one first; "
            + "if it was removed, only the recovery key brings it back.")

    // MARK: The recovery key

    /// Admits a replica with the recovery key, in a log of that key's own, and overrules the
    /// removals of the replica that are known here; inside a write transaction.
    func readmit(
        _ replica: ReplicaID, name: String?, _ key: RecoveryKey
    ) throws(LedgerError) -> Receipt {
        guard let roots = rows.members.graph.roots else {
            throw LedgerError(
                .notFound,
                "The founder's log is not here, so nothing tells which recovery key is right; "
                    + "merge first.")
        }
        let keys = try ReplicaKeys(recovery: key)
        guard keys.replica == roots.recoveryKey else {
            throw LedgerError(.invalid, "This is not the recovery key of this ledger.")
        }
        if let receipt = try repeated(replica, name) { return receipt }
        let admission = MemberAdmission(
            replica: replica, name: name, overrules: rows.members.graph.removals[replica] ?? [])
        guard let epoch = Bytes16(try environment.random(16)) else {
            throw LedgerError(.crypto, "The random source returned too few bytes.")
        }
        // A log of its own each time: the key's holder cannot be sure of what it signed elsewhere.
        var log = try DetachedLog(ledger: identity.id, keys: keys, epoch: epoch)
        try log.add(
            .logOpened,
            LogOpening(
                replica: keys.replica, epoch: epoch, sealingKey: keys.sealing.publicKey,
                founding: nil, continues: nil, reason: .new
            ).encoded, at: clock.tick(wall: environment.wallClock()), environment.random)
        let id = try log.add(
            .memberAdmitted, admission.encoded, at: clock.tick(wall: environment.wallClock()),
            environment.random)
        for result in try ingest([try log.interval()]) { _ = try result.get() }
        guard let entry = rows.members.entries.last(where: { $0.id == id }),
            let event = try rows.event(entry.row)
        else { throw store.damaged("the admission") }
        return Receipt(event: event, isNew: true)
    }
}

extension Ledger {
    /// What another device needs to join, without a token: a member admits it by its id.
    ///
    /// - Returns: the invitation; nothing is read from the disk, and none is used up.
    /// - Throws: `readOnly` where the replica's key is not here.
    public func invitation() throws(LedgerError) -> Invitation {
        try withCore { (core) throws(LedgerError) in
            guard let inviter = core.identity.replica else {
                throw LedgerError(.readOnly, "A copy of a ledger cannot invite.")
            }
            return Invitation(ledger: core.identity.id, key: core.identity.key, inviter: inviter)
        }
    }

    /// Makes an invitation with a one-time token: whoever comes with it first is admitted here.
    ///
    /// Only a digest of the token is kept. Costs one fsync.
    ///
    /// - Parameters:
    ///   - name: what the replica that comes will be called.
    ///   - milliseconds: how long the token is good for; a day unless given.
    ///   - addresses: where this replica can be reached, `HOST:PORT`, at most
    ///     ``Invitation/addressesMax``.
    /// - Returns: the invitation, which is kept nowhere.
    /// - Throws: `invalid` for a name, time or address against the rules, `notMember` when this
    ///   replica may not admit, `limit` when 1,024 are waiting; `readOnly`, `busy`, `noSpace`, `io`.
    public func invite(
        name: String? = nil, milliseconds: Int64 = 86_400_000, addresses: [String] = []
    ) throws(LedgerError) -> Invitation {
        if let name { try Identifier.validate(name, field: "name") }
        guard milliseconds > 0, milliseconds <= Self.invitationMillisecondsMax else {
            throw LedgerError(.invalid, "An invitation is good for up to a year.")
        }
        guard addresses.count <= Invitation.addressesMax,
            addresses.allSatisfy(Invitation.isAddress)
        else {
            throw LedgerError(
                .invalid,
                "An invitation names at most \(Invitation.addressesMax) addresses, HOST:PORT each.")
        }
        return try withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in
                try core.invite(name: name, milliseconds: milliseconds, addresses: addresses)
            }
        }
    }

    private static let invitationMillisecondsMax: Int64 = 366 * 86_400_000

    /// The invitations that this replica gave out, the newest first.
    ///
    /// - Returns: those that are waiting, and the newest of the others.
    /// - Throws: `busy`, `damaged`, `io`.
    public func invitations() throws(LedgerError) -> [IssuedInvitation] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.issuedInvitations() }
        }
    }

    /// Makes an invitation that is waiting good for nothing.
    ///
    /// Costs one fsync.
    ///
    /// - Parameter id: its ``IssuedInvitation/id``.
    /// - Returns: false where it was used, expired or revoked already.
    /// - Throws: `notFound` for an id that is none; `readOnly`, `busy`, `noSpace`, `io`.
    @discardableResult
    public func revokeInvitation(_ id: String) throws(LedgerError) -> Bool {
        try withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in try core.revokeInvitation(id) }
        }
    }

    /// Admits a replica that shows a token of this one; all or nothing, durable once it returns.
    ///
    /// - Returns: nil for a token that this replica did not make: nobody may hear anything then.
    /// - Throws: `readOnly`, `busy`, `noSpace`, `io`.
    package func redeem(_ request: JoinRequest) throws(LedgerError) -> JoinOutcome? {
        try withCore { (core) throws(LedgerError) in
            // A stranger's guess costs a read and never a write.
            guard try core.withSnapshot({ () throws(LedgerError) in try core.knows(request) })
            else { return nil }
            let outcome = try core.write { () throws(LedgerError) in
                try core.loadFrontier()
                let outcome = try core.redeem(request)
                try core.shareFolderSecrets()
                return outcome
            }
            try? core.flushIfNeeded()
            return outcome
        }
    }

    // MARK: The side that joins

    /// The invitation that this replica came with, while it is not known to have been admitted.
    ///
    /// - Throws: `busy`, `damaged`, `io`.
    package func pendingInvitation() throws(LedgerError) -> Invitation? {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                guard let own = core.identity.replica, !core.rows.members.graph.isMember(own),
                    let text = try core.store.meta(.invitation), !text.isEmpty
                else { return nil }
                return try? Invitation(String(decoding: text, as: UTF8.self))
            }
        }
    }

    /// What shows that invitation to the replica that made it.
    ///
    /// - Returns: nil where there is none, it bears no token, or somebody else made it.
    /// - Throws: `busy`, `damaged`, `io`; `readOnly` where the replica's key is not here.
    package func pendingRequest(to inviter: ReplicaID) throws(LedgerError) -> JoinRequest? {
        guard let invitation = try pendingInvitation(), invitation.inviter == inviter,
            let pass = invitation.pass
        else { return nil }
        return try joinRequest(pass)
    }

    /// Takes a newer invitation to the same ledger, for another attempt at joining.
    ///
    /// - Throws: `conflict` for another ledger's; `readOnly`, `busy`, `noSpace`, `io`.
    package func take(_ invitation: Invitation) throws(LedgerError) {
        guard invitation.ledger == id else {
            throw LedgerError(
                .conflict,
                "The invitation is to another ledger than the one here; name another "
                    + "directory for it.")
        }
        try withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in
                try core.store.setMeta(.invitation, Array(invitation.text.utf8))
            }
        }
    }

    /// This replica as it shows itself to who invited it.
    ///
    /// - Throws: `readOnly` where the replica's key is not here.
    package func joinRequest(_ pass: Invitation.Pass) throws(LedgerError) -> JoinRequest {
        try withCore { (core) throws(LedgerError) in
            guard let keys = core.writer?.keys else {
                throw LedgerError(
                    .readOnly, "The replica's key is not here; open the ledger where it was made.")
            }
            return JoinRequest(
                replica: keys.replica, sealingKey: keys.sealing.publicKey, token: pass.token)
        }
    }
}

extension Core {
    /// Waiting invitations beyond this number are refused, and of the others the oldest go.
    private static let invitationsMax = 1024

    // MARK: Giving out

    /// Notes a new token; inside a write transaction.
    func invite(
        name: String?, milliseconds: Int64, addresses: [String]
    ) throws(LedgerError) -> Invitation {
        try checkOwnStanding()
        // The token belongs to the log that goes on from here: see `state(of:)`.
        try loadFrontier()
        try settleDoubt()
        guard let keys = writer?.keys, let log = writer?.log else {
            throw LedgerError(
                .readOnly,
                "The replica's key is not here; put it back beside the database to invite.")
        }
        guard let token = Bytes16(try environment.random(16)) else {
            throw LedgerError(.crypto, "The random source returned too few bytes.")
        }
        let rows = try store.invitations()
        guard rows.count(where: { state(of: $0) == .waiting }) < Self.invitationsMax else {
            throw LedgerError(
                .limit, "\(Self.invitationsMax) invitations are waiting; revoke some first.")
        }
        let surplus = rows.count - Self.invitationsMax + 1
        if surplus > 0 {
            for row in rows.filter({ state(of: $0) != .waiting }).suffix(surplus) {
                try store.deleteInvitation(row.digest)
            }
        }
        let expires = min(now, .max - milliseconds) + milliseconds
        try store.insertInvitation(
            EventStore.InvitationRow(
                digest: try digest(of: token), name: name, created: now, expires: expires,
                log: log, isRevoked: false, replica: nil))
        return Invitation(
            ledger: identity.id, key: identity.key, inviter: keys.replica, addresses: addresses,
            pass: .init(token: token, expires: expires, sealingKey: keys.sealing.publicKey))
    }

    private func digest(of token: Bytes16) throws(LedgerError) -> Bytes32 {
        try Invitation.Pass.digest(of: token, in: identity.id)
    }

    /// The newest first.
    func issuedInvitations() throws(LedgerError) -> [IssuedInvitation] {
        try store.invitations().map { row in
            IssuedInvitation(
                id: IssuedInvitation.id(of: row.digest), name: row.name, created: row.created,
                expires: row.expires,
                state: state(of: row), replica: row.replica)
        }
    }

    func revokeInvitation(_ id: String) throws(LedgerError) -> Bool {
        guard
            let row = try store.invitations().first(where: {
                IssuedInvitation.id(of: $0.digest) == id
            })
        else {
            throw LedgerError(.notFound, "There is no such invitation here.")
        }
        guard state(of: row) == .waiting else { return false }
        try store.setInvitation(row.digest, isRevoked: true, replica: nil)
        return true
    }

    /// What a token is worth now.
    ///
    /// One that was made before this replica's state was restored or copied is worth nothing: what
    /// came with it since may be forgotten here, and the copy would take it once more.
    private func state(of row: EventStore.InvitationRow) -> IssuedInvitation.State {
        if row.replica != nil { return .used }
        if row.isRevoked || row.log != identity.ownLog { return .revoked }
        return now < row.expires ? .waiting : .expired
    }

    // MARK: Taking back

    /// Whether this replica made the token.
    func knows(_ request: JoinRequest) throws(LedgerError) -> Bool {
        try store.invitation(try digest(of: request.token)) != nil
    }

    /// Admits who shows a token that is good, and notes that it is used; in a write transaction.
    ///
    /// The same replica with the same token hears the same again.
    func redeem(_ request: JoinRequest) throws(LedgerError) -> JoinOutcome? {
        let digest = try digest(of: request.token)
        guard let row = try store.invitation(digest), writer != nil,
            request.replica != identity.replica
        else { return nil }
        let graph = rows.members.graph
        if graph.removals[request.replica] != nil { return .removed }
        // Whatever became of the token: who was admitted another way is not kept out by it.
        if graph.isMember(request.replica) { return .admitted }
        // A state that was copied tells so by its doubt, before anything is taken from the token.
        try settleDoubt()
        switch state(of: row) {
        case .used: return .used
        case .expired: return .expired
        case .revoked: return .revoked
        case .waiting: break
        }
        guard let own = identity.replica, graph.isMember(own) else { return .powerless }
        _ = try admit(request.replica, name: row.name, sealingKey: request.sealingKey)
        try store.setInvitation(digest, isRevoked: false, replica: request.replica)
        return .admitted
    }
}

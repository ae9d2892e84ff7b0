/// A folder secret sealed to one member, as a key file carries it.
package struct FolderKeyShare: Sendable, Hashable {
    /// Which secret, and for whom.
    package struct Name: Sendable, Hashable {
        package let recipient: ReplicaID
        package let generation: UInt64
        /// The removal that made the secret.
        package let removal: EventID

        package init(recipient: ReplicaID, generation: UInt64, removal: EventID) {
            self.recipient = recipient
            self.generation = generation
            self.removal = removal
        }
    }
    package let name: Name
    package let sealed: [UInt8]

    package static let sealedLength = SealedBox.length

    package init(_ name: Name, sealed: [UInt8]) {
        self.name = name
        self.sealed = sealed
    }
}

/// A request to join as it passes through a folder: only the inviter can read the token in it.
package struct SealedJoinRequest: Sendable, Hashable {
    package let inviter: ReplicaID
    package let replica: ReplicaID
    /// The X25519 key of who asks.
    package let sealingKey: Bytes32
    /// Of the token, as the inviter keeps it.
    package let digest: Bytes32
    package let sealed: [UInt8]

    package init(
        inviter: ReplicaID, replica: ReplicaID, sealingKey: Bytes32, digest: Bytes32,
        sealed: [UInt8]
    ) {
        self.inviter = inviter
        self.replica = replica
        self.sealingKey = sealingKey
        self.digest = digest
        self.sealed = sealed
    }

    /// What the sealed token is good for: shown by another replica it opens nowhere.
    func context(_ ledger: LedgerID) -> [UInt8] {
        Array("consent-ledger/join/1".utf8) + ledger.bytes + inviter.bytes + replica.bytes
            + sealingKey.bytes + digest.bytes
    }
}

/// The inviter's answer to a request that it does not grant; only who asked can read it.
package struct SealedJoinAnswer: Sendable, Hashable {
    package let inviter: ReplicaID
    package let replica: ReplicaID
    package let digest: Bytes32
    package let sealed: [UInt8]

    package init(inviter: ReplicaID, replica: ReplicaID, digest: Bytes32, sealed: [UInt8]) {
        self.inviter = inviter
        self.replica = replica
        self.digest = digest
        self.sealed = sealed
    }

    /// The token in it proves who answers: besides who asked, the inviter alone has seen it.
    static func context(
        _ ledger: LedgerID, inviter: ReplicaID, replica: ReplicaID, token: Bytes16
    ) -> [UInt8] {
        Array("consent-ledger/answer/1".utf8) + ledger.bytes + inviter.bytes + replica.bytes
            + token.bytes
    }
}

extension Ledger {
    // MARK: Key files

    /// Which secrets this replica hands on through a folder, and to whom; empty before the first
    /// removal.
    ///
    /// - Throws: `busy`, `damaged`, `io`.
    package func folderShareNames() throws(LedgerError) -> Set<FolderKeyShare.Name> {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                Set(try core.folderShares().map(\.name))
            }
        }
    }

    /// Seals these secrets anew.
    ///
    /// - Throws: `busy`, `damaged`, `io`, `crypto`.
    package func sealFolderShares() throws(LedgerError) -> [FolderKeyShare] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                var shares: [FolderKeyShare] = []
                for (name, secret, key) in try core.folderShares() {
                    shares.append(try core.seal(secret, as: name, to: key))
                }
                return shares
            }
        }
    }

    /// The key that follows from a secret that is sealed to this replica; nil for any other.
    ///
    /// - Throws: `crypto`, `closed`.
    package func openFolderShare(_ share: FolderKeyShare) throws(LedgerError) -> [UInt8]? {
        try withCore { (core) throws(LedgerError) in try core.open(share)?.key() }
    }

    // MARK: Requests

    /// Of the invitation that this replica came with and was not admitted with yet.
    ///
    /// - Throws: `busy`, `damaged`, `io`.
    package func pendingDigest() throws(LedgerError) -> Bytes32? {
        guard let invitation = try pendingInvitation(), let pass = invitation.pass else {
            return nil
        }
        return try pass.digest(in: id)
    }

    /// The request to whoever invited this replica; nil where nobody did, or it is a member.
    ///
    /// - Throws: `busy`, `damaged`, `io`, `crypto`, `readOnly`.
    package func sealJoinRequest() throws(LedgerError) -> SealedJoinRequest? {
        guard let invitation = try pendingInvitation(), let pass = invitation.pass else {
            return nil
        }
        let request = try joinRequest(pass)
        let digest = try pass.digest(in: id)
        let clear = SealedJoinRequest(
            inviter: invitation.inviter, replica: request.replica,
            sealingKey: request.sealingKey, digest: digest, sealed: [])
        let sealed = try SealedBox.seal(
            pass.token.bytes + [UInt8](repeating: 0, count: 16), to: pass.sealingKey,
            context: clear.context(id), ephemeral: try randomBytes(32))
        return SealedJoinRequest(
            inviter: clear.inviter, replica: clear.replica, sealingKey: clear.sealingKey,
            digest: digest, sealed: sealed)
    }

    /// The token in a request to this replica; nil where it is sealed to another or was changed.
    ///
    /// - Throws: `crypto`, `closed`.
    package func open(_ request: SealedJoinRequest) throws(LedgerError) -> JoinRequest? {
        let key = try withCore { (core) throws(LedgerError) in core.writer?.keys.sealing }
        guard let key,
            let bytes = try SealedBox.open(
                request.sealed, with: key, context: request.context(id)),
            let token = Bytes16(bytes.prefix(16)),
            try Invitation.Pass.digest(of: token, in: id) == request.digest
        else { return nil }
        return JoinRequest(
            replica: request.replica, sealingKey: request.sealingKey, token: token)
    }

    /// Seals the answer to a request.
    ///
    /// - Throws: `crypto`, also for a request with a key that is none.
    package func seal(
        _ outcome: JoinOutcome, to request: JoinRequest
    ) throws(LedgerError) -> SealedJoinAnswer? {
        guard let replica else { return nil }
        let context = SealedJoinAnswer.context(
            id, inviter: replica, replica: request.replica, token: request.token)
        return SealedJoinAnswer(
            inviter: replica, replica: request.replica,
            digest: try Invitation.Pass.digest(of: request.token, in: id),
            sealed: try SealedBox.seal(
                [outcome.rawValue] + [UInt8](repeating: 0, count: 31), to: request.sealingKey,
                context: context, ephemeral: try randomBytes(32)))
    }

    /// What an answer to this replica's request says; nil for any other, and for a forged one.
    ///
    /// - Throws: `busy`, `damaged`, `io`, `crypto`.
    package func open(_ answer: SealedJoinAnswer) throws(LedgerError) -> JoinOutcome? {
        guard let invitation = try pendingInvitation(), let pass = invitation.pass,
            answer.inviter == invitation.inviter, answer.replica == replica,
            let key = try withCore({ (core) throws(LedgerError) in core.writer?.keys.sealing }),
            let bytes = try SealedBox.open(
                answer.sealed, with: key,
                context: SealedJoinAnswer.context(
                    id, inviter: answer.inviter, replica: answer.replica, token: pass.token))
        else { return nil }
        return bytes.first.flatMap(JoinOutcome.init(rawValue:))
    }

    /// Asks no more with the invitation that this replica came with.
    ///
    /// - Throws: `readOnly`, `busy`, `noSpace`, `io`.
    package func forgetInvitation() throws(LedgerError) {
        try withCore { (core) throws(LedgerError) in
            try core.write { () throws(LedgerError) in
                try core.store.setMeta(.invitation, [])
            }
        }
    }

    private func randomBytes(_ count: Int) throws(LedgerError) -> [UInt8] {
        try withCore { (core) throws(LedgerError) in try core.environment.random(count) }
    }
}
